"""What eksctl does with a ClusterConfig, in an emulated account: the same stacks and calls, in the same order.

https://github.com/eksctl-io/eksctl/blob/main/pkg/cfn/manager/create_tasks.go
https://github.com/eksctl-io/eksctl/blob/main/pkg/cfn/manager/delete_tasks.go
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, ParamSpec

import yaml

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.ec2 import launch_template_data
from trainyard.edge.aws.eks import find_cluster, has_identity_provider
from trainyard.edge.aws.errors import UNTRANSLATED
from trainyard.edge.installed_eksctl import InstalledEksctl
from trainyard.errors import TrainyardError
from trainyard.platforms.eks.rehearsal.eksctl import names
from trainyard.platforms.eks.rehearsal.eksctl.addons import (
    delete_pod_identity,
    install_efa_plugin,
    make_addons,
    make_pod_identities,
    split,
    update_addons,
)
from trainyard.platforms.eks.rehearsal.eksctl.cluster_template import cluster_template
from trainyard.platforms.eks.rehearsal.eksctl.config_check import refuse_config, subnets_of
from trainyard.platforms.eks.rehearsal.eksctl.deletion import delete_cluster, delete_group
from trainyard.platforms.eks.rehearsal.eksctl.installed_check import InstalledEksctlCheck
from trainyard.platforms.eks.rehearsal.eksctl.node_group_template import instance_types, node_group_template
from trainyard.platforms.eks.rehearsal.eksctl.stacks import Stacks, access_template, eksctl_refusal

_P = ParamSpec("_P")


def _refusing(command: Callable[_P, None]) -> Callable[_P, None]:
    """Let a command of eksctl end with what AWS refuses, or with the network, in eksctl's words."""

    @wraps(command)
    def run(*args: _P.args, **named: _P.kwargs) -> None:
        try:
            command(*args, **named)
        except UNTRANSLATED as error:
            raise eksctl_refusal(command.__name__.replace("_", " "), [str(error)]) from error

    return run


