"""Node groups of a cluster that exists: those that are missing, those that go, and how many nodes they have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainyard.deploy.step import Outcome, Probe
from trainyard.deploy.work import Work
from trainyard.edge.aws import eks
from trainyard.edge.aws.eks import NodeGroupState
from trainyard.edge.eksctl import EksctlRefusedError
from trainyard.platforms.eks.deployment.cluster import why_it_failed
from trainyard.platforms.eks.deployment.config import node_groups_of, text_of, wanted_config
from trainyard.platforms.eks.deployment.sizes import sizes_of, wanted_sizes
from trainyard.platforms.eks.deployment.stacks import FAILED, delete_own_stack, node_group_stack, settled_stack
from trainyard.platforms.eks.rendering.names import SYSTEM


class EksNodeGroups:
    """Brings the node groups to the configuration. Those that somebody else has added to the cluster are left alone."""

    name = "node-groups"
    title = "node groups"

    def probe(self, work: Work) -> Probe:
        """Say which there are."""
        there = eks.node_groups(work.account, work.name)
        return Probe("there", ", ".join(one.name for one in there)) if there else Probe("missing")

    def apply(self, work: Work) -> Outcome:
        """Do what is left."""
        done = list(self._done(work, wanted_config(work)))
        return Outcome(bool(done), ", ".join(done) or "as they are to be")

    def undo(self, work: Work) -> Outcome:
        """Do nothing: they go with the cluster."""
        del work
        return Outcome(changed=False)

    def _done(self, work: Work, config: dict[str, Any]) -> Iterator[str]:
        eksctl, text = work.eksctl(work.account), text_of(work, config)
        _remove_failed(work, config)
        there = {node_group.name: node_group for node_group in eks.node_groups(work.account, work.name)}
        if missing := [name for name in node_groups_of(config) if name not in there]:
            try:
                eksctl.create_node_groups(text, missing, work.tell)
            except EksctlRefusedError as error:
                raise why_it_failed(work, error) from error
            yield f"made {', '.join(missing)}"
        for node_group_state in there.values():
            if node_group_state.name not in node_groups_of(config):
                if work.owns(node_group_state.tags):
                    eksctl.delete_node_group(text, node_group_state.name, work.tell)
                    yield f"deleted {node_group_state.name}"
                continue
            wanted = wanted_sizes(work.required_spec(), config, node_group_state)
            if wanted != sizes_of(node_group_state):
                eksctl.scale_node_group(text, node_group_state.name, wanted, work.tell)
                yield f"{node_group_state.name}: {wanted.least} to {wanted.most} nodes, {wanted.desired} desired"
        yield from _upgraded(work, config, list(there.values()))


def _remove_failed(work: Work, config: dict[str, Any]) -> None:
    """Delete what is left of node groups that could not be made, or that somebody has deleted without their stack.

    Waits for those that are being made or deleted.
    """
    for name in node_groups_of(config):
        found = settled_stack(work, node_group_stack(work.name, name))
        if found is None:
            continue
        if found.status in FAILED or eks.find_node_group(work.account, work.name, name) is None:
            work.tell(f"deletes stack {found.name}, which is {found.status} and has no node group, and makes it again")
            delete_own_stack(work, found.name)


def _upgraded(work: Work, config: dict[str, Any], there: list[NodeGroupState]) -> Iterator[str]:
    """Replace the system nodes of a former version. Training nodes have jobs: when they go, somebody has to say.

    Nodes may be three minor versions older than the control plane: https://kubernetes.io/releases/version-skew-policy/
    """
    version = config["metadata"]["version"]
    eksctl, text = work.eksctl(work.account), text_of(work, config)
    for one in there:
        if one.version == version or one.name not in node_groups_of(config):
            continue
        if one.name == SYSTEM:
            eksctl.upgrade_node_group(text, one.name, version, work.tell)
            yield f"nodes of {one.name} with Kubernetes {version}"
        else:
            command = f"eksctl upgrade nodegroup --cluster {work.name} --region {work.account.region} --name {one.name}"
            work.tell(
                f"nodes of {one.name} keep Kubernetes {one.version}; when no jobs run: "
                f"{command} --kubernetes-version {version}"
            )
