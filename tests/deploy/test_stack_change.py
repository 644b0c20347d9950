"""What of a change of a resource in place is a loss."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trainyard.deploy import losses
from trainyard.deploy.losses import refuse_losses
from trainyard.deploy.stack_change import StackChange
from trainyard.deploy.work import Work
from trainyard.edge.aws.change_sets import PropertyChange
from trainyard.errors import TrainyardError
from trainyard.render.tags import CLUSTER, ENVIRONMENT


def changed(resource_type: str, *properties: PropertyChange) -> StackChange:
    return StackChange(
        "s", "It", resource_type, "id", "changed", is_certain=True, leaves="nothing", holds="data", what="",
        properties=properties,
    )  # fmt: skip


def is_loss(before: str | None, after: str | None) -> bool:
    return changed("AWS::Logs::LogGroup", PropertyChange("RetentionInDays", before, after)).is_loss


def shrinks(before: str | None, after: str | None) -> bool:
    capacity = PropertyChange("StorageCapacity", before, after)
    return changed("AWS::FSx::FileSystem", PropertyChange("Other"), capacity).shrinks


def test_logs_that_are_kept_for_less_time_are_a_loss():
    assert [is_loss("90", "30"), is_loss(None, "365")] == [True, True]
    assert [is_loss("30", "90"), is_loss("30", None), is_loss("30", "30"), is_loss("30", "{{unknown}}")] == [False] * 4
    assert not changed("AWS::EC2::Volume", PropertyChange("RetentionInDays", "90", "30")).is_loss


def test_what_a_link_to_a_bucket_exports_is_told():
    exported = PropertyChange(
        "S3", '{"AutoExportPolicy":{"Events":["NEW"]}}', '{"AutoExportPolicy":{"Events":["DELETED"]}}'
    )
    link = replace(changed("AWS::FSx::DataRepositoryAssociation", exported), holds="link")
    assert (link.is_told, link.is_loss) == (True, False)
    assert "DELETED" in str(link)
    assert not replace(link, properties=()).is_told


def test_a_file_system_that_gets_smaller_is_known():
    assert shrinks("2400", "1200")
    assert [shrinks("1200", "2400"), shrinks(None, "1200"), shrinks("1200", None)] == [False] * 3
    assert not changed("AWS::FSx::FileSystem", PropertyChange("Other")).shrinks


def test_what_the_service_changes_of_nothing_that_exists_is_impossible_in_place():
    kind, name = "AWS::FSx::FileSystem", "LustreConfiguration"
    paths = [PropertyChange(name, path=f"/Properties/{name}/{key}") for key in ("EfaEnabled", "DataCompressionType")]
    values = [
        PropertyChange(name, '{"DataCompressionType":"LZ4"}', after)
        for after in ('{"DataCompressionType":"LZ4","EfaEnabled":"true"}', '{"DataCompressionType":"NONE"}')
    ]
    assert [changed(kind, change).is_impossible for change in (*paths, *values)] == [True, False] * 2
    assert not changed(kind, PropertyChange(name), PropertyChange("StorageCapacity", "1200", "2400")).is_impossible
    assert not replace(changed(kind, paths[0]), fate="replaced").is_impossible


def test_it_is_refused_before_anything_is_touched(work: Work):
    efa = PropertyChange("LustreConfiguration", path="/Properties/LustreConfiguration/EfaEnabled")
    with pytest.raises(
        TrainyardError, match=r"in place what cannot be changed: .*LustreConfiguration\.EfaEnabled"
    ) as refused:
        refuse_losses(work, [changed("AWS::FSx::FileSystem", efa)])
    assert refused.value.hint is not None
    assert refused.value.hint.startswith("nothing was touched; ")


@pytest.mark.parametrize(
    ("users", "way"),
    [
        (["llm", "vision"], "another name, deploy anew in it llm, vision, which use this one, and move the data"),
        ([], "a second environment under another name and move the data"),
    ],
)
def test_the_way_round_names_the_clusters_that_an_environment_has(work: Work, monkeypatch, users: list[str], way: str):
    monkeypatch.setattr(losses, "users_of", lambda _: users)
    foundation = replace(changed("AWS::EC2::VPC"), fate="deleted", holds="foundation")
    for tag, words in ((ENVIRONMENT, way), (CLUSTER, "a second cluster under another name and move the data")):
        with pytest.raises(TrainyardError, match="would take away") as refused:
            losses.refuse_losses(replace(work, tag=tag), [foundation])
        assert str(refused.value.hint).endswith(words)
