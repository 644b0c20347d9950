"""A cluster of EKS is made by eksctl and filled by kubectl, and gone on with wherever a call has ended."""

from __future__ import annotations

import pytest
import yaml

from tests.platforms.eks.deployment.cluster import ADMIN, NAME, OWN, failure, queue, spec_text, statuses
from trainyard.deploy.work import Options
from trainyard.edge.eksctl import EksctlRefusedError
from trainyard.platforms.eks.deployment.stacks import why_it_failed

DONE = dict.fromkeys(OWN, "done") | dict.fromkeys(("changes", "node-groups", "ready"), "unchanged")


def test_a_cluster_is_made_in_one_go(deploying):
    results = deploying.deploy()
    assert statuses(results) == DONE
    assert deploying.groups() == {"system": (1, 1, 1), "training": (0, 2, 4)}
    parts = ("addon-vpc-cni-podidentityrole-aws-node", "cluster", "nodegroup-system", "nodegroup-training")
    assert deploying.stacks() == [f"eksctl-{NAME}-{part}" for part in parts]
    details = {result.name: result.detail for result in results}
    assert details["changes"] == "no cluster yet"
    assert details["add-ons"] == "tag and retention of the log group"
    assert details["ready"] == "3 nodes are Ready: 1 of system, 2 of training"


def test_everything_that_the_programs_are_told(deploying, programs):
    deploying.kubectl_itself = True
    deploying.deploy()
    eksctl = programs.said("eksctl")
    dry_run, create = eksctl
    assert dry_run == "eksctl create cluster --dry-run --config-file=FILE --color=false"
    assert create == (
        "eksctl create cluster --write-kubeconfig=false --install-nvidia-plugin=false "
        "--install-neuron-plugin=false --timeout=60m --config-file=FILE --color=false"
    )
    applied = [one for one in programs.said("kubectl") if " apply " in one]
    assert set(applied) == {
        "kubectl --request-timeout=60s apply --server-side --field-manager=trainyard --force-conflicts --filename=-"
    }
    asked = {one for one in programs.said("kubectl") if one not in applied}
    assert asked == {
        f"kubectl --request-timeout=60s get --all-namespaces --output=json -- {kind}"
        for kind in ("nodes", "daemonsets", "deployments")
    }


def test_manifests_are_applied_in_the_order_of_their_files_and_examples_are_not(deploying, programs):
    deploying.deploy()
    applied = [event.text.removeprefix("applies ") for event in deploying.events if event.text.startswith("applies ")]
    assert applied == sorted(applied)
    assert "nvidia-device-plugin.yaml" in applied
    assert not [one for one in programs.api.applied if one["kind"] == "PyTorchJob"]


def test_the_configuration_is_complete_and_remembered(deploying, programs):
    deploying.deploy()
    given = programs.eksctl.configs[-1]
    assert given["vpc"]["id"] == deploying.work().outputs["VpcId"]
    assert given["metadata"]["tags"]["trainyard:cluster"] == NAME
    assert yaml.safe_load(deploying.former()) == given


def test_the_context_is_the_last_thing_and_the_current_one_stays(deploying):
    deploying.kubeconfig.write_text("apiVersion: v1\nkind: Config\ncurrent-context: mine # keep\nclusters: []\n")
    deploying.deploy()
    written = yaml.safe_load(deploying.kubeconfig.read_text())
    assert written["current-context"] == "mine"
    assert written["contexts"][0]["name"] == f"arn:aws:eks:us-east-2:{deploying.account.id}:cluster/{NAME}"
    assert "# keep" in deploying.kubeconfig.read_text()


def test_a_second_deployment_changes_nothing_but_applies_the_manifests(deploying, programs):
    deploying.deploy()
    programs.calls.clear()
    results = deploying.deploy()
    assert statuses(results) == dict.fromkeys(OWN, "unchanged") | {"manifests": "done"}
    assert programs.said("eksctl") == []


def parts_of_a_deployment() -> int:
    return 6  # the cluster, access, the role of an add-on, two node groups, and that it is ready


@pytest.mark.parametrize(
    "made",
    [
        # Before anything is made, between two node groups, and at the end: the others are alike.
        pytest.param(made, marks=() if made in (0, 4, parts_of_a_deployment()) else pytest.mark.exhaustive)
        for made in range(parts_of_a_deployment() + 1)
    ],
)
def test_a_killed_eksctl_is_gone_on_with_from_every_point(deploying, programs, made):
    text = spec_text(admins=ADMIN)
    programs.eksctl.dies_after = made
    first = deploying.deploy(text)
    # Where it has made all but not said so, nothing is left to do.
    assert (first[-1].status == "failed") == (made < parts_of_a_deployment() - 1)
    programs.eksctl.dies_after = None
    again = deploying.deploy(text)
    assert statuses(again)["kubeconfig"] in ("done", "unchanged")
    assert deploying.groups() == {"system": (1, 1, 1), "training": (0, 2, 4)}
    assert deploying.administrators() == [ADMIN]
    assert set(programs.eksctl.clusters[NAME].addons) >= {"vpc-cni", "coredns", "kube-proxy"}


