"""Control plane, identity provider, add-ons, administrators and roles of workloads, brought to cluster.yaml."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trainyard.counts import count_text
from trainyard.deploy.step import Probe, StepOutcome
from trainyard.deploy.work import Work
from trainyard.edge.aws.control_plane_logs import put_log_group
from trainyard.edge.eksctl import Eksctl
from trainyard.platforms.eks.deployment.cluster import active_cluster
from trainyard.platforms.eks.deployment.comparison import Difference, Part, differences, texts_of
from trainyard.platforms.eks.deployment.config import config_so_far, desired_config, text_of
from trainyard.platforms.eks.deployment.repair import Repair, repair_differences
from trainyard.platforms.eks.deployment.stacks import (
    access_stack,
    delete_own_stack,
    is_role_of_addon,
    own_cluster,
    own_stacks,
    role_stack,
    settled_stacks,
)


class EksAddOns:
    """Brings everything but node groups to the configuration, in the order in which eksctl itself makes it."""

    name = "add-ons"
    title = "control plane and add-ons"

    def probe(self, work: Work) -> Probe:
        """Say which version the control plane has, and how it and the add-ons differ from cluster.yaml."""
        eks_cluster = own_cluster(work)
        if eks_cluster is None:
            return Probe("missing")
        found = differences(work, config_so_far(work), eks_cluster, tuple(own_stacks(work)))
        return Probe("there", "; ".join([f"Kubernetes {eks_cluster.version}", *texts_of(found)]))

    def apply(self, work: Work) -> StepOutcome:
        """Do what is left, until the account is as cluster.yaml says."""
        config = desired_config(work)
        done = repair_differences(
            work,
            lambda: differences(work, config, active_cluster(work), settled_stacks(work)),
            ControlPlaneRepairs(work, config).by_part(),
        )
        return StepOutcome(bool(done), ", ".join(done) or "as they are to be")

    def undo(self, work: Work) -> StepOutcome:
        """Do nothing: they go with the cluster."""
        del work
        return StepOutcome(changed=False)


@dataclass(frozen=True)
class ControlPlaneRepairs:
    """What is done about each difference, most of it by eksctl."""

    work: Work
    config: dict[str, Any]

    def by_part(self) -> Mapping[Part, Repair]:
        """Return the repairs in their order: add-ons need the provider, and nodes need add-ons."""
        return {
            "version": self._upgrade,
            "settings": self._put_settings,
            "identity provider": self._put_identity_provider,
            "missing add-on": self._put_missing_addons,
            "add-on without role": self._put_roles_of_addons,
            "stale add-on": self._put_stale_addons,
            "log group": self._put_log_group,
            "missing administrator": self._put_access,
            "former administrator": self._delete_access,
            "missing role": self._put_roles,
            "former role": self._delete_roles,
        }

    def _upgrade(self, found: Sequence[Difference]) -> str:
        del found
        self._eksctl.upgrade_cluster(self._text, self.work.relay)
        return f"Kubernetes {self.config['metadata']['version']}"

    def _put_settings(self, found: Sequence[Difference]) -> str:
        del found
        self._eksctl.put_settings(self._text, self.work.relay)
        return "endpoint and logs"

    def _put_identity_provider(self, found: Sequence[Difference]) -> str:
        del found
        self._eksctl.put_identity_provider(self._text, self.work.relay)
        return "OIDC provider"

    def _put_missing_addons(self, found: Sequence[Difference]) -> str:
        self._remove_left_roles_of_addons(found)
        self._eksctl.put_addons(self._text, self.work.relay, existing=False)
        return f"add-ons {_names(found)}"

    def _put_roles_of_addons(self, found: Sequence[Difference]) -> str:
        self._remove_left_roles_of_addons(found)
        self._eksctl.put_addons(self._text, self.work.relay, existing=True)
        return f"roles of add-ons {_names(found)}"

    def _put_stale_addons(self, found: Sequence[Difference]) -> str:
        self._eksctl.put_addons(self._text, self.work.relay, existing=True)
        return f"add-ons {_names(found)} brought up to date"

    def _put_log_group(self, found: Sequence[Difference]) -> str:
        del found
        days = self.config.get("cloudWatch", {}).get("clusterLogging", {}).get("logRetentionInDays")
        put_log_group(self.work.account, active_cluster(self.work), {self.work.tag: self.work.name}, days)
        return "tag and retention of the log group"

    def _put_access(self, found: Sequence[Difference]) -> str:
        arns = {difference.name for difference in found}
        self._remove_left({access_stack(self.work.name, arn) for arn in arns})
        access = self.config["accessConfig"]
        entries = [entry for entry in access["accessEntries"] if entry["principalARN"] in arns]
        less = {**self.config, "accessConfig": {**access, "accessEntries": entries}}
        self._eksctl.put_access(text_of(self.work, less), self.work.relay)
        return count_text(len(arns), "administrator")

    def _delete_access(self, found: Sequence[Difference]) -> str:
        self._remove_left({access_stack(self.work.name, difference.name) for difference in found})
        return f"{count_text(len(found), 'former administrator')} removed"

    def _put_roles(self, found: Sequence[Difference]) -> str:
        names = {difference.name for difference in found}
        self._remove_left({role_stack(self.work.name, *name.split("/")) for name in names})
        identities = [
            identity
            for identity in self.config["iam"]["podIdentityAssociations"]
            if f"{identity['namespace']}/{identity['serviceAccountName']}" in names
        ]
        less = {**self.config, "iam": {**self.config["iam"], "podIdentityAssociations": identities}}
        self._eksctl.put_pod_identities(text_of(self.work, less), self.work.relay)
        return f"{count_text(len(names), 'role')} of workloads"

    def _delete_roles(self, found: Sequence[Difference]) -> str:
        for difference in found:
            namespace, account = difference.name.split("/")
            self._eksctl.delete_pod_identity(self._text, namespace, account, self.work.relay)
        return f"{count_text(len(found), 'role')} of former workloads removed"

    def _remove_left_roles_of_addons(self, found: Sequence[Difference]) -> None:
        cluster = self.work.name
        stacks = [stack.name for stack in own_stacks(self.work)]
        self._remove_left(
            stack for stack in stacks if any(is_role_of_addon(stack, cluster, addon.name) for addon in found)
        )

    def _remove_left(self, names: Iterable[str]) -> None:
        """Delete stacks by their names, where a killed call has left any: they would be in eksctl's way."""
        wanted = set(names)
        for stack in own_stacks(self.work):
            if stack.name in wanted:
                delete_own_stack(self.work, stack.name)

    @property
    def _eksctl(self) -> Eksctl:
        return self.work.eksctl(self.work.account)

    @property
    def _text(self) -> str:
        return text_of(self.work, self.config)


def _names(found: Sequence[Difference]) -> str:
    return ", ".join(difference.name for difference in found)
