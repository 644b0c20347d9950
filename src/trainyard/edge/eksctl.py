"""The user's own eksctl: makes, changes and deletes EKS clusters, by a stack of CloudFormation for each part of one.

The interface, for those who deploy::

    eksctl = eksctl_of(account)
    eksctl.dry_run(config)                              # EksctlRefusedError with what it says
    eksctl.create_cluster(config, say)                  # returns when everything is there; every line is told
    eksctl.create_node_groups(config, ["a", "b"], say)  # those that are there already are left alone
    eksctl.delete_cluster("llm", say)

A configuration goes through a file in a folder that only this user sees, and is gone afterwards. No command writes a
kubeconfig. What a command that was killed has begun, CloudFormation goes on with: ask for the stacks.
"""

from __future__ import annotations

import re
import signal
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import yaml

from trainyard.edge.aws.account import Account, program_variables
from trainyard.edge.installed_eksctl import InstalledEksctl, installed_eksctl
from trainyard.edge.temporary_disk import refuse_full_disk
from trainyard.edge.watched_program import run_watched
from trainyard.errors import TrainyardError
from trainyard.foreign_text import quoted

# eksctl would install device plugins of its own choosing; those of manifests/ are pinned.
# https://docs.aws.amazon.com/eks/latest/eksctl/gpu-support.html
OWN_PLUGINS = ("--install-nvidia-plugin=false", "--install-neuron-plugin=false")
# How long eksctl waits for each stack and each group of nodes. Its default of 25 minutes is less than EKS itself waits
# for nodes that have no capacity, so that one would read of a timeout and not of the reason.
_WAITS_FOR = "--timeout=60m"
_LONGEST_S = 3 * 3600.0
_LOOK_S = 300.0
# A time, a mark in brackets and the text: https://github.com/weaveworks/logger
_LINE = re.compile(r"(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d )?\[(.)\]\s+(.*)")
_CRITICAL = "✖"
_BEGINNINGS = ("Error: ", "panic: ", "fatal error: ")
_MOST_SHOWN = 3
_LONGEST = 1000


class EksctlRefusedError(TrainyardError):
    """eksctl would not, or could not do it. ``said`` has the last of its lines."""

    def __init__(self, problem: str, *, where: str, hint: str, output: tuple[str, ...] = ()) -> None:
        """Keep what it said."""
        super().__init__(problem, where=where, hint=hint)
        self.output = output


class Eksctl(Protocol):
    """What eksctl is asked to do. Raises EksctlRefusedError where it does not; ``say`` hears its lines."""

    @property
    def program(self) -> InstalledEksctl:
        """Return which version it is, and of what it knows."""
        ...

    def dry_run(self, config: str) -> None:
        """Let it read a ClusterConfig and make nothing."""
        ...

    def create_cluster(self, config: str, say: Callable[[str], None]) -> None:
        """Make a cluster, its add-ons and its node groups, and return when the nodes are Ready."""
        ...

    def create_node_groups(self, config: str, names: Sequence[str], say: Callable[[str], None]) -> None:
        """Make those of a configuration's node groups that are named and are not there."""
        ...

    def delete_node_group(self, config: str, name: str, say: Callable[[str], None], *, drain: bool = True) -> None:
        """Drain the nodes of a group, delete it and wait until it is gone. ``config`` names the cluster."""
        ...

    def scale_node_group(self, config: str, name: str, sizes: tuple[int, int, int], say: Callable[[str], None]) -> None:
        """Set the least, the desired and the most nodes of a group."""
        ...

    def upgrade_cluster(self, config: str, say: Callable[[str], None]) -> None:
        """Bring the control plane to the configuration's version of Kubernetes, the next minor one, and wait."""
        ...

    def upgrade_node_group(self, config: str, name: str, version: str, say: Callable[[str], None]) -> None:
        """Bring the nodes of a group to a version of Kubernetes, one after the other, and wait."""
        ...

    def put_addons(self, config: str, say: Callable[[str], None], *, existing: bool) -> None:
        """Make the add-ons that are missing; with ``existing``, bring those that are there to the configuration."""
        ...

    def put_identity_provider(self, config: str, say: Callable[[str], None]) -> None:
        """Make the OIDC provider of the cluster in IAM; nothing where it is there."""
        ...

    def put_pod_identities(self, config: str, say: Callable[[str], None]) -> None:
        """Make the roles of workloads that the configuration names; an error where one is there already."""
        ...

    def delete_pod_identity(self, config: str, namespace: str, account: str, say: Callable[[str], None]) -> None:
        """Take the role of a service account away. ``config`` names the cluster."""
        ...

    def put_access(self, config: str, say: Callable[[str], None]) -> None:
        """Make the access entries that the configuration names; an error where one is there already."""
        ...

    def put_settings(self, config: str, say: Callable[[str], None]) -> None:
        """Bring who reaches the Kubernetes API, and the logs of the control plane, to the configuration."""
        ...

    def delete_cluster(
        self, name: str, region: str, say: Callable[[str], None], *, evict: bool = True, force: bool = False
    ) -> None:
        """Delete a cluster, its node groups and what else eksctl has made for it, and wait until all of it is gone.

        It drains node groups that EKS does not manage, and without ``evict`` deletes their pods against disruption
        budgets; EKS drains those that it manages. With ``force`` it goes on where nothing answers that could be asked.
        """
        ...


