"""Every change of one field of a deployed spec: data goes only by name, and nothing is left when all is destroyed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from functools import cached_property

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
from trainyard.monitoring.cloudwatch_cluster import file_system_key, fsx_file_systems
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
PARTS = {"environment": 6, "batch": 12, "eks": 12, "parallelcluster": 80}
# One in the normal run, beside those of test_edits.py; and those that slices have.
SOME = {"batch": ("file_systems[0].lustre.deployment",)}
MORE = {
    "environment": (
        "lustre before another",
        "monitoring amp-only to self-hosting back",
        "file_systems[0].lustre.size_gib",
        "iam.kms_key back",
        "lustre behind another",
        "openzfs exchanged",
    ),
    "batch": ("queues[0].efa",),
    "eks": ("eks.control_plane_logs",),
}
# Nobody can begin there: ParallelCluster refuses an EFS that exists beside a network that is yet to be made, and what
# has been adopted is there already.
NO_BEGINNING = (".efs.id back", ".efs.access_point", ".efs.access_point back", ".adopted back")
# It needs the environment in the account: tests/rehearsal/test_edits.py.
ELSEWHERE = {"environment"}


class DeployedSpec:
    """An account in which a spec is deployed, of which edits get copies."""

    def __init__(self, text: str, account: Account, empty: Counter[str], origin: str = "") -> None:
        """Take what has been deployed, where, what was there before anything was, and which spec it was copied from."""
        self.text, self.account, self.empty, self.origin = text, account, empty, origin

    @cached_property
    def data(self) -> set[str]:
        """Return what holds data."""
        return data_of(self.account)

    @cached_property
    def mounted(self) -> dict[str, str]:
        """Return which file systems are mounted where."""
        return mounted(self.account, self.text)

    @cached_property
    def whole(self) -> Counter[str]:
        """Return all that is there."""
        return whole_account(self.account)


class DeployedSpecs:
    """The accounts in which the specs of edits are deployed: that of several edits, and the one of a way back."""

    def __init__(self) -> None:
        """Begin with none."""
        self._accounts: dict[str, tuple[DeployedSpec, ExitStack]] = {}

    def close(self) -> None:
        """Let the accounts go."""
        while self._accounts:
            self._let_go(next(iter(self._accounts)))

    def before(self, edit: Edit, every: Iterable[Edit]) -> DeployedSpec:
        """Return where the spec is deployed that an edit begins with, with whatever edits of it name as existing.

        It is what the edit before this one has led to, or is deployed anew; then a copy of it is destroyed.
        """
        text = edit.before
        if text in self._accounts:
            self._accounts[text] = self._accounts.pop(text)  # the latest that was asked for
            return self._accounts[text][0]
        with ExitStack() as opened:
            account = opened.enter_context(account_for(text, *(other.after for other in every if other.before == text)))
            empty = things_of(account)
            done = deployed(account, text)
            assert done.ok, f"not deployed: {refusals(done)}"
            with copied(account) as copy:
                destroy(copy, text, empty)
            return self.keep(DeployedSpec(text, account, empty), opened)

    def keep(self, spec: DeployedSpec, opened: ExitStack) -> DeployedSpec:
        """Keep an account in which a spec is deployed, unless there is one already."""
        if spec.text not in self._accounts:
            while len(self._accounts) > 1:
                self._let_go(next(iter(self._accounts)))
            self._accounts[spec.text] = (spec, opened.pop_all())
        return spec

    def _let_go(self, text: str) -> None:
        """Let an account end, and before it its copies, which end with it."""
        for copy in [other.text for other, _ in self._accounts.values() if other.origin == text]:
            self._let_go(copy)
        _, opened = self._accounts.pop(text)
        opened.close()


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
        system.mount: outputs[file_system_key(kinds.get(system.kind, system.kind), system.number)]
        for system in systems
        if file_system_key(kinds.get(system.kind, system.kind), system.number) in outputs
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


def check(edit: Edit, specs: DeployedSpecs, every: Iterable[Edit]) -> None:
    """Make an edit. A refusal leaves the account as it was, of which a copy has been destroyed already."""
    before = specs.before(edit, every)
    with ExitStack() as opened:
        account = opened.enter_context(copied(before.account))
        done = deployed(account, edit.after)
        if not done.ok:
            assert whole_account(account) == before.whole, f"touched before it was refused: {refusals(done)}"
            if not (names := frozenset(NAMED.findall(refusals(done)))):
                return
            done = deployed(account, edit.after, Options(give_up=names))
            assert done.ok, f"refused although its data was given up: {refusals(done)}"
        else:
            names = frozenset()
        after = DeployedSpec(edit.after, account, before.empty, before.text)
        gone = before.data - after.data
        assert len(gone) <= len(names), f"went without consent: {gone}"
        now = after.mounted
        moved = {mount for mount in now.keys() & before.mounted.keys() if now[mount] != before.mounted[mount]}
        assert len(moved) <= len(names), f"mounted from elsewhere without consent: {moved}"
        with copied(account) as copy:
            destroy(copy, edit.after, before.empty)
        specs.keep(after, opened)


def check_all(chosen: Iterable[Edit], every: Iterable[Edit], specs: DeployedSpecs) -> None:
    """Try all edits, and name each that fails."""
    failed = []
    for edit in chosen:
        try:
            check(edit, specs, every)
        except Exception as error:  # noqa: BLE001 - whatever it is, the others are tried
            failed.append(f"{edit.name}: {type(error).__name__}: {error}")
    if failed:
        pytest.fail("\n".join(failed), pytrace=False)


@pytest.fixture(scope="module")
def specs() -> Iterator[DeployedSpecs]:
    deployed_specs = DeployedSpecs()
    yield deployed_specs
    deployed_specs.close()


@pytest.mark.exhaustive
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
def test_some_edits(platform: str, names: tuple[str, ...], specs: DeployedSpecs):
    chosen = [edit for edit in edits(platform) if edit.name in names]
    assert len(chosen) == len(names)
    check_all(chosen, chosen, specs)


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("platform", "number"), [(platform, number) for platform in PLATFORMS for number in range(PARTS[platform])]
)
def test_every_edit(platform: str, number: int, specs: DeployedSpecs):
    chosen = [edit for edit in part(platform, number, PARTS[platform]) if not edit.name.endswith(NO_BEGINNING)]
    check_all(chosen, edits(platform), specs)
