"""Every change of one field of a deployed spec: data goes only by name, and nothing is left when all is destroyed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack

import pytest

from tests.rehearsal.account_copies import account_for, copied
from tests.rehearsal.every_edit import ANOTHER, PLATFORMS, Edit, edits, part
from tests.rehearsal.whole import deployed, destroyed
from tests.rehearsal.whole_account import whole_account
from tests.render.changes import CHANGES
from trainyard.deploy.deployment import DeploymentResult
from trainyard.deploy.work import Options
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.stacks import all_stacks
from trainyard.monitoring.cloudwatch_cluster import fsx_file_systems, known_as
from trainyard.rehearsal.rehearsal import inventory
from trainyard.spec.parsing import parse

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
DATA = (
    "ECR repositories", "EFS file systems", "FSx file systems", "FSx volumes", "Grafana workspaces", "Log groups",
    "Prometheus workspaces",
)  # fmt: skip
# They hold data where a stack has them, as that of monitoring: those of nodes come and go with jobs.
OF_STACKS = ("AWS::EC2::Volume",)
NAMED = re.compile(r"--give-up (\w+(?:-\w+)*)")
# A part takes less than a minute of a processor.
PARTS = {"environment": 10, "batch": 20, "eks": 20, "parallelcluster": 120}
# In the normal run, beginning with what took data away without a word; and, of those that slices have, some more.
SOME = {
    "environment": ("monitoring amp-only to self-hosting back", "lustre before another"),
    "batch": ("file_systems[0].lustre.deployment",),
    "eks": ("eks.control_plane_logs",),
}
MORE = {
    "environment": (
        "file_systems[0].lustre.size_gib",
        "iam.kms_key back",
        "lustre behind another",
        "openzfs exchanged",
    ),
    "batch": ("queues[0].efa",),
}
# It needs the environment in the account: tests/rehearsal/test_edits.py.
ELSEWHERE = {"environment"}


class DeployedSpec:
    """The account in which the spec of some edits is deployed, until those of another spec are asked for."""

    def __init__(self) -> None:
        """Begin with none."""
        self._text = ""
        self._opened = ExitStack()

    def close(self) -> None:
        """Let the account go."""
        self._opened.close()

    def prepare(self, edit: Edit, every: Iterable[Edit]) -> None:
        """Deploy the spec that an edit begins with, where whatever edits of it name is there; destroy a copy of it."""
        if self._text == edit.before:
            return
        self._opened.close()
        self._text = edit.before
        afters = [other.after for other in every if other.before == edit.before]
        self.account = self._opened.enter_context(account_for(edit.before, *afters))
        self.empty = things_of(self.account)
        assert deployed(self.account, edit.before).ok
        self.data = data_of(self.account)
        self.mounted = mounted(self.account, edit.before)
        self.whole = whole_account(self.account)
        with copied(self.account) as account:
            destroy(account, edit.before, self.empty)


def data_of(account: Account) -> set[str]:
    described = account.client("cloudformation").describe_stack_resources
    stacks = [described(StackName=stack.name)["StackResources"] for stack in all_stacks(account)]
    ids = {one.get("PhysicalResourceId") for stack in stacks for one in stack if one["ResourceType"] in OF_STACKS}
    things = [thing.split(": ", 1) for thing in inventory(account)]
    return {f"{kind}: {name}" for kind, name in things if kind in DATA or name in ids}


def mounted(account: Account, text: str) -> dict[str, str]:
    """Return the file systems of FSx that stacks have made for a spec, by where its nodes and jobs mount them."""
    outputs = {key: value for stack in all_stacks(account) for key, value in stack.outputs.items()}
    systems = [system for system in fsx_file_systems(parse(text, "cluster.yaml").spec) if system.id is None]
    kinds = {"OpenZFSFileSystemId": "FSxORootVolumeId"}
    return {
        system.mount: outputs[known_as(kinds.get(system.kind, system.kind), system.number)]
        for system in systems
        if known_as(kinds.get(system.kind, system.kind), system.number) in outputs
    }


def things_of(account: Account) -> Counter[str]:
    """Return how many things of each kind there are, but for the bucket that ParallelCluster keeps."""
    return Counter(entry.split(":")[0] for entry in inventory(account) if "parallelcluster-" not in entry)


def refusals(done: DeploymentResult) -> str:
    return "; ".join(f"{result.error} {result.error.hint}" for result in done.results if result.error is not None)


def destroy(account: Account, text: str, empty: Counter[str]) -> None:
    gone = destroyed(account, text)
    assert gone.ok, f"not destroyed: {refusals(gone)} {gone.refused}"
    left = things_of(account) - empty
    assert left == {}, f"left when all is destroyed: {left}"


def check(edit: Edit, before: DeployedSpec) -> None:
    """Make an edit. A refusal leaves the account as it was, of which a copy has been destroyed already."""
    with copied(before.account) as account:
        done = deployed(account, edit.after)
        if not done.ok:
            assert whole_account(account) == before.whole, f"touched before it was refused: {refusals(done)}"
            if not (names := frozenset(NAMED.findall(refusals(done)))):
                return
            done = deployed(account, edit.after, Options(give_up=names))
            assert done.ok, f"refused although its data was given up: {refusals(done)}"
        else:
            names = frozenset()
        gone = before.data - data_of(account)
        assert len(gone) <= len(names), f"went without consent: {gone}"
        now = mounted(account, edit.after)
        moved = {mount for mount in now.keys() & before.mounted.keys() if now[mount] != before.mounted[mount]}
        assert len(moved) <= len(names), f"mounted from elsewhere without consent: {moved}"
        destroy(account, edit.after, before.empty)


def failures(chosen: Iterable[Edit], every: Iterable[Edit], before: DeployedSpec) -> dict[str, str]:
    """Return what went wrong with each."""
    failed = {}
    for edit in chosen:
        try:
            before.prepare(edit, every)
            check(edit, before)
        except Exception as error:  # noqa: BLE001 - whatever it is, the others are tried
            failed[edit.name] = f"{type(error).__name__}: {error}"
    return failed


@pytest.fixture(scope="module")
def before() -> Iterator[DeployedSpec]:
    deployed_spec = DeployedSpec()
    yield deployed_spec
    deployed_spec.close()


def test_every_field_is_edited_on_some_platform():
    edited = {edit.name for platform in PLATFORMS for edit in edits(platform)}
    assert set(CHANGES) - edited == ANOTHER | ELSEWHERE


@pytest.mark.parametrize(
    ("platform", "names"),
    [
        *(pytest.param(*some, id=some[0]) for some in SOME.items()),
        *(pytest.param(*more, id=f"{more[0]}-more", marks=pytest.mark.exhaustive) for more in MORE.items()),
    ],
)
def test_some_edits(platform: str, names: tuple[str, ...], before: DeployedSpec):
    chosen = [edit for edit in edits(platform) if edit.name in names]
    assert len(chosen) == len(names)
    assert failures(chosen, chosen, before) == {}


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("platform", "number"), [(platform, number) for platform in PLATFORMS for number in range(PARTS[platform])]
)
def test_every_edit(platform: str, number: int, before: DeployedSpec):
    assert failures(part(platform, number, PARTS[platform]), edits(platform), before) == {}