def test_a_stack_without_its_control_plane_has_to_be_destroyed_first(deploying):
    deploying.make_stack_alone()
    assert "is gone, and its stack" in failure(deploying.deploy())
    deploying.destroy()
    assert statuses(deploying.deploy())["kubeconfig"] == "done"


def test_a_node_group_that_cannot_be_made_says_why_and_the_rest_stays(deploying, programs):
    programs.eksctl.fails_at = ("nodegroup-training", "no capacity for g5.xlarge in us-east-2a")
    said = failure(deploying.deploy())
    assert "no capacity for g5.xlarge in us-east-2a" in said
    assert "goes on where this one stopped" in said
    assert list(deploying.groups()) == ["system"]


def test_the_reason_of_a_failed_stack_is_told_once(deploying, programs, fail_stack):
    deploying.deploy()
    stack = f"eksctl-{NAME}-nodegroup-training"
    fail_stack(stack, "ROLLBACK_COMPLETE")
    refused = EksctlRefusedError(f'eksctl create nodegroup failed: waits for "{stack}": why', where="eksctl", hint="")
    told = why_it_failed(deploying.work(), refused)
    assert told.problem == f"eksctl create nodegroup failed: stack {stack} is ROLLBACK_COMPLETE"
    other = EksctlRefusedError("eksctl create nodegroup failed: AccessDenied", where="eksctl", hint="")
    assert "AccessDenied; stack" in why_it_failed(deploying.work(), other).problem


def test_a_failed_node_group_is_deleted_and_made_again(deploying, fail_stack):
    deploying.deploy()
    fail_stack(f"eksctl-{NAME}-nodegroup-training", "ROLLBACK_COMPLETE")
    assert "made training" in {one.name: one.detail for one in deploying.deploy()}["node-groups"]
    assert "training" in deploying.groups()


def test_a_failed_cluster_is_made_again_only_when_that_is_said(deploying, fail_stack):
    deploying.make_stack_alone()
    fail_stack(f"eksctl-{NAME}-cluster", "ROLLBACK_COMPLETE")
    assert "--recreate" in failure(deploying.deploy())
    assert statuses(deploying.deploy(options=Options(recreate=True)))["kubeconfig"] == "done"


def test_nodes_that_never_come_are_named_by_their_group(deploying, programs):
    programs.eksctl.nodes_join = False
    said = failure(deploying.deploy())
    assert "0 nodes are Ready: 0 of 1 of system, 0 of 2 of training" in said
    assert "trainyard diagnose llm" in said


def test_workloads_that_never_run_are_named_with_the_reasons_of_their_pods(deploying, programs):
    programs.api.unready = {"nvidia-device-plugin-daemonset"}
    programs.api.add(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "nvidia-device-plugin-daemonset-abcde", "namespace": "kube-system"},
            "status": {
                "containerStatuses": [
                    {"state": {"waiting": {"reason": "ImagePullBackOff", "message": f"{'x' * 400}: denied"}}}
                ]
            },
        }
    )
    said = failure(deploying.deploy())
    assert "kube-system/nvidia-device-plugin-daemonset (0 of " in said
    assert 'ImagePullBackOff: "xxx' in said
    assert "x: denied" in said


def test_an_api_server_out_of_reach_is_one_clear_error(deploying, programs):
    programs.api.refuses = "Unable to connect to the server: dial tcp 203.0.113.9:443: i/o timeout"
    said = failure(deploying.deploy())
    assert f"the Kubernetes API of {NAME} cannot be reached" in said
    assert "access.allow_from" in said


@pytest.mark.parametrize("program", ["eksctl", "kubectl"])
def test_a_missing_program_is_one_clear_error(deploying, programs, program):
    deploying.kubectl_itself = True
    programs.remove(program)
    assert f"there is no program {program} here" in failure(deploying.deploy())


def test_a_cluster_of_somebody_else_is_left_alone(deploying, programs):
    deploying.deploy()
    deploying.disown()
    programs.calls.clear()
    assert "was not made for llm" in failure(deploying.deploy())
    assert programs.said() == []


def test_a_stack_of_somebody_else_is_left_alone(deploying, programs):
    topic = '{"Resources": {"Made": {"Type": "AWS::SNS::Topic"}}}'
    deploying.account.client("cloudformation").create_stack(StackName=f"eksctl-{NAME}-cluster", TemplateBody=topic)
    assert "was not made for llm" in failure(deploying.deploy())
    assert programs.said() == []


def test_a_queue_of_several_kinds_is_several_node_groups(deploying):
    kinds = "[{name: a, instance_type: g5.xlarge, nodes: 1}, {name: b, instance_type: c5.2xlarge, nodes: 1}]"
    deploying.deploy(spec_text(f"{{name: training, compute_resources: {kinds}}}", queue("other", "1")))
    assert set(deploying.groups()) == {"system", "training-a", "training-b", "other"}
