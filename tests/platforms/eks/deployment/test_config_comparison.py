"""A plan names every difference between two configurations of eksctl, with its values and its place in the spec."""

from __future__ import annotations

from typing import Any

import pytest

from tests.each_case import each_case
from tests.platforms.eks.deployment.cluster import ADMIN, queue, spec_text
from tests.platforms.eks.rendering.test_every_field import before_and_after
from tests.render.changes import CHANGES
from trainyard.document.write import yaml_text
from trainyard.errors import TrainyardError
from trainyard.platforms.eks.deployment.config_comparison import ClusterComparison, compare
from trainyard.platforms.eks.rendering.cluster import cluster
from trainyard.render.stand_ins import Ids
from trainyard.spec.parsing import parse

PATHS = {"training": "queues[0]", "more": "queues[1]"}
# They name another cluster, or lead to one that is not changed.
LEFT_OUT = {"name", "region", "eks.adopted"}


def config(text: str) -> dict[str, Any]:
    return cluster(parse(text, "cluster.yaml").spec, Ids({}))


def without_tags(config: dict[str, Any]) -> dict[str, Any]:
    """Leave out what is written on things as they are made."""
    groups = [{key: value for key, value in group.items() if key != "tags"} for group in config["managedNodeGroups"]]
    metadata = {key: value for key, value in config["metadata"].items() if key != "tags"}
    return {**config, "metadata": metadata, "managedNodeGroups": groups}


def compared(text: str, former: str | None = None) -> ClusterComparison:
    return compare(config(former or spec_text()), config(text), PATHS)


def lines(comparison: ClusterComparison) -> list[str]:
    return [str(change) for change in comparison.updates]


@each_case("path", [path for path in CHANGES if path not in LEFT_OUT])
def test_what_a_field_changes_of_the_configuration_is_among_the_changes(path: str):
    try:
        former, new = (config(yaml_text(spec)) for spec in before_and_after(path))
    except TrainyardError:  # refused on EKS, before anything is planned
        return
    if without_tags(former) != without_tags(new):
        comparison = compare(former, new)
        assert comparison.updates
        assert bool(comparison.refused) == any(change.need == "refused" for change in comparison.updates)


def test_one_configuration_changes_nothing_of_itself():
    assert compared(spec_text()) == ClusterComparison()


def test_sizes_of_a_node_group_are_changes_of_the_nodes_of_its_queue():
    found = compared(spec_text(queue(nodes="{min: 1, max: 8, desired: 2}")))
    assert lines(found) == [
        "queues[0].nodes (managedNodeGroups[training].minSize): 0 -> 1; at once",
        "queues[0].nodes (managedNodeGroups[training].maxSize): 4 -> 8; at once",
    ]


def test_queues_come_and_go_by_their_names():
    two = spec_text(queue(), queue("more", "1"))
    assert lines(compared(two)) == ["queues[1] (managedNodeGroups[more]): new: more; at once"]
    (gone,) = compare(config(two), config(spec_text()), {"training": "queues[0]"}).updates
    assert (gone.kind, gone.path, gone.requested) == ("remove", "queues", None)


@pytest.mark.parametrize(
    ("text", "path", "parameter"),
    [
        (spec_text(admins=ADMIN), "eks.administrators", f"accessConfig.accessEntries[{ADMIN}]"),
        (
            spec_text(more="access: {allow_from: [203.0.113.7/32]}\n"),
            "access.allow_from",
            "vpc.publicAccessCIDRs",
        ),
    ],
)
def test_what_is_changed_in_place_stands_where_the_spec_has_it(text, path, parameter):
    found = {change.path: change for change in compared(text).updates}
    assert found[path].parameter == parameter
    assert found[path].need == "live"


def test_what_is_fixed_is_refused_with_what_to_do_in_place_of_it():
    (change,) = compared(spec_text(queue(kind="g5.2xlarge"))).updates
    assert (change.need, change.parameter) == ("refused", "managedNodeGroups[training].instanceType")
    assert change.reason == "give the queue another name, deploy, and then take the old one out"
    (version,) = [one for one in compared(spec_text(version="1.36")).updates if one.parameter == "metadata.version"]
    assert (version.need, version.current, version.requested) == ("refused", "1.34", "1.36")