def eksctl_of(account: Account) -> Eksctl:
    """Return the program that is on PATH, or that of an emulated account. Raises TrainyardError where there is none."""
    if account.eksctl is not None:
        emulated: Eksctl = account.eksctl(account)
        return emulated
    return ProgramEksctl(installed_eksctl(), program_variables(account))


class ProgramEksctl:
    """The program itself."""

    def __init__(self, program: InstalledEksctl, variables: Mapping[str, str]) -> None:
        """Take the program and its environment."""
        self._program = program
        self._variables = variables

    @property
    def program(self) -> InstalledEksctl:
        """Return which it is."""
        return self._program

    def dry_run(self, config: str) -> None:
        """Let it read a configuration."""
        self._configured(["create", "cluster", "--dry-run"], config, None, timeout_s=_LOOK_S)

    def create_cluster(self, config: str, say: Callable[[str], None]) -> None:
        """Make a cluster."""
        self._configured(["create", "cluster", "--write-kubeconfig=false", *OWN_PLUGINS, _WAITS_FOR], config, say)

    def create_node_groups(self, config: str, names: Sequence[str], say: Callable[[str], None]) -> None:
        """Make node groups."""
        chosen = f"--include={','.join(names)}"
        self._configured(["create", "nodegroup", chosen, *OWN_PLUGINS, _WAITS_FOR], config, say)

    def delete_node_group(self, config: str, name: str, say: Callable[[str], None], *, drain: bool = True) -> None:
        """Delete a node group; by its name, because one that goes is in no configuration any more."""
        cluster, region = _metadata(config)
        words = [f"--cluster={cluster}", f"--region={region}", f"--name={name}", f"--drain={_flag(drain)}"]
        self._run(["delete", "nodegroup", *words, "--wait", _WAITS_FOR], say)

    def scale_node_group(self, config: str, name: str, sizes: tuple[int, int, int], say: Callable[[str], None]) -> None:
        """Set the sizes of a group; without --wait, because nodes are waited for once, and with reasons."""
        least, desired, most = sizes
        words = [f"--name={name}", f"--nodes-min={least}", f"--nodes={desired}", f"--nodes-max={most}"]
        cluster = _metadata(config)
        self._run(["scale", "nodegroup", f"--cluster={cluster[0]}", f"--region={cluster[1]}", *words], say)

    def upgrade_cluster(self, config: str, say: Callable[[str], None]) -> None:
        """Upgrade the control plane."""
        self._configured(["upgrade", "cluster", "--approve", "--timeout=90m"], config, say)

    def upgrade_node_group(self, config: str, name: str, version: str, say: Callable[[str], None]) -> None:
        """Upgrade the nodes of a group."""
        cluster, region = _metadata(config)
        words = [f"--cluster={cluster}", f"--region={region}", f"--name={name}", f"--kubernetes-version={version}"]
        self._run(["upgrade", "nodegroup", *words, "--wait", "--timeout=120m"], say)

    def put_addons(self, config: str, say: Callable[[str], None], *, existing: bool) -> None:
        """Make or update add-ons. New ones are not waited for: DNS is not there before nodes are."""
        if existing:
            self._configured(["update", "addon", "--wait", _WAITS_FOR], config, say)
            return
        self._configured(["create", "addon"], config, say)

    def put_identity_provider(self, config: str, say: Callable[[str], None]) -> None:
        """Make the OIDC provider."""
        self._configured(["utils", "associate-iam-oidc-provider", "--approve"], config, say)

    def put_pod_identities(self, config: str, say: Callable[[str], None]) -> None:
        """Make roles of workloads."""
        self._configured(["create", "podidentityassociation"], config, say)

    def delete_pod_identity(self, config: str, namespace: str, account: str, say: Callable[[str], None]) -> None:
        """Delete a role of a workload; by its name, because one that goes is in no configuration any more."""
        cluster, region = _metadata(config)
        words = [f"--cluster={cluster}", f"--region={region}", f"--namespace={namespace}"]
        self._run(["delete", "podidentityassociation", *words, f"--service-account-name={account}"], say)

    def put_access(self, config: str, say: Callable[[str], None]) -> None:
        """Make access entries."""
        self._configured(["create", "accessentry"], config, say)

    def put_settings(self, config: str, say: Callable[[str], None]) -> None:
        """Change endpoints and logs."""
        self._configured(["utils", "update-cluster-vpc-config", "--approve"], config, say)
        self._configured(["utils", "update-cluster-logging", "--approve"], config, say)

    def delete_cluster(
        self, name: str, region: str, say: Callable[[str], None], *, evict: bool = True, force: bool = False
    ) -> None:
        """Delete a cluster."""
        flags = [*([] if evict else ["--disable-nodegroup-eviction"]), *(["--force"] if force else [])]
        self._run(["delete", "cluster", f"--name={name}", f"--region={region}", "--wait", _WAITS_FOR, *flags], say)

    def _configured(
        self, words: Sequence[str], config: str, say: Callable[[str], None] | None, timeout_s: float = _LONGEST_S
    ) -> None:
        with _private_file(config) as file:
            self._run([*words, f"--config-file={file}"], say, timeout_s)

    def _run(self, words: Sequence[str], say: Callable[[str], None] | None, timeout_s: float = _LONGEST_S) -> None:
        def tell(line: str) -> None:
            if say is not None:
                say(_message_of(line))

        command = [self._program.path, *words, "--color=false"]
        # Neither is a kubeconfig of the user's read, nor is one written: delete cluster would remove contexts from it.
        with tempfile.TemporaryDirectory(prefix="trainyard-eksctl-") as home:
            variables = {**self._variables, "KUBECONFIG": str(Path(home) / "kubeconfig")}
            ended = run_watched(command, variables, timeout_s=timeout_s, say=tell)
        if ended.status or ended.timed_out:
            if not _reasons(ended.lines):
                refuse_full_disk(f"eksctl {' '.join(words[:2])}")
            raise _refused(words, ended.status, ended.lines, timeout_s if ended.timed_out else None)


