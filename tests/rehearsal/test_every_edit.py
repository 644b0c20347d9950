"""Every change of one field of a deployed spec: data goes only by name, and nothing is left when all is destroyed."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import pytest

from tests.rehearsal.account_copies import copied, started_account
from tests.rehearsal.whole import deployed, destroyed
from tests.render.changes import BASE, CHANGES, ON_BATCH, SELF_HOSTED, before_and_after
from trainyard.checking.spec_file import rule_findings
from trainyard.deploy.deployment import DeploymentResult
from trainyard.deploy.work import Options
from trainyard.document.write import yaml_text
from trainyard.edge.aws.account import Account
from trainyard.errors import TrainyardError
from trainyard.rehearsal.rehearsal import inventory
from trainyard.spec.parsing import parse

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
DATA = re.compile(
    r"(FSx file systems|EC2 instances|Prometheus workspaces|Grafana workspaces|ECR repositories|log groups)"
)
# What an environment has, of what specs of clusters have.
OF_ENVIRONMENTS = ("name", "region", "network", "access", "file_systems", "monitoring", "iam", "assets", "tags")
MANAGED = {"monitoring": {"mode": "amp+amg"}}
MODES = ("none", "amp-only", "amp+amg", "self-hosting")
# They name another cluster.
ANOTHER = {"name", "region"}
NAMED = re.compile(r"--give-up (\w+)")
# One in so many is taken in the normal run, beginning with what took data away without a word.
EVERY = 25


class Edit(NamedTuple):
    """A spec as it is deployed, and as it is then."""

    before: str
    after: str


def environment(spec: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in {**MANAGED, **spec}.items() if key in OF_ENVIRONMENTS}
    files = [entry for entry in kept.get("file_systems") or [] if {"lustre", "openzfs"} & set(entry)]
    return {"kind": "environment", **kept, "file_systems": files}


def batch(spec: Mapping[str, Any]) -> dict[str, Any]:
    return {**spec, **{key: value for key, value in ON_BATCH.items() if key != "file_systems"}}


def parallelcluster(spec: Mapping[str, Any]) -> dict[str, Any]:
    return dict(spec)


ADAPTED: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "environment": environment,
    "batch": batch,
    "parallelcluster": parallelcluster,
}


def edits(platform: str) -> Iterator[Any]:
    """Yield every edit between valid specs, there and back: a field that the one has and the other leaves out, too."""
    adapted = ADAPTED[platform]
    for name, *specs in pairs():
        before, after = (text_of(adapted(spec)) for spec in specs)
        if before is None or after is None or before == after:
            continue
        if len({network_of(text) for text in (before, after)} - {None}) < 2:
            yield pytest.param(Edit(before, after), id=f"{platform}-{name}")
            yield pytest.param(Edit(after, before), id=f"{platform}-{name}-back")


def pairs() -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Yield specs that differ in a field, in the mode of their monitoring, or by a whole file system."""
    for path in CHANGES:
        if path not in ANOTHER:
            yield (path, *before_and_after(path))
    for former, new in itertools.combinations(MODES, 2):
        with_network = {**BASE, "network": SELF_HOSTED["network"]}
        specs = [{**with_network, "monitoring": {"mode": mode}} for mode in (former, new)]
        yield (f"monitoring-{former}-{new}", specs[0], specs[1])
    for index, entry in enumerate(BASE["file_systems"]):
        rest = [other for other in BASE["file_systems"] if other is not entry]
        yield f"without-file-system-{index}", BASE, {**BASE, "file_systems": rest}


def network_of(text: str) -> str | None:
    """Return the network that exists already, of which an account is seeded with one."""
    existing = parse(text, "cluster.yaml").spec.network.existing
    return None if existing is None else str(existing)


def text_of(spec: dict[str, Any]) -> str | None:
    """Return a spec that can be deployed as text; None for one that nobody could deploy."""
    text = yaml_text({key: value for key, value in spec.items() if value is not None})
    try:
        parsed = parse(text, "cluster.yaml")
    except TrainyardError:
        return None
    return None if any(finding.severity == "error" for finding in rule_findings(parsed)) else text


def refusals(done: DeploymentResult) -> str:
    return "; ".join(f"{result.error} {result.error.hint}" for result in done.results if result.error is not None)


def data_of(account: Account) -> set[str]:
    return {entry for entry in inventory(account) if DATA.search(entry.split(":")[0])}


def things_of(account: Account) -> Counter[str]:
    """Return how many things of each kind there are, but for the bucket that ParallelCluster keeps."""
    return Counter(entry.split(":")[0] for entry in inventory(account) if "parallelcluster-" not in entry)


def check(edit: Edit) -> None:
    with copied(started_account(*edit)) as account:
        empty = things_of(account)
        assert deployed(account, edit.before).ok
        before = data_of(account)
        done = deployed(account, edit.after)
        assert before <= data_of(account), "data went without consent"
        if not done.ok:
            refused = done.results[-1]
            assert refused.name in ("changes", "review"), f"refused too late: {refusals(done)}"
            names = frozenset(NAMED.findall(refusals(done)))
            if names:
                done = deployed(account, edit.after, Options(give_up=names))
                assert done.ok, refusals(done)
        gone = destroyed(account, edit.after)
        assert gone.ok, refusals(gone)
        left = things_of(account) - empty
        assert not left, left


ENVIRONMENTS = list(edits("environment"))


@pytest.mark.parametrize("edit", ENVIRONMENTS[::EVERY])
def test_some_edits_of_an_environment(edit: Edit):
    check(edit)


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("edit", [*ENVIRONMENTS, *edits("batch")])
def test_every_edit_of_an_environment_and_of_a_cluster_of_batch(edit: Edit):
    check(edit)


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("edit", list(edits("parallelcluster")))
def test_every_edit_of_a_cluster_of_parallelcluster(edit: Edit):
    check(edit)
