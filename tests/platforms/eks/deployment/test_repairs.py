"""Whatever of a cluster is not as its cluster.yaml says is put right, and named where that does not help."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.platforms.eks.deployment.cluster import ADMIN, BUCKET, NAME, Deploying, failure, queue, spec_text, statuses
from trainyard.deploy.deployment import steps_to_deploy
from trainyard.deploy.record import read_record, write_record
from trainyard.deploy.work import Options
from trainyard.edge.aws.eks import find_cluster, node_groups
from trainyard.edge.aws.stacks import all_stacks
from trainyard.edge.eksctl import EksctlRefusedError
from trainyard.errors import TrainyardError
from trainyard.platforms.eks.deployment.comparison import Difference
from trainyard.platforms.eks.deployment.drift import drift
from trainyard.platforms.eks.deployment.repair import repair_differences

PROVIDER = Difference("identity provider", NAME, "IAM has no OIDC provider of the cluster")


@pytest.fixture
def cluster(deploying: Deploying) -> Deploying:
    deploying.deploy(spec_text(admins=ADMIN))
    return deploying


def provider_gone(cluster: Deploying) -> None:
    iam = cluster.account.client("iam")
    for provider in iam.list_open_id_connect_providers()["OpenIDConnectProviderList"]:
        iam.delete_open_id_connect_provider(OpenIDConnectProviderArn=provider["Arn"])


def addon_gone_and_its_role_left(cluster: Deploying) -> None:
    cluster.account.client("eks").delete_addon(clusterName=NAME, addonName="vpc-cni")


def addon_not_made(cluster: Deploying) -> None:
    cluster.programs.eksctl.clusters[NAME].addons["vpc-cni"]["status"] = "CREATE_FAILED"
    cluster.programs.eksctl.clusters[NAME].pod_identities.clear()


def addon_without_role(cluster: Deploying) -> None:
    cluster.programs.eksctl.clusters[NAME].addons["vpc-cni"]["podIdentityAssociations"] = []
    cluster.programs.eksctl.clusters[NAME].pod_identities.clear()


def node_group_gone_and_its_stack_left(cluster: Deploying) -> None:
    cluster.account.client("eks").delete_nodegroup(clusterName=NAME, nodegroupName="training")


def logs_for_ever(cluster: Deploying) -> None:
    cluster.account.client("logs").delete_retention_policy(logGroupName=f"/aws/eks/{NAME}/cluster")


@pytest.mark.parametrize(
    ("breaks", "step", "said", "differs"),
    [
        (provider_gone, "add-ons", "OIDC provider", "IAM has no OIDC provider of the cluster"),
        (addon_gone_and_its_role_left, "add-ons", "add-ons vpc-cni", "add-on vpc-cni is missing"),
        (addon_not_made, "add-ons", "add-ons vpc-cni", "add-on vpc-cni is missing"),
        (addon_without_role, "add-ons", "roles of add-ons vpc-cni", "add-on vpc-cni has no role"),
        (logs_for_ever, "add-ons", "tag and retention of the log group", "keeps logs for another time"),
        (node_group_gone_and_its_stack_left, "node-groups", "made training", "node group training is missing"),
    ],
)
def test_what_is_missing_is_made_and_then_nothing_is(
    cluster: Deploying, breaks: Callable[[Deploying], None], step: str, said: str, differs: str
):
    text = spec_text(admins=ADMIN)
    assert (planned(cluster, text, step), status_differences(cluster)) == ("", [])
    breaks(cluster)
    assert differs in planned(cluster, text, step)
    (told,) = status_differences(cluster)
    assert differs in told
    details = {result.name: result.detail for result in cluster.deploy(text)}
    assert details[step] == said
    assert statuses(cluster.deploy(text))[step] == "unchanged"


def scaled(cluster: Deploying) -> None:
    sizes = {"minSize": 0, "desiredSize": 3, "maxSize": 4}
    cluster.account.client("eks").update_nodegroup_config(
        clusterName=NAME, nodegroupName="training", scalingConfig=sizes
    )


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        (scaled, "node group training has 0 to 4 nodes, 3 desired"),
        (addon_gone_and_its_role_left, "add-on vpc-cni is missing"),
    ],
)
def test_what_somebody_has_changed_is_taken_back_only_by_consent(
    cluster: Deploying, changes: Callable[[Deploying], None], what: str
):
    text = spec_text(admins=ADMIN)
    record_deployed(cluster)
    changes(cluster)
    before = cluster.groups()
    said = failure(cluster.deploy(text, keep_record=True))
    assert f"would take that back: {what} |" in said
    assert "--overwrite-changes" in said
    assert (cluster.groups(), status_differences(cluster)) == (before, [what])
    consented = cluster.deploy(text, Options(overwrite_changes=True), keep_record=True)
    assert (consented[-1].error, status_differences(cluster)) == (None, [])
    assert f"changed by somebody else, and taken back: {what}" in cluster.told()


def test_what_somebody_has_changed_and_the_spec_says_too_is_no_reason_to_refuse(cluster: Deploying):
    record_deployed(cluster)
    scaled(cluster)
    logs_for_ever(cluster)  # as the log group is that EKS makes by itself
    said = cluster.deploy(spec_text(queue(nodes="{min: 0, max: 4, desired: 3}"), admins=ADMIN), keep_record=True)
    assert {result.name: result.error for result in said}["changes"] is None


def record_deployed(cluster: Deploying) -> None:
    """Let the record say that the last deployment is over."""
    record = read_record(cluster.account, BUCKET, NAME)
    assert record is not None
    write_record(cluster.account, BUCKET, record._replace(stage="deployed"))


def planned(cluster: Deploying, text: str, name: str) -> str:
    """Return what a plan says of a step that is to put something right."""
    work = cluster.work(text)
    (step,) = [step for step in steps_to_deploy(work.required_spec()) if step.name == name]
    _, found, rest = step.probe(work).detail.partition("will be put right: ")
    return found + rest


def status_differences(cluster: Deploying) -> list[str]:
    """Return what status says of it."""
    record, eks_cluster = read_record(cluster.account, BUCKET, NAME), find_cluster(cluster.account, NAME)
    assert record is not None
    assert eks_cluster is not None
    groups, stacks = node_groups(cluster.account, NAME), tuple(all_stacks(cluster.account))
    deployed = record._replace(stage="deployed")
    under_way = record._replace(stage="deploying")
    assert drift(cluster.account, under_way, eks_cluster, groups, stacks) == ()
    return [difference.text for difference in drift(cluster.account, deployed, eks_cluster, groups, stacks)]


def test_who_is_taken_out_of_the_spec_administers_the_cluster_no_more(cluster: Deploying):
    details = {result.name: result.detail for result in cluster.deploy()}
    assert details["changes"] == f"administrators, without {ADMIN}"
    assert details["add-ons"] == "1 former administrator removed"
    assert cluster.administrators() == []
    assert not [stack for stack in cluster.stacks() if "accessentry" in stack]


def test_access_that_somebody_else_has_given_stays(cluster: Deploying):
    arn = "arn:aws:iam::123456789012:role/somebody-elses-admins"
    cluster.account.client("eks").create_access_entry(clusterName=NAME, principalArn=arn)
    cluster.deploy()
    assert cluster.administrators() == [arn]


def test_what_eksctl_refuses_is_asked_for_again_and_then_told(cluster: Deploying):
    cluster.account.client("eks").delete_addon(clusterName=NAME, addonName="vpc-cni")
    cluster.programs.eksctl.fails_at = ("addon-vpc-cni", "AccessDenied: not authorized")
    said = failure(cluster.deploy(spec_text(admins=ADMIN)))
    assert "AccessDenied: not authorized" in said
    assert cluster.programs.said("eksctl").count("eksctl create addon --config-file=FILE --color=false") == 3


def test_what_one_refusal_leaves_is_made_by_the_next_attempt(deploying: Deploying):
    found = [PROVIDER]
    attempts: list[int] = []

    def repair(_: object) -> str:
        attempts.append(len(attempts))
        if len(attempts) == 1:
            raise EksctlRefusedError("eksctl utils failed: EntityAlreadyExists", where="eksctl", hint="again")
        found.clear()
        return "OIDC provider"

    assert repair_differences(deploying.work(), lambda: list(found), {"identity provider": repair}) == ["OIDC provider"]
    assert len(attempts) == 2


def test_what_stays_different_is_named(deploying: Deploying):
    with pytest.raises(TrainyardError) as raised:
        repair_differences(deploying.work(), lambda: [PROVIDER], {"identity provider": lambda _: "OIDC provider"})
    assert raised.value.problem == (
        "cluster llm is not as its cluster.yaml says: IAM has no OIDC provider of the cluster"
    )
