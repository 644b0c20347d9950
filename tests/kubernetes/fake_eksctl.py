"""What eksctl does to an account, as far as clusters, node groups and their stacks go: on an account in memory.

It makes a stack ``eksctl-NAME-cluster`` and one for each node group, with the tags of the configuration, as eksctl
itself does:
https://github.com/eksctl-io/eksctl/blob/main/pkg/cfn/manager/api.go
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import yaml
from moto.eks.models import eks_backends

from tests.kubernetes.api_server import FakeApiServer, node
from trainyard.edge.aws.account import Account

_TEMPLATE = json.dumps({"Resources": {"Made": {"Type": "AWS::SNS::Topic"}}})


class KilledError(Exception):
    """The program dies here."""


class CrashedError(Exception):
    """The program has a defect, and ends with the status that Go gives it."""


class FailedError(Exception):
    """The program says why, and ends with status 1."""


class FakeEksctl:
    """Runs eksctl's words. ``parts`` counts what was made, one after the other; a test plants where that ends."""

    def __init__(self, account: Account, api: FakeApiServer, *, version: str = "0.229.0") -> None:
        self.account = account
        self.api = api
        self.version = version
        self.configs: list[dict[str, Any]] = []
        """Configurations that it was given, in order."""
        self.fails_at: tuple[str, str] | None = None
        """A part that is not made, such as ``node group training``, and the reason."""
        self.dies_after: int | None = None
        """How many parts are made until it is killed."""
        self.crashes_after: int | None = None
        """How many parts are made until it panics."""
        self.parts: list[str] = []
        self.nodes_join = True
        self.knows_accelerators = True
        """Whether its list has the instance types with accelerators."""
        self.addons: dict[str, dict[str, Any]] = {}
        self.identities: list[dict[str, Any]] = []
        self.entries: list[str] = []

    def run(  # noqa: C901, PLR0912  a case for each command
        self, words: Sequence[str], config: str | None
    ) -> Iterator[str]:
        """Yield the lines that eksctl prints."""
        flags = dict(word.removeprefix("--").partition("=")[::2] for word in words[2:])
        given: dict[str, Any] = {} if config is None else yaml.safe_load(config)
        if given:
            self.configs.append(given)
        yield _line("ℹ", f"eksctl version {self.version}")  # noqa: RUF001  its own mark
        match words[:2]:
            case ["create", "cluster"] if "dry-run" in flags:
                yield yaml.safe_dump(given)
            case ["create", "cluster"]:
                yield from self._create_cluster(given)
            case ["create", "nodegroup"]:
                groups = [one for one in _groups(given) if one["name"] in flags["include"].split(",")]
                yield from self._create_groups(given, groups)
            case ["delete", "nodegroup"]:
                yield from self._delete_group(flags["cluster"], flags["name"])
            case ["scale", "nodegroup"]:
                sizes = {"minSize": "nodes-min", "desiredSize": "nodes", "maxSize": "nodes-max"}
                yield from self._scale(
                    flags["cluster"], flags["name"], {key: int(flags[one]) for key, one in sizes.items()}
                )
            case ["upgrade", "cluster"]:
                yield from self._made(f"version {given['metadata']['version']}")
                self._upgrade(given["metadata"]["name"], given["metadata"]["version"])
            case ["upgrade", "nodegroup"]:
                yield from self._made(f"nodes of {flags['name']} to {flags['kubernetes-version']}")
                self._moto(flags["cluster"]).nodegroups[flags["name"]].version = flags["kubernetes-version"]
            case ["create", "addon"]:
                yield from self._made("add-ons")
                self.addons = {one["name"]: one for one in given["addons"]}
            case ["update", "addon"]:
                yield from self._made("new add-ons")
                self.addons = {one["name"]: one for one in given["addons"]}
            case ["create", "podidentityassociation"]:
                yield from self._made("roles of workloads")
                self.identities += given["iam"]["podIdentityAssociations"]
            case ["create", "accessentry"]:
                yield from self._made("access")
                self.entries += [one["principalARN"] for one in given["accessConfig"]["accessEntries"]]
            case ["utils", "update-cluster-logging"]:
                yield from self._made("logs of the control plane")
                self._log(given)
            case ["utils", "update-cluster-vpc-config"]:
                yield from self._made("who reaches the API")
                self._moto(given["metadata"]["name"]).resources_vpc_config.update(_endpoint(given))
            case ["delete", "cluster"]:
                yield from self._delete_cluster(flags["name"])
            case _:
                yield from self._made(" ".join(words[:2]))
        yield _line("✔", "done")

    def said_version(self) -> str:
        return json.dumps({"Version": self.version, "PreReleaseID": "", "PreviousVersion": ""})

    def _create_cluster(self, config: dict[str, Any]) -> Iterator[str]:
        metadata = config["metadata"]
        name = metadata["name"]
        if f"eksctl-{name}-cluster" in self._stacks(name):
            raise _already_there(f"eksctl-{name}-cluster")
        yield from self._made("cluster stack")
        self._stack(f"eksctl-{name}-cluster", metadata["tags"])
        yield from self._made("control plane")
        self._eks.create_cluster(
            name=name,
            version=metadata["version"],
            roleArn=f"arn:aws:iam::123456789012:role/eksctl-{name}-cluster-ServiceRole",
            resourcesVpcConfig={"subnetIds": self._subnets(config), **_endpoint(config)},
            tags=metadata["tags"],
        )
        self._log(config)
        yield from self._made("add-ons")
        self.addons = {one["name"]: one for one in config.get("addons", [])}
        yield from self._create_groups(config, _groups(config))
        yield from self._made("roles of workloads")
        self.identities = list(config.get("iam", {}).get("podIdentityAssociations", []))
        yield from self._made("access")
        self.entries = [one["principalARN"] for one in config.get("accessConfig", {}).get("accessEntries", [])]

    def _log(self, config: dict[str, Any]) -> None:
        types = config.get("cloudWatch", {}).get("clusterLogging", {}).get("enableTypes", [])
        moto = self._moto(config["metadata"]["name"])
        moto.logging = {"clusterLogging": [{"types": types, "enabled": True}] if types else []}

    def _moto(self, cluster: str) -> Any:
        # The emulated account has no call for what changes here.
        return eks_backends[self.account.id][self.account.region].clusters[cluster]

    def _create_groups(self, config: dict[str, Any], groups: list[dict[str, Any]]) -> Iterator[str]:
        name, tags = config["metadata"]["name"], config["metadata"]["tags"]
        there = self._eks.list_nodegroups(clusterName=name)["nodegroups"]
        for group in groups:
            stack = f"eksctl-{name}-nodegroup-{group['name']}"
            if group["name"] in there:
                yield _line("ℹ", f"nodegroup {group['name']} is there already")  # noqa: RUF001  as above
                continue
            if stack in self._stacks(name):
                raise _already_there(stack)
            yield from self._made(f"node group stack {group['name']}")
            self._stack(stack, {**tags, **group.get("tags", {})})
            yield from self._made(f"node group {group['name']}")
            self._group(config, group)
            self._join(group["name"], group["desiredCapacity"], group)

    def _group(self, config: dict[str, Any], group: dict[str, Any]) -> None:
        template = group.get("launchTemplate")
        self._eks.create_nodegroup(
            clusterName=config["metadata"]["name"],
            nodegroupName=group["name"],
            version=config["metadata"]["version"],
            scalingConfig={
                "minSize": group["minSize"],
                "maxSize": group["maxSize"],
                "desiredSize": group["desiredCapacity"],
            },
            subnets=self._subnets(config),
            nodeRole="arn:aws:iam::123456789012:role/node",
            labels=group.get("labels", {}),
            amiType=self._image(group),
            tags={**config["metadata"]["tags"], **group.get("tags", {})},
            nodeRepairConfig=group.get("nodeRepairConfig", {}),
            **({"launchTemplate": {"id": template["id"], "version": "1"}} if template else {}),
            **({} if template else {"instanceTypes": group.get("instanceTypes") or [group["instanceType"]]}),
        )

    def _image(self, group: dict[str, Any]) -> str:
        kind = (
            group.get("labels", {}).get("trainyard/accelerator", "standard") if self.knows_accelerators else "standard"
        )
        return f"AL2023_x86_64_{kind.upper()}"

    def _join(self, name: str, count: int, group: dict[str, Any] | None = None) -> None:
        there = [
            one
            for one in self.api.objects
            if one["metadata"].get("labels", {}).get("eks.amazonaws.com/nodegroup") == name
        ]
        labels = there[0]["metadata"]["labels"] if there else {}
        if group is not None:
            instance_type = group.get("instanceType") or (group.get("instanceTypes") or [""])[0]
            labels = {**group.get("labels", {}), "node.kubernetes.io/instance-type": instance_type}
        for gone in there[count:]:
            self.api.objects.remove(gone)
        if self.nodes_join:
            kept = {
                key: value
                for key, value in labels.items()
                if key not in ("eks.amazonaws.com/nodegroup", "kubernetes.io/hostname")
            }
            self.api.add(*(node(f"{name}-{number}", name, **kept) for number in range(len(there), count)))

    def _delete_group(self, cluster: str, name: str) -> Iterator[str]:
        yield from self._made(f"delete node group {name}")
        if name in self._eks.list_nodegroups(clusterName=cluster)["nodegroups"]:
            self._eks.delete_nodegroup(clusterName=cluster, nodegroupName=name)
        self._join(name, 0)
        self._cloudformation.delete_stack(StackName=f"eksctl-{cluster}-nodegroup-{name}")

    def _scale(self, cluster: str, name: str, sizes: dict[str, int]) -> Iterator[str]:
        yield from self._made(f"scale {name}")
        self._eks.update_nodegroup_config(clusterName=cluster, nodegroupName=name, scalingConfig=sizes)
        self._join(name, sizes["desiredSize"])

    def _upgrade(self, name: str, version: str) -> None:
        self._moto(name).version = version

    def _delete_cluster(self, name: str) -> Iterator[str]:
        there = [one["name"] for one in [{"name": one} for one in self._clusters()] if one["name"] == name]
        for group in self._eks.list_nodegroups(clusterName=name)["nodegroups"] if there else []:
            yield from self._delete_group(name, group)
        if there:
            yield from self._made("delete control plane")
            self._eks.delete_cluster(name=name)
        for stack in self._stacks(name):
            yield from self._made(f"delete {stack}")
            self._cloudformation.delete_stack(StackName=stack)

    def _made(self, part: str) -> Iterator[str]:
        if self.dies_after is not None and len(self.parts) >= self.dies_after:
            raise KilledError
        if self.crashes_after is not None and len(self.parts) >= self.crashes_after:
            yield from ("panic: runtime error: invalid memory address", "goroutine 1 [running]:", "\t/src/main.go:1")
            raise CrashedError
        if self.fails_at is not None and self.fails_at[0] == part:
            raise FailedError(self.fails_at[1])
        self.parts.append(part)
        yield _line("ℹ", part)  # noqa: RUF001  as above

    def _subnets(self, config: dict[str, Any]) -> list[str]:
        kinds = config["vpc"]["subnets"].values()
        return [one["id"] for kind in kinds for one in kind.values()]

    def _stack(self, name: str, tags: dict[str, str]) -> None:
        listed = [{"Key": key, "Value": value} for key, value in tags.items()]
        self._cloudformation.create_stack(StackName=name, TemplateBody=_TEMPLATE, Tags=listed)

    def _stacks(self, cluster: str) -> list[str]:
        stacks = self._cloudformation.describe_stacks()["Stacks"]
        tag = {"Key": "trainyard:cluster", "Value": cluster}
        return [one["StackName"] for one in stacks if tag in one.get("Tags", ())]

    def _clusters(self) -> list[str]:
        return list(self._eks.list_clusters()["clusters"])

    @property
    def _eks(self) -> Any:
        return self.account.client("eks")

    @property
    def _cloudformation(self) -> Any:
        return self.account.client("cloudformation")


def _groups(config: dict[str, Any]) -> list[dict[str, Any]]:
    return list(config["managedNodeGroups"])


def _endpoint(config: dict[str, Any]) -> dict[str, Any]:
    endpoints = config["vpc"].get("clusterEndpoints", {})
    return {
        "endpointPublicAccess": endpoints.get("publicAccess", True),
        "endpointPrivateAccess": endpoints.get("privateAccess", False),
        "publicAccessCidrs": config["vpc"].get("publicAccessCIDRs", ["0.0.0.0/0"]),
    }


def _line(mark: str, text: str) -> str:
    return f"2026-11-22 04:00:00 [{mark}]  {text}"


def _already_there(stack: str) -> FailedError:
    return FailedError(
        f'creating CloudFormation stack "{stack}": AlreadyExistsException: Stack [{stack}] already exists'
    )
