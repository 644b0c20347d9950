"""A cluster that exists whose spec was edited: what is refused, what is planned, and whose jobs it would end."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, cast, get_args

import pytest

from tests.each_case import each_case
from tests.edge.aws.in_memory import IMAGE
from tests.specs import spec_of
from trainyard.deploy.cluster_update import ClusterUpdate, RunningJobs
from trainyard.deploy.work import Options, Work
from trainyard.edge.aws.account import Account
from trainyard.edge.pcluster_answers import ClassifiedChange, FleetState, ValidationMessage, Verdict
from trainyard.edge.pcluster_command import Pcluster
from trainyard.errors import TrainyardError
from trainyard.platforms.parallelcluster.deployment import changes
from trainyard.platforms.parallelcluster.deployment.classification import cluster_update, config_for
from trainyard.platforms.parallelcluster.deployment.running_jobs import refuse_running_jobs
from trainyard.render.rendering import render

QUEUES = "queues: [{name: q, instance_type: m5.large, nodes: {min: 0, max: 4}}, {name: r, instance_type: m5.large}]\n"
NETWORK = (
    "network: {existing: {vpc: vpc-0123456789abcdef0, private_subnets: [subnet-0123456789abcdef0], "
    "public_subnets: [subnet-0123456789abcdef1]}}\n"
)
SPEC = f"{NETWORK}{QUEUES}"
ALL: tuple[FleetState, ...] = get_args(FleetState)
IN_QUEUE = ("Scheduling", "SlurmQueues[q]", "ComputeResources[m5-large]")


def change(*path: str, when: FleetState | None = "live", current: Any = 1, requested: Any = 2) -> ClassifiedChange:
    """Return a change that is allowed in a state and in all that disturb more."""
    needs_logins = (when or "").endswith("-logins")
    after = ALL[ALL.index(when) :] if when else ()
    allowed = tuple(state for state in after if state.endswith("-logins") or not needs_logins)
    return ClassifiedChange(path, current, requested, "POLICY", "" if when == "live" else "it runs", allowed)


def planned(*changes: ClassifiedChange, more: str = "") -> ClusterUpdate:
    spec = spec_of(SPEC + more)
    return cluster_update(spec, render(spec, {}).documents["cluster.yaml"], changes)


SIZE = change(*IN_QUEUE, "MaxCount")
EFA = change(*IN_QUEUE, "Efa", "Enabled", when="drain")
SHRUNK = change(*IN_QUEUE, "MaxCount", when="terminate", current=4, requested=2)
IDLE = change("Scheduling", "SlurmSettings", "ScaledownIdletime", when="stop")
LOGIN = change("LoginNodes", "Pools[login]", "InstanceType", when="live-logins")
DIRECTORY = change("DirectoryService", "DomainAddr", when="stop-logins")
HEAD = change("HeadNode", "InstanceType", when=None)
STRATEGY = "parallelcluster: {{slurm: {{queue_update_strategy: {}}}}}\n"


@each_case(
    ("changed", "more", "need", "queues"),
    [
        ((SIZE,), "", "live", []),
        ((SIZE, EFA), "", "drain", ["q"]),
        ((EFA, SHRUNK), "", "terminate", ["q"]),
        ((EFA, SHRUNK, IDLE), "", "stop", ["q", "r"]),
        ((SIZE, HEAD), "", "refused", ["q", "r"]),
        ((EFA,), STRATEGY.format("COMPUTE_FLEET_STOP"), "stop", ["q", "r"]),
        ((EFA,), STRATEGY.format("TERMINATE"), "terminate", ["q"]),
    ],
    ["live", "drain", "terminate", "stop", "never", "stopped by choice", "terminated by choice"],
)
def test_an_update_needs_what_its_most_disturbing_change_needs(
    changed: tuple[ClassifiedChange, ...], more: str, need: str, queues: list[str]
):
    update = planned(*changed, more=more)
    assert (update.need, list(update.queues)) == (need, queues)


@each_case(
    ("changed", "need"),
    [
        ((SIZE,), "live"),
        ((LOGIN,), "live"),
        ((LOGIN, SHRUNK), "terminate"),
        ((LOGIN, IDLE), "stop"),
        ((DIRECTORY,), "stop"),
    ],
)
def test_login_nodes_are_stopped_beside_what_else_an_update_needs(changed: tuple[ClassifiedChange, ...], need: str):
    update = planned(*changed)
    assert (update.need, update.stops_logins) == (need, changed != (SIZE,))
    assert any("login nodes are stopped" in line for line in update.lines()) == update.stops_logins


OLD = {"Name": "old", "ComputeResources": []}


@each_case(
    ("changed", "path", "kind"),
    [
        (SIZE, "queues[0].nodes.max", "change"),
        (change("Scheduling", "SlurmQueues[r]", "CapacityType"), "queues[1].capacity", "change"),
        (change("Scheduling", "SlurmQueues", current=OLD, requested=None), "queues", "remove"),
        (change("Scheduling", "SlurmQueues", current=None, requested=OLD), "queues", "add"),
        (LOGIN, "login_nodes.instance_type", "change"),
        (HEAD, "head_node.instance_type", "change"),
    ],
)
def test_changes_are_told_at_their_place_in_the_spec(changed: ClassifiedChange, path: str, kind: str):
    (told,) = planned(changed, more="login_nodes: {count: 1}\n").changes
    assert (told.path, told.kind) == (path, kind)


def test_an_id_that_a_stack_has_still_to_give_is_told_in_words():
    policy = "arn:aws:iam::000000000000:policy/amp-remote-write-00000000000000001"
    place = ("HeadNode", "Iam", f"AdditionalIamPolicies[{policy}]")
    (line,) = map(str, planned(change(*place, current=None, requested={"Policy": policy})).changes)
    assert "000000" not in line
    assert "(policy that lets metrics be sent to Amazon Managed Prometheus, which stack monitoring will make)" in line


def test_the_strategy_is_what_the_update_needs():
    document = render(spec_of(SPEC), {}).documents["cluster.yaml"]
    strategies = [
        config_for(document, need)["Scheduling"]["SlurmSettings"]["QueueUpdateStrategy"]
        for need in ("live", "drain", "terminate", "stop")
    ]
    assert strategies == ["DRAIN", "DRAIN", "TERMINATE", "DRAIN"]


def test_lines_count_the_changes_and_say_what_each_of_them_means():
    new = {"Name": "new", "ComputeResources": []}
    update = planned(SHRUNK, change("Scheduling", "SlurmQueues", current=None, requested=new))
    lines = list(replace(update, running=RunningJobs(("job 7 of ml",))).lines())
    assert lines == [
        "cluster: 1 to add, 1 to change, 0 to remove",
        f"queues[0].nodes.max ({'.'.join(SHRUNK.path)}): 4 -> 2; nodes of the queue end, with their jobs",
        "queues (Scheduling.SlurmQueues): new: new; at once",
        "nodes of q: nodes of the queue end, with their jobs",
        "jobs that would be ended: job 7 of ml",
    ]
    assert update.as_json()["running_jobs"] == []


def test_jobs_end_only_with_consent(work: Work):
    update = planned(SHRUNK)
    refuse_running_jobs(work, update)
    for running, words in [(RunningJobs(("job 7 of ml",)), "job 7 of ml"), (RunningJobs(unknown="silence"), "silence")]:
        busy = replace(update, running=running)
        with pytest.raises(TrainyardError, match=words) as refused:
            refuse_running_jobs(work, busy)
        assert "--end-jobs" in str(refused.value.hint)
        refuse_running_jobs(replace(work, options=Options(end_jobs=True)), busy)


def plant_stack(account: Account, name: str, template: dict[str, Any], **tags: str) -> None:
    listed = [{"Key": key, "Value": value} for key, value in {"trainyard:cluster": "llm", **tags}.items()]
    account.client("cloudformation").create_stack(StackName=name, TemplateBody=json.dumps(template), Tags=listed)


class Existing:
    """ParallelCluster, with a cluster that differs so from what is asked for."""

    def __init__(self, *classified: ClassifiedChange, verdict: Verdict | None = None) -> None:
        """Take what differs, and what validators say."""
        self.classified = classified
        self.verdict = verdict or Verdict(accepted=True, problem="")
        self.validated: list[str] = []

    def classify(self, _name: str, _text: str) -> tuple[ClassifiedChange, ...]:
        """Say what an update would change, as ParallelCluster does."""
        return self.classified

    def dry_run(self, _name: str, text: str, *, update: bool) -> Verdict:
        """Say what validators say."""
        assert update
        self.validated.append(text)
        return self.verdict


def looked_at(account: Account, existing: Existing, spec: str = SPEC, **tags: str) -> Work:
    plant_stack(account, "llm", {"Resources": {"Topic": {"Type": "AWS::SNS::Topic"}}}, **tags)
    work = Work(account, "llm", spec_of(spec), "mine", parallelcluster=lambda _: cast("Pcluster", existing))
    changes.Changes().apply(work)
    return work


def launch_node(account: Account, queue: str) -> None:
    given = {"cluster-name": "llm", "node-type": "Compute", "queue-name": queue, "compute-resource-name": "m5-large"}
    listed = [{"Key": f"parallelcluster:{key}", "Value": value} for key, value in given.items()]
    account.client("ec2").run_instances(
        ImageId=IMAGE, MinCount=1, MaxCount=1, TagSpecifications=[{"ResourceType": "instance", "Tags": listed}]
    )


def test_a_cluster_that_is_as_the_spec_says_is_not_even_validated(account: Account):
    existing = Existing()
    work = looked_at(account, existing)
    assert (work.cluster_update, existing.validated) == (None, [])


def test_a_change_is_validated_and_left_for_the_step_of_the_cluster(account: Account):
    existing = Existing(SIZE)
    update = looked_at(account, existing).cluster_update
    assert update is not None
    assert (update.need, len(existing.validated)) == ("live", 1)


def test_what_parallelcluster_never_changes_is_refused_with_its_place_and_reason(account: Account):
    with pytest.raises(TrainyardError, match=r"head_node\.instance_type: it runs") as refused:
        looked_at(account, Existing(SIZE, HEAD))
    assert refused.value.where == "head_node.instance_type"
    assert "another name" in str(refused.value.hint)


def test_what_validators_refuse_is_refused_before_anything_is_touched(account: Account):
    error = ValidationMessage("ERROR", "AmiOsCompatibleValidator", "this image is another system")
    with pytest.raises(TrainyardError, match="this image is another system"):
        looked_at(account, Existing(SIZE, verdict=Verdict(accepted=False, problem="Invalid", messages=(error,))))


def stored(name: str, kind: str, **settings: str) -> dict[str, Any]:
    return {"Name": name, "MountDir": f"/{name}", "StorageType": kind, f"{kind}Settings": settings}


def test_data_goes_only_by_its_name(account: Account):
    gone = [
        change("SharedStorage", current=stored("apps", "Ebs", DeletionPolicy="Snapshot"), requested=None),
        change("SharedStorage", current=stored("kept", "Efs", DeletionPolicy="Retain"), requested=None),
        change("SharedStorage", current=stored("lent", "Ebs", VolumeId="vol-0123456789abcdef0"), requested=None),
        change(
            "SharedStorage", current=stored("fsx", "FsxLustre", FileSystemId="fs-0123456789abcdef0"), requested=None
        ),
    ]
    with pytest.raises(TrainyardError, match="deleted, and a snapshot of it stays: apps of stack") as refused:
        looked_at(account, Existing(*gone))
    assert "--give-up apps --give-up kept;" in str(refused.value.hint)
    work = Work(
        account, "llm", spec_of(SPEC), "mine", options=Options(give_up=frozenset({"apps", "kept"})),
        parallelcluster=lambda _: cast("Pcluster", Existing(*gone)),
    )  # fmt: skip
    changes.Changes().apply(work)
    assert work.cluster_update is not None
    assert [loss.fate for loss in work.cluster_update.losses] == ["deleted", "left behind"]


def test_another_version_is_a_second_cluster(account: Account):
    with pytest.raises(TrainyardError, match=r"made by ParallelCluster 3\.14\.2"):
        looked_at(account, Existing(), **{"parallelcluster:version": "3.14.2"})


def test_nodes_of_other_queues_need_nobodys_consent(account: Account):
    launch_node(account, "r")
    update = looked_at(account, Existing(SHRUNK)).cluster_update
    assert update is not None
    assert update.running == RunningJobs()


def test_nodes_whose_jobs_nobody_knows_do_not_end_without_consent(account: Account):
    launch_node(account, "q")
    with pytest.raises(TrainyardError, match="nobody can say which: the head node does not run"):
        looked_at(account, Existing(SHRUNK))


def test_minimums_alone_are_raised_by_the_step_that_starts_nodes(account: Account):
    work = looked_at(account, Existing(change(*IN_QUEUE, "MinCount", when="terminate")))
    assert (work.nodes_to_start, work.cluster_update is None) == (True, False)


def test_what_no_stack_has_made_yet_is_classified_and_not_validated(account: Account):
    added = "file_systems: [{mount: /fsx, lustre: {size_gib: 1200, throughput_mb_s_per_tib: 125}}]\n"
    existing = Existing(change("SharedStorage", current=None, requested={"Name": "fsx"}))
    work = looked_at(account, existing, SPEC + added)
    assert work.cluster_update is not None
    assert existing.validated == []