class EmulatedEksctl:
    """It does at once what the real one waits half an hour for."""

    def __init__(self, account: Account, outside: InstalledEksctlCheck) -> None:
        """Take the account, and whoever asks the real eksctl about configurations."""
        self._account, self._outside = account, outside

    @property
    def program(self) -> InstalledEksctl:
        """Return the version that it stands for."""
        return InstalledEksctl("emulated eksctl", names.VERSION)

    def dry_run(self, config: str) -> None:
        """Look at a configuration; let the real eksctl do so where it is installed."""
        self._parsed(config)

    @_refusing
    def create_cluster(self, config: str, say: Callable[[str], None]) -> None:
        """Make the control plane, access, add-ons, node groups and the rest of the add-ons."""
        document = self._parsed(config)
        stacks = self._stacks(document, say)
        cluster = document["metadata"]["name"]
        stacks.make(names.cluster_stack(cluster), cluster_template(document), self._tags(document))
        self._keep_logs(document)
        self._make_access(document, stacks)
        self._make_provider(document)
        first, last = split(document.get("addons", ()))
        make_addons(self._account, document, stacks, first)
        make_pod_identities(self._account, document, stacks)
        self._make_groups(document, stacks, [group["name"] for group in document["managedNodeGroups"]])
        make_addons(self._account, document, stacks, last)
        say(f'EKS cluster "{cluster}" in "{document["metadata"]["region"]}" region is ready')

    @_refusing
    def create_node_groups(self, config: str, names: Sequence[str], say: Callable[[str], None]) -> None:
        """Make those that are named and are not there."""
        document = self._parsed(config)
        self._make_groups(document, self._stacks(document, say), names)

    @_refusing
    def delete_node_group(self, config: str, name: str, say: Callable[[str], None], *, drain: bool = True) -> None:
        """Delete a group."""
        del drain  # no pod is evicted where none runs
        document = _document(config)
        delete_group(self._account, self._stacks(document, say), document["metadata"]["name"], name)

    @_refusing
    def scale_node_group(self, config: str, name: str, sizes: tuple[int, int, int], say: Callable[[str], None]) -> None:
        """Set the sizes of a group."""
        say(f'scaling nodegroup "{name}"')
        scaling = dict(zip(("minSize", "desiredSize", "maxSize"), sizes, strict=True))
        self._call("update_nodegroup_config", config, nodegroupName=name, scalingConfig=scaling)

    @_refusing
    def upgrade_cluster(self, config: str, say: Callable[[str], None]) -> None:
        """Upgrade the control plane."""
        metadata = _document(config)["metadata"]
        say(f'upgrading cluster "{metadata["name"]}" control plane to version {metadata["version"]}')
        self._asked("update_cluster_version", name=metadata["name"], version=str(metadata["version"]))

    @_refusing
    def upgrade_node_group(self, config: str, name: str, version: str, say: Callable[[str], None]) -> None:
        """Upgrade the nodes of a group."""
        say(f'upgrading nodegroup "{name}" to {version}')
        self._call("update_nodegroup_version", config, nodegroupName=name, version=version)

    @_refusing
    def put_addons(self, config: str, say: Callable[[str], None], *, existing: bool) -> None:
        """Make the add-ons that are missing, or update those that are there."""
        document = self._parsed(config)
        if not existing:
            make_addons(self._account, document, self._stacks(document, say), document.get("addons", ()))
            return
        update_addons(self._account, document, self._stacks(document, say))

    @_refusing
    def put_identity_provider(self, config: str, say: Callable[[str], None]) -> None:
        """Make the provider, where it is missing."""
        document = self._parsed(config)
        cluster = find_cluster(self._account, document["metadata"]["name"])
        if cluster is not None and has_identity_provider(self._account, cluster):
            say("IAM Open ID Connect provider is already associated with the cluster")
        else:
            self._make_provider(document)

    @_refusing
    def put_pod_identities(self, config: str, say: Callable[[str], None]) -> None:
        """Make the roles that are missing."""
        document = self._parsed(config)
        make_pod_identities(self._account, document, self._stacks(document, say))

    @_refusing
    def delete_pod_identity(self, config: str, namespace: str, account: str, say: Callable[[str], None]) -> None:
        """Take a role away, and delete it."""
        document = _document(config)
        delete_pod_identity(self._account, self._stacks(document, say), namespace, account)

    @_refusing
    def put_settings(self, config: str, say: Callable[[str], None]) -> None:
        """Change who reaches the API, and what the control plane logs."""
        document = self._parsed(config)
        properties = cluster_template(document)["Resources"]["ControlPlane"]["Properties"]
        network = {key[0].lower() + key[1:]: value for key, value in properties["ResourcesVpcConfig"].items()}
        reached = {key: value for key, value in network.items() if key not in ("subnetIds", "securityGroupIds")}
        types = document.get("cloudWatch", {}).get("clusterLogging", {}).get("enableTypes", [])
        logging = {"clusterLogging": [{"types": types, "enabled": True}] if types else []}
        say("updates the endpoint and the logs of the control plane")
        name = document["metadata"]["name"]
        self._asked("update_cluster_config", name=name, resourcesVpcConfig=reached)
        self._asked("update_cluster_config", name=name, logging=logging)
        self._keep_logs(document)

    @_refusing
    def put_access(self, config: str, say: Callable[[str], None]) -> None:
        """Make the access entries that are missing."""
        document = self._parsed(config)
        self._make_access(document, self._stacks(document, say))

    @_refusing
    def delete_cluster(
        self, name: str, region: str, say: Callable[[str], None], *, evict: bool = True, force: bool = False
    ) -> None:
        """Delete everything that it has made for a cluster."""
        del region, evict, force  # nothing holds pods back here
        delete_cluster(self._account, Stacks(self._account, name, say), name, say)

    def _parsed(self, config: str) -> dict[str, Any]:
        """Return a configuration. Raises EksctlRefusedError where it is not taken."""
        document = _document(config)
        refuse_config(self._account, document)
        self._outside.look(config)
        return document

    def _stacks(self, config: Mapping[str, Any], say: Callable[[str], None]) -> Stacks:
        return Stacks(self._account, config["metadata"]["name"], say)

    def _tags(self, config: Mapping[str, Any]) -> dict[str, str]:
        return names.stack_tags(config["metadata"]["name"], config["metadata"].get("tags", {}))

    def _make_groups(self, config: Mapping[str, Any], stacks: Stacks, group_names: Sequence[str]) -> None:
        cluster = config["metadata"]["name"]
        existing = self._account.client("eks").list_nodegroups(clusterName=cluster)["nodegroups"]
        missing = [
            group
            for group in config["managedNodeGroups"]
            if group["name"] in group_names and group["name"] not in existing
        ]
        for group in missing:
            subnets, cards = subnets_of(self._account, config, group), self._cards(group)
            template = node_group_template(config, group, subnets, cards, self._launched(group))
            tags = {**self._tags(config), **names.group_tags(group["name"]), **group.get("tags", {})}
            stacks.make(names.group_stack(cluster, group["name"]), template, tags)
        if any(group.get("efaEnabled") for group in missing):
            self._install_efa_plugin(cluster)

    def _install_efa_plugin(self, cluster: str) -> None:
        try:
            install_efa_plugin(self._account, cluster)
        except TrainyardError as error:
            raise eksctl_refusal(
                "create", [f"getting list of API resources for raw REST client: {error.problem}"]
            ) from error

    def _launched(self, group: Mapping[str, Any]) -> list[str]:
        """Return the instance types of a group: its own, or the one of its launch template."""
        if "launchTemplate" not in group:
            return instance_types(group)
        named = group["launchTemplate"]
        data = launch_template_data(self._account, named["id"], str(named.get("version", "$Default"))) or {}
        return instance_types(group) or [data.get("InstanceType", "")]

    def _cards(self, group: Mapping[str, Any]) -> int:
        """Return the number of network cards of the type with the fewest, as EC2 describes it."""
        types = instance_types(group)
        if not types or not group.get("efaEnabled"):
            return 1
        described = self._account.client("ec2").describe_instance_types(InstanceTypes=types)["InstanceTypes"]
        return int(min(described_type["NetworkInfo"]["MaximumNetworkCards"] for described_type in described))

    def _make_access(self, config: Mapping[str, Any], stacks: Stacks) -> None:
        cluster = config["metadata"]["name"]
        existing = self._account.client("eks").list_access_entries(clusterName=cluster)["accessEntries"]
        for entry in config.get("accessConfig", {}).get("accessEntries", ()):
            who = entry["principalARN"]
            if who not in existing:
                stacks.make(names.access_stack(cluster, who), access_template(cluster, entry), self._tags(config))

    def _make_provider(self, config: Mapping[str, Any]) -> None:
        """Make the provider of identities for service accounts, where it is wanted: no stack has it."""
        if not config.get("iam", {}).get("withOIDC"):
            return
        cluster = self._account.client("eks").describe_cluster(name=config["metadata"]["name"])["cluster"]
        self._account.client("iam").create_open_id_connect_provider(
            Url=cluster["identity"]["oidc"]["issuer"], ClientIDList=["sts.amazonaws.com"], ThumbprintList=["0" * 40]
        )

    def _keep_logs(self, config: Mapping[str, Any]) -> None:
        days = config.get("cloudWatch", {}).get("clusterLogging", {}).get("logRetentionInDays")
        if days:
            group = f"/aws/eks/{config['metadata']['name']}/cluster"
            self._account.client("logs").put_retention_policy(logGroupName=group, retentionInDays=days)

    def _call(self, action: str, config: str, **request: Any) -> None:
        self._asked(action, clusterName=_document(config)["metadata"]["name"], **request)

    def _asked(self, action: str, **request: Any) -> None:
        getattr(self._account.client("eks"), action)(**request)


def _document(config: str) -> dict[str, Any]:
    document: dict[str, Any] = yaml.load(config, Loader=yaml.CSafeLoader)
    return document
