"""Deployments of a cluster of EKS, from the control plane on: the stacks beside it are as if they were there."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.kubernetes.programs import FakePrograms
from tests.kubernetes.scripted_kubectl import ScriptedKubectl
from trainyard.deploy.deployment import steps_to_deploy
from trainyard.deploy.engine import StepResult, apply_all, undo_all
from trainyard.deploy.record import Deployment, read_record, write_record
from trainyard.deploy.work import Event, Options, Work
from trainyard.edge.aws.account import Account
from trainyard.platforms.eks.deployment.cluster import EksClusterStep
from trainyard.spec.parsing import parse

BUCKET, NAME = "ml-bucket", "llm"
OWN = ("changes", "cluster", "add-ons", "node-groups", "ready", "manifests", "kubeconfig")
"""The steps that only EKS has."""
ADMIN = "arn:aws:iam::123456789012:role/ml-admins"


def spec_text(*queues: str, version: str = "1.34", more: str = "", admins: str = "") -> str:
    listed = "\n".join(f"  - {one}" for one in queues or (queue(),))
    return f"""\
name: {NAME}
region: us-east-2
platform: eks
network: {{availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}}
queues:
{listed}
eks: {{kubernetes_version: "{version}", system_nodes: {{count: 1}}, administrators: [{admins}]}}
{more}"""


def queue(name: str = "training", nodes: str = "{min: 0, max: 4, desired: 2}", kind: str = "g5.xlarge") -> str:
    return f"{{name: {name}, instance_type: {kind}, nodes: {nodes}}}"


@dataclass
class Deploying:
    """Deploys and destroys, again and again."""

    programs: FakePrograms
    kubeconfig: Path
    events: list[Event] = field(default_factory=list)
    kubectl_itself: bool = False
    """Whether kubectl is run as a program, which takes its time, in place of one in this process."""

    @property
    def account(self) -> Account:
        return self.programs.eksctl.account

    def work(self, text: str | None = None, options: Options | None = None) -> Work:
        spec = parse(text or spec_text(), "cluster.yaml").spec
        given = options or Options()
        chosen = replace(given, kubeconfig=self.kubeconfig)
        made = Work(self.account, NAME, spec, BUCKET, self.events.append, chosen)
        made.outputs.update(_outputs(self.account))
        if not self.kubectl_itself:
            made.kubectl = ScriptedKubectl(self.programs.api).of
        return made

    def deploy(
        self, text: str | None = None, options: Options | None = None, *, keep_record: bool = False
    ) -> list[StepResult]:
        """Do what belongs to EKS, up to what fails. With its record kept, that says what was deployed before."""
        work = self.work(text, options)
        if not keep_record:
            record = Deployment(NAME, "us-east-2", "deploying", "0", "", text or spec_text(), self.former(), "")
            write_record(self.account, BUCKET, record)
        return apply_all([step for step in steps_to_deploy(work.required_spec()) if step.name in OWN], work)

    def destroy(self, options: Options | None = None) -> tuple[StepResult, Work]:
        work = self.work(options=options)
        work.spec = None
        (result,) = undo_all([EksClusterStep()], work)
        return result, work

    def make_stack_alone(self) -> None:
        """Make a stack as eksctl calls that of the cluster, without a control plane."""
        self.account.client("cloudformation").create_stack(
            StackName=f"eksctl-{NAME}-cluster",
            TemplateBody='{"Resources": {"Made": {"Type": "AWS::SNS::Topic"}}}',
            Tags=[{"Key": "trainyard:cluster", "Value": NAME}],
        )

    def disown(self) -> None:
        """Let the cluster be somebody else's."""
        eks = self.account.client("eks")
        arn = eks.describe_cluster(name=NAME)["cluster"]["arn"]
        eks.untag_resource(resourceArn=arn, tagKeys=["trainyard:cluster"])

    def former(self) -> str | None:
        """Return the configuration that the record holds now."""
        found = read_record(self.account, BUCKET, NAME)
        return None if found is None else found.cluster_config

    def told(self) -> list[str]:
        return [event.text for event in self.events]

    def groups(self) -> dict[str, tuple[int, int, int]]:
        """Return the node groups that there are with their least, desired and most nodes."""
        eks = self.account.client("eks")
        found = {}
        for name in eks.list_nodegroups(clusterName=NAME)["nodegroups"]:
            sizes = eks.describe_nodegroup(clusterName=NAME, nodegroupName=name)["nodegroup"]["scalingConfig"]
            found[name] = (sizes["minSize"], sizes["desiredSize"], sizes["maxSize"])
        return found

    def administrators(self) -> list[str]:
        found = self.account.client("eks").list_access_entries(clusterName=NAME)["accessEntries"]
        return [one for one in found if one.endswith("-admins")]

    def stacks(self) -> list[str]:
        found = self.account.client("cloudformation").describe_stacks()["Stacks"]
        return sorted(one["StackName"] for one in found)


def _outputs(account: Account) -> dict[str, str]:
    """Return what the stack of the network would say, had it made the VPC that every account has."""
    ec2 = account.client("ec2")
    subnets = {subnet["AvailabilityZone"]: subnet for subnet in ec2.describe_subnets()["Subnets"]}
    (group,) = ec2.describe_security_groups(GroupNames=["default"])["SecurityGroups"]
    return {
        "VpcId": subnets["us-east-2a"]["VpcId"],
        "PrimaryPrivateSubnet": subnets["us-east-2a"]["SubnetId"],
        "ControlPlaneSubnet": subnets["us-east-2b"]["SubnetId"],
        "ComputeNodeSecurityGroup": group["GroupId"],
    }


def statuses(results: list[StepResult]) -> dict[str, str]:
    return {result.name: result.status for result in results}


def failure(results: list[StepResult]) -> str:
    """Return what the step that failed says."""
    error = results[-1].error
    assert error is not None, statuses(results)
    return f"{error.problem} | {error.hint}"