@contextmanager
def _private_file(config: str) -> Iterator[Path]:
    try:
        folder = tempfile.TemporaryDirectory(prefix="trainyard-eksctl-")  # 0700
    except OSError as error:
        raise TrainyardError(
            f"no folder can be made for eksctl: {error.strerror}",
            where=error.filename,
            hint="make room on the disk, or set TMPDIR to a folder that you may write to",
        ) from error
    with folder as temporary:
        file = Path(temporary) / "cluster.yaml"
        file.touch(mode=0o600)
        file.write_text(config, encoding="utf-8")
        yield file


def _metadata(config: str) -> tuple[str, str]:
    """Return the name and the region that a configuration names."""
    metadata = yaml.load(config, Loader=yaml.CSafeLoader)["metadata"]
    return str(metadata["name"]), str(metadata["region"])


def _message_of(line: str) -> str:
    """Return a line without its time and its mark."""
    match = _LINE.fullmatch(line)
    return line if match is None else match[2]


def _refused(words: Sequence[str], status: int, output: tuple[str, ...], timeout_s: float | None) -> EksctlRefusedError:
    reasons = "; ".join(_reasons(output)[:_MOST_SHOWN])
    shown = quoted(reasons, _LONGEST) if reasons else ""
    what = " ".join(words[:2])
    late = None if timeout_s is None else f"it did not end within {timeout_s / 60:.0f} minutes and was stopped"
    ended = (
        f"{_ended(status)}{f'; the last that it said: {quoted(_message_of(output[-1]), _LONGEST)}' if output else ''}"
    )
    return EksctlRefusedError(
        f"eksctl {what} failed: {late or shown or ended}",
        where="eksctl",
        hint="put right what it names and run the command again, which goes on where this one stopped",
        output=output,
    )


def _reasons(output: tuple[str, ...]) -> list[str]:
    """Return the lines that say why: those marked so, or with what Go and cobra begin such a line."""
    critical = [match[2] for line in output if (match := _LINE.fullmatch(line)) and match[1] == _CRITICAL]
    errors = [line.removeprefix("Error: ") for line in output if line.startswith(_BEGINNINGS)]
    return list(dict.fromkeys(critical or errors))


def _ended(status: int) -> str:
    if status >= 0:
        return f"it ended with status {status}"
    names = {Signal.value: Signal.name for Signal in signal.Signals}
    return f"it was ended by {names.get(-status, f'signal {-status}')}"


def _flag(value: bool) -> str:  # noqa: FBT001  it is a value
    return "true" if value else "false"
