"""Control plane, add-ons, roles of workloads and administrators of a cluster: what is missing, and what differs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import yaml

from trainyard.deploy.step import Probe, StepOutcome
from trainyard.deploy.work import Work
from trainyard.edge.aws import eks
from trainyard.edge.aws.control_plane_logs import tag_log_group
from trainyard.edge.aws.eks import Addon, EksCluster
from trainyard.edge.aws.stacks import find_stack
from trainyard.platforms.eks.deployment.cluster import active_cluster
from trainyard.platforms.eks.deployment.config import text_of, wanted_config
from trainyard.platforms.eks.deployment.stacks import delete_own_stack, own_cluster


class EksAddOns:
    """Brings everything but node groups to the configuration, in the order in which eksctl itself makes it."""

    name = "add-ons"
    title = "control plane and add-ons"

    def probe(self, work: Work) -> Probe:
        """Say which version the control plane has."""
        eks_cluster = own_cluster(work)
        return Probe("missing") if eks_cluster is None else Probe("there", f"Kubernetes {eks_cluster.version}")

    def apply(self, work: Work) -> StepOutcome:
        """Do what is left."""
        config = wanted_config(work)
        done = list(self._done(work, config))
        return StepOutcome(bool(done), ", ".join(done) or "as they are to be")

    def undo(self, work: Work) -> StepOutcome:
        """Do nothing: they go with the cluster."""
        del work
        return StepOutcome(changed=False)

    def _done(self, work: Work, config: dict[str, Any]) -> Iterator[str]:
        eksctl, text = work.eksctl(work.account), text_of(work, config)
        cluster = active_cluster(work)
        if cluster.version != config["metadata"]["version"]:
            eksctl.upgrade_cluster(text, work.tell)
            cluster = active_cluster(work)
            yield f"Kubernetes {cluster.version}"
        if _settings(cluster) != _wanted_settings(config):
            eksctl.put_settings(text, work.tell)
            yield "endpoint and logs"
        installed = {addon.name: addon for addon in eks.addons(work.account, work.name)}
        if missing := [addon["name"] for addon in config["addons"] if addon["name"] not in installed]:
            eksctl.put_addons(text, work.tell, existing=False)
            yield f"add-ons {', '.join(missing)}"
        if stale := [addon["name"] for addon in config["addons"] if _differs(addon, installed.get(addon["name"]))]:
            eksctl.put_addons(text, work.tell, existing=True)
            yield f"add-ons {', '.join(stale)} brought up to date"
        if tag_log_group(work.account, cluster, {work.tag: work.name}):
            yield "tag of the log group"
        yield from _access(work, config)
        yield from _identities(work, config)


def _access(work: Work, config: dict[str, Any]) -> Iterator[str]:
    administrators = set(eks.administrators(work.account, work.name))
    entries = config["accessConfig"].get("accessEntries", [])
    if missing := [entry for entry in entries if entry["principalARN"] not in administrators]:
        less = {**config, "accessConfig": {**config["accessConfig"], "accessEntries": missing}}
        work.eksctl(work.account).put_access(text_of(work, less), work.tell)
        yield f"{len(missing)} administrators"


def _identities(work: Work, config: dict[str, Any]) -> Iterator[str]:
    existing = eks.pod_identities(work.account, work.name)
    expected = config["iam"].get("podIdentityAssociations", [])
    missing = [
        identity for identity in expected if (identity["namespace"], identity["serviceAccountName"]) not in existing
    ]
    if not missing:
        return
    for identity in missing:  # a role that a killed call has left would be in its way
        left = find_stack(work.account, _role_stack(work.name, identity["namespace"], identity["serviceAccountName"]))
        if left is not None and work.owns(left.tags):
            delete_own_stack(work, left.name)
    less = {**config, "iam": {**config["iam"], "podIdentityAssociations": missing}}
    work.eksctl(work.account).put_pod_identities(text_of(work, less), work.tell)
    yield f"{len(missing)} roles of workloads"


def _role_stack(cluster: str, namespace: str, account: str) -> str:
    """Return how eksctl calls the stack of a role.

    https://github.com/eksctl-io/eksctl/blob/main/pkg/actions/podidentityassociation/tasks.go
    """
    return f"eksctl-{cluster}-podidentityrole-{namespace}-{account}"


def _differs(expected: dict[str, Any], installed: Addon | None) -> bool:
    """Return whether an add-on that is there has another version or other values. EKS's own choice is left to it."""
    if installed is None:
        return False
    # eksctl takes the newest version that has the wanted one in it, so that …eksbuild.1 may come as …eksbuild.12.
    # https://github.com/eksctl-io/eksctl/pull/8478 ended that in 0.214.0, and #8510 wants to end it once more.
    version = expected.get("version")
    if version not in (None, "latest") and version not in installed.version:
        return True
    values = expected.get("configurationValues")
    return values is not None and _values(values) != _values(installed.configuration)


def _values(text: str) -> Any:
    try:
        return json.loads(text) if text else None
    except ValueError:
        return yaml.load(text, Loader=yaml.CSafeLoader)


def _settings(cluster: EksCluster) -> tuple[Any, ...]:
    ranges = set(cluster.public_cidrs) if cluster.endpoint_public else set()
    return cluster.endpoint_public, cluster.endpoint_private, ranges or _EVERYBODY, set(cluster.logs)


def _wanted_settings(config: dict[str, Any]) -> tuple[Any, ...]:
    endpoints = config["vpc"].get("clusterEndpoints", {})
    ranges = set(config["vpc"].get("publicAccessCIDRs", ())) if endpoints.get("publicAccess", True) else set()
    logs = config.get("cloudWatch", {}).get("clusterLogging", {}).get("enableTypes", ())
    return (
        endpoints.get("publicAccess", True),
        endpoints.get("privateAccess", False),
        ranges or _EVERYBODY,
        set(logs),
    )


_EVERYBODY = {"0.0.0.0/0"}
