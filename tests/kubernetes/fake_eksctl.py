"""An eksctl that can be made to fail: it does what that of rehearsals does, until a test says otherwise."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import yaml

from tests.kubernetes.api_server import FakeApiServer, key
from tests.rehearsal.eks_clusters import eksctl_of
from trainyard.edge.aws.account import Account
from trainyard.edge.eksctl import EksctlRefusedError
from trainyard.rehearsal.emulated.eks.state import EmulatedEksCluster, clusters
from trainyard.rehearsal.emulated.in_process_account import InProcessAccount
from trainyard.rehearsal.emulated.kubernetes.nodes import nodes


class KilledError(Exception):
    """The program dies here."""


class CrashedError(Exception):
    """The program has a defect, and ends with the status that Go gives it."""


class FailedError(Exception):
    """The program says why, and ends with status 1."""


class FakeEksctl:
    """Does what the words say, in an account of ``eks_in_memory``; nodes then join what ``api`` stands for.

    ``parts`` has what it began to make and delete, such as a stack; a test plants where that ends.
    """

    def __init__(self, account: Account, api: FakeApiServer, *, version: str = "0.229.0") -> None:
        self.account = account
        self.api = api
        self.version = version
        self.configs: list[dict[str, Any]] = []
        """Configurations that it was given, in order."""
        self.fails_at: tuple[str, str] | None = None
        """What is in the name of a stack that is not made, and the reason."""
        self.refusals: list[str] = []
        """Why the next calls end at the first stack that they come to."""
        self.dies_after: int | None = None
        """How many parts are made until it is killed."""
        self.crashes_after: int | None = None
        """How many parts are made until it panics."""
        self.parts: list[str] = []
        self.nodes_join = True
        self.knows_accelerators = True
        """Whether its list has the instance types with accelerators."""

    def run(self, words: Sequence[str], config: str | None, say: Callable[[str], None]) -> None:
        """Do what the words say, and say the lines that eksctl prints."""
        flags = dict(word.removeprefix("--").partition("=")[::2] for word in words[2:])
        if config is not None:
            self.configs.append(yaml.safe_load(config))
        say(_line("ℹ", f"eksctl version {self.version}"))  # noqa: RUF001  its own mark
        try:
            self._do(" ".join(words[:2]), flags, config or self._named(flags), lambda part: self._begin(part, say))
        except EksctlRefusedError as error:
            raise FailedError("; ".join(error.output)) from error
        finally:
            self._join()
        say(_line("✔", "done"))

    def said_version(self) -> str:
        return json.dumps({"Version": self.version, "PreReleaseID": "", "PreviousVersion": ""})

    @property
    def clusters(self) -> dict[str, EmulatedEksCluster]:
        """Return what EKS holds of each cluster, to be changed as no call of ours does."""
        return clusters(self._aws)

    def node_of(self, group: str) -> str:
        """Return the name of a node."""
        return str(self.api.get("nodes", selector=f"eks.amazonaws.com/nodegroup={group}")[-1]["metadata"]["name"])

    def _do(  # noqa: C901, PLR0912  a case for each command
        self, command: str, flags: dict[str, str], config: str, begin: Callable[[str], None]
    ) -> None:
        eksctl, name = eksctl_of(self.account), flags.get("name", "")
        match command:
            case "create cluster" if "dry-run" in flags:
                eksctl.dry_run(config)
            case "create cluster":
                eksctl.create_cluster(config, begin)
            case "create nodegroup":
                eksctl.create_node_groups(config, flags["include"].split(","), begin)
            case "delete nodegroup":
                eksctl.delete_node_group(config, name, begin)
            case "scale nodegroup":
                least, desired, most = (int(flags[one]) for one in ("nodes-min", "nodes", "nodes-max"))
                eksctl.scale_node_group(config, name, (least, desired, most), begin)
            case "upgrade cluster":
                eksctl.upgrade_cluster(config, begin)
            case "upgrade nodegroup":
                eksctl.upgrade_node_group(config, name, flags["kubernetes-version"], begin)
            case "create addon" | "update addon":
                eksctl.put_addons(config, begin, existing=command.startswith("update"))
            case "create podidentityassociation":
                eksctl.put_pod_identities(config, begin)
            case "utils associate-iam-oidc-provider":
                eksctl.put_identity_provider(config, begin)
            case "delete podidentityassociation":
                eksctl.delete_pod_identity(config, flags["namespace"], flags["service-account-name"], begin)
            case "create accessentry":
                eksctl.put_access(config, begin)
            case "utils update-cluster-logging" | "utils update-cluster-vpc-config":
                eksctl.put_settings(config, begin)
            case "delete cluster":
                eksctl.delete_cluster(name, self.account.region, begin)

    def _named(self, flags: dict[str, str]) -> str:
        """Return what flags say in place of a configuration."""
        return yaml.safe_dump({"metadata": {"name": flags.get("cluster", flags.get("name"))}})

    def _begin(self, part: str, say: Callable[[str], None]) -> None:
        if self.dies_after is not None and len(self.parts) >= self.dies_after:
            raise KilledError
        if self.crashes_after is not None and len(self.parts) >= self.crashes_after:
            for line in ("panic: runtime error: invalid memory address", "goroutine 1 [running]:", "\t/src/main.go:1"):
                say(line)
            raise CrashedError
        if self.refusals:
            raise FailedError(self.refusals.pop(0))
        if self.fails_at is not None and self.fails_at[0] in part:
            raise FailedError(self.fails_at[1])
        self.parts.append(part)
        say(_line("ℹ", part))  # noqa: RUF001  as above

    def _join(self) -> None:
        """Let the nodes of all node groups be objects of the API server, and no others."""
        former = {key(object_): object_ for object_ in self.api.objects if object_["kind"] == "Node"}
        for cluster in self.clusters.values():
            if not self.knows_accelerators:
                for group in cluster.node_groups.values():
                    group["amiType"] = "AL2023_x86_64_STANDARD"
            for node in nodes(self._aws, cluster) if self.nodes_join else ():
                self.api.add(former.pop(key(node), node))
        self.api.objects = [object_ for object_ in self.api.objects if key(object_) not in former]

    @property
    def _aws(self) -> InProcessAccount:
        return InProcessAccount(self.account.region)


def _line(mark: str, text: str) -> str:
    return f"2026-11-22 04:00:00 [{mark}]  {text}"
