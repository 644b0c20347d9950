"""Node groups, brought to cluster.yaml."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trainyard.deploy.step import Probe, StepOutcome
from trainyard.deploy.work import Work
from trainyard.edge.aws import eks
from trainyard.edge.aws.eks import NodeGroupState
from trainyard.edge.eksctl import Eksctl
from trainyard.errors import TrainyardError
from trainyard.platforms.eks.deployment.comparison import Difference, Part, node_group_differences, texts_of
from trainyard.platforms.eks.deployment.config import (
    config_so_far,
    desired_config,
    desired_sizes,
    node_groups_of,
    text_of,
)
from trainyard.platforms.eks.deployment.repair import Repair, repair_differences
from trainyard.platforms.eks.deployment.stacks import delete_own_stack, node_group_stack, own_stacks, settled_stacks
from trainyard.platforms.eks.rendering.names import SYSTEM

_POLL_S = 15.0
_POLLS = 480  # two hours, as for the control plane
_AT_WORK = {"CREATING", "UPDATING", "DELETING"}


class EksNodeGroups:
    """Brings the node groups to the configuration. Those that somebody else has added to the cluster are left alone."""

    name = "node-groups"
    title = "node groups"

    def probe(self, work: Work) -> Probe:
        """Say which there are, and how they differ from cluster.yaml."""
        groups = eks.node_groups(work.account, work.name)
        if not groups:
            return Probe("missing")
        found = node_group_differences(work, config_so_far(work), groups, tuple(own_stacks(work)))
        return Probe("there", "; ".join([", ".join(group.name for group in groups), *texts_of(found)]))

    def apply(self, work: Work) -> StepOutcome:
        """Do what is left, until the account is as cluster.yaml says."""
        repairs = NodeGroupRepairs(work, desired_config(work))
        done = repair_differences(work, repairs.differences, repairs.by_part())
        repairs.tell_of_former_versions()
        return StepOutcome(bool(done), ", ".join(done) or "as they are to be")

    def undo(self, work: Work) -> StepOutcome:
        """Do nothing: they go with the cluster."""
        del work
        return StepOutcome(changed=False)


@dataclass
class NodeGroupRepairs:
    """What is done by eksctl about each difference of node groups."""

    work: Work
    config: dict[str, Any]
    groups: tuple[NodeGroupState, ...] = ()
    """Those of the last comparison."""

    def differences(self) -> list[Difference]:
        """Compare, once AWS is done with what a killed call has begun."""
        stacks = settled_stacks(self.work)
        self.groups = _settled_groups(self.work)
        return list(node_group_differences(self.work, self.config, self.groups, stacks))

    def by_part(self) -> Mapping[Part, Repair]:
        """Return the repairs in their order: pods find room on new nodes before old ones go."""
        return {
            "missing node group": self._make,
            "former node group": self._delete,
            "size of node group": self._scale,
            "version of node group": self._upgrade,
        }

    def tell_of_former_versions(self) -> None:
        """Say which training nodes have a former version. They have jobs: when they go, somebody has to say.

        Nodes may be three minor versions older than the control plane:
        https://kubernetes.io/releases/version-skew-policy/
        """
        version = self.config["metadata"]["version"]
        place = f"--cluster {self.work.name} --region {self.work.account.region}"
        for group in self.groups:
            if group.version != version and group.name != SYSTEM and group.name in node_groups_of(self.config):
                self.work.tell(
                    f"nodes of {group.name} keep Kubernetes {group.version}; when no jobs run: "
                    f"eksctl upgrade nodegroup {place} --name {group.name} --kubernetes-version {version}"
                )

    def _make(self, found: Sequence[Difference]) -> str:
        """Make groups, after what is left of those that could not be made or were deleted without their stacks."""
        names = [difference.name for difference in found]
        stacks = {node_group_stack(self.work.name, name) for name in names}
        for stack in own_stacks(self.work):
            if stack.name in stacks:
                self.work.tell(f"deletes stack {stack.name}, which is {stack.status} and has no node group")
                delete_own_stack(self.work, stack.name)
        self._eksctl.create_node_groups(self._text, names, self.work.relay)
        return f"made {', '.join(names)}"

    def _delete(self, found: Sequence[Difference]) -> str:
        names = [difference.name for difference in found]
        for name in names:
            self._eksctl.delete_node_group(self._text, name, self.work.relay)
        return f"deleted {', '.join(names)}"

    def _scale(self, found: Sequence[Difference]) -> str:
        wanted = {
            group.name: desired_sizes(self.work.required_spec(), self.config, group)
            for group in self.groups
            if group.name in {difference.name for difference in found}
        }
        for name, sizes in wanted.items():
            self._eksctl.scale_node_group(self._text, name, sizes, self.work.relay)
        texts = (f"{name}: {size.least} to {size.most} nodes, {size.desired} desired" for name, size in wanted.items())
        return ", ".join(texts)

    def _upgrade(self, found: Sequence[Difference]) -> str:
        version = self.config["metadata"]["version"]
        for difference in found:
            self._eksctl.upgrade_node_group(self._text, difference.name, version, self.work.relay)
        return f"nodes of {', '.join(difference.name for difference in found)} with Kubernetes {version}"

    @property
    def _eksctl(self) -> Eksctl:
        return self.work.eksctl(self.work.account)

    @property
    def _text(self) -> str:
        return text_of(self.work, self.config)


def _settled_groups(work: Work) -> tuple[NodeGroupState, ...]:
    """Return the node groups once EKS is done with those that are ours: it changes their sizes in its own time."""
    for _ in range(_POLLS):
        groups = eks.node_groups(work.account, work.name)
        busy = [group for group in groups if work.owns(group.tags) and group.status in _AT_WORK]
        if not busy:
            return groups
        work.tell(f"node group {busy[0].name} is {busy[0].status}")
        work.account.clock.sleep(_POLL_S)
    raise TrainyardError(
        f"EKS is still at work on node group {busy[0].name} after {_POLL_S * _POLLS / 3600:.0f} hours",
        where=busy[0].arn,
        hint="run the command again later",
    )
