"""The user's own kubectl on an EKS cluster. His kubeconfig is neither read nor written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Any

from trainyard.edge.aws.account import Account, program_variables
from trainyard.edge.aws.eks import find_cluster
from trainyard.edge.foreground import run_in_foreground
from trainyard.edge.kubernetes.documents import parts, text
from trainyard.edge.kubernetes.installed_kubectl import installed_kubectl
from trainyard.edge.kubernetes.kubectl import FIELD_MANAGER, Kubectl
from trainyard.edge.kubernetes.private_kubeconfig import private_kubeconfig
from trainyard.edge.kubernetes.refusals import refusal, unreachable
from trainyard.edge.kubernetes.retries import KubectlWithRetries
from trainyard.edge.watched_program import LastLines, ProgramResult, bounded_lines, end, run_watched, start_program
from trainyard.errors import TrainyardError
from trainyard.foreign_text import quoted

_STANDARD_ERROR = 2
_ONE_CALL_S = 60
_LOOK_S = 180.0
_LOG_S = 120.0
_CHANGE_S = 600.0
_DRAIN_S = 60
# https://github.com/kubernetes/kubectl/blob/master/pkg/drain/drain.go
_HELD_UP = re.compile(r"Cannot evict pod|global timeout reached|disruption budget")
_LONGEST_REASON = 300
# A job whose pods hang in a container is killed after its grace of 30 s; this is for finalizers of operators.
_GONE_WITHIN_S = 300


@contextmanager
def kubectl_of(account: Account, cluster_name: str) -> Iterator[Kubectl]:
    """Give the user's kubectl for a cluster, until the end of the block.

    Raises TrainyardError where the program is missing or there is no such cluster, UnreachableError where the cluster
    has no endpoint yet. Of an emulated account it is the one of the account.
    """
    if account.kubectl is not None:
        with account.kubectl(account, cluster_name) as emulated:
            yield emulated
        return
    program = installed_kubectl()
    eks_cluster = find_cluster(account, cluster_name)
    if eks_cluster is None:
        raise TrainyardError(
            f"there is no EKS cluster {cluster_name} in {account.region}",
            where=cluster_name,
            hint="check the name and --region; `aws eks list-clusters` lists them",
        )
    if not eks_cluster.endpoint:
        raise unreachable(cluster_name, f"it is {eks_cluster.status} and has no endpoint")
    with private_kubeconfig(eks_cluster, account.region) as kubeconfig:
        kubectl = ProgramKubectl(program.path, kubeconfig, program_variables(account), cluster_name)
        yield KubectlWithRetries(kubectl, account.clock)


class ProgramKubectl:
    """The program itself."""

    def __init__(self, program: str, kubeconfig: Path, variables: Mapping[str, str], cluster: str) -> None:
        """Take where the program is, the file that leads to the cluster, and how errors call the cluster."""
        # The file that KUBECONFIG names is merged with no other: what the user has stays out of it.
        self._variables = {**variables, "KUBECONFIG": str(kubeconfig)}
        self._program = program
        self._cluster = cluster

    def get(self, resource: str, *, namespace: str | None = None, selector: str | None = None) -> list[dict[str, Any]]:
        """Return the objects of a kind."""
        where = ["--all-namespaces"] if namespace is None else [f"--namespace={namespace}"]
        chosen = [] if selector is None else [f"--selector={selector}"]
        words = ["get", *where, *chosen, "--output=json", "--", resource]
        output = self._done(words, f"list {resource}", _LOOK_S).output
        return _objects(output, self._cluster) if output.strip() else []

    def apply(self, documents: Sequence[Mapping[str, Any]], *, force_conflicts: bool = False) -> list[str]:
        """Apply the documents on the server."""
        forced = ["--force-conflicts"] if force_conflicts else []
        words = ["apply", "--server-side", f"--field-manager={FIELD_MANAGER}", *forced, "--filename=-"]
        return _lines(self._done(words, f"apply {_named(documents)}", _CHANGE_S, _text(documents)).output)

    def delete(self, documents: Sequence[Mapping[str, Any]]) -> list[str]:
        """Delete what the documents name."""
        words = ["delete", "--ignore-not-found", "--wait=true", f"--timeout={_GONE_WITHIN_S}s", "--filename=-"]
        named = [_identity(document) for document in documents]
        return _lines(self._done(words, f"delete {_named(documents)}", _CHANGE_S, _text(named)).output)

    def drain(self, node: str) -> list[str]:
        """Evict the pods of a node, for a minute; kubectl itself asks for each of them again and again."""
        flags = ("--ignore-daemonsets", "--delete-emptydir-data", "--force", f"--timeout={_DRAIN_S}s")
        command = [self._program, "drain", *flags, "--", node]
        ended = run_watched(command, self._variables, timeout_s=_CHANGE_S)
        if ended.status == 0 and not ended.timed_out:
            return []
        if left := [line for line in ended.lines if _HELD_UP.search(line)]:
            return [quoted(line, _LONGEST_REASON) for line in left]
        raise refusal(f"drain {node}", self._cluster, ended.status, ended.lines)

    def logs(  # noqa: PLR0913  as many as kubectl has
        self,
        pod: str,
        namespace: str,
        *,
        container: str | None = None,
        previous: bool = False,
        since_s: int | None = None,
        since: str | None = None,
        follow: bool = False,
        tail: int | None = None,
        timestamps: bool = False,
    ) -> Iterator[str]:
        """Yield the lines of a log."""
        ago = None if since_s is None else f"{since_s}s"
        options = {"--container": container, "--since": ago, "--since-time": since, "--tail": tail}
        words = [f"{name}={value}" for name, value in options.items() if value is not None]
        flags = [name for name, is_set in _flags(previous, follow, timestamps) if is_set]
        command = ["logs", f"--namespace={namespace}", *words, *flags, "--", pod]
        return self._streamed(command, f"read the log of {pod}", None if follow else _LOG_S)

    def forward(self, target: str, namespace: str, ports: str) -> int:
        """Lead ports of this machine into the cluster."""
        words = ["port-forward", "--address=127.0.0.1", f"--namespace={namespace}", "--", target, ports]
        # What it prints about itself goes where progress goes; standard output is for results.
        return run_in_foreground([self._program, *words], self._variables, _STANDARD_ERROR)

    def server_version(self) -> str:
        """Return the version of the API server."""
        output = self._done(["version", "--output=json"], "ask for its version", _LOOK_S).output
        version = text(_parsed(output, self._cluster), "serverVersion", "gitVersion")
        if not version:
            raise _no_answer(output, self._cluster)
        return version

    def _done(self, words: Sequence[str], doing: str, timeout_s: float, stdin: str | None = None) -> ProgramResult:
        command = [self._program, f"--request-timeout={_ONE_CALL_S}s", *words]
        ended = run_watched(
            command, self._variables, timeout_s=timeout_s, content=None if stdin is None else stdin.encode()
        )
        if ended.timed_out:
            raise unreachable(self._cluster, f"kubectl did not end within {timeout_s:.0f} s")
        if ended.status:
            raise refusal(doing, self._cluster, ended.status, ended.lines)
        return ended

    def _streamed(self, words: Sequence[str], doing: str, timeout_s: float | None) -> Iterator[str]:
        # A request that has to end in a minute could not be followed; one that is not followed ends by itself.
        with start_program([self._program, *words], self._variables) as process:
            assert process.stdout is not None  # noqa: S101 - it was asked for
            assert process.stderr is not None  # noqa: S101 - as above
            late = None if timeout_s is None else Timer(timeout_s, end, (process,))
            if late is not None:
                late.daemon = True
                late.start()
            errors = LastLines(process.stderr)
            try:
                for line in bounded_lines(process.stdout):
                    yield line.decode("utf-8", "replace").rstrip("\r\n")
            finally:
                if late is not None:
                    late.cancel()
            status = process.wait()
            if status < 0:
                raise unreachable(self._cluster, f"kubectl did not {doing} within {_LOG_S:.0f} s")
            if status:
                raise refusal(doing, self._cluster, status, errors.text())


def _flags(previous: bool, follow: bool, timestamps: bool) -> tuple[tuple[str, bool], ...]:  # noqa: FBT001  values
    return (("--previous", previous), ("--follow", follow), ("--timestamps", timestamps))


def _objects(output: str, cluster: str) -> list[dict[str, Any]]:
    answer = _parsed(output, cluster)
    return parts(answer, "items") if "items" in answer else [answer]


def _parsed(output: str, cluster: str) -> dict[str, Any]:
    try:
        answer = json.loads(output)
    except ValueError as error:
        raise _no_answer(output, cluster) from error
    if not isinstance(answer, dict):
        raise _no_answer(output, cluster)
    return answer


def _no_answer(output: str, cluster: str) -> TrainyardError:
    return TrainyardError(
        f"kubectl answered with what no API server of Kubernetes says: {output.strip()[:80]!r}",
        where=cluster,
        hint="see that no proxy stands between, and that the `kubectl` of PATH is Kubernetes' own",
    )


def _text(documents: Sequence[Mapping[str, Any]]) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(documents)})


def _identity(document: Mapping[str, Any]) -> dict[str, Any]:
    metadata = {key: value for key, value in document["metadata"].items() if key in ("name", "namespace")}
    return {"apiVersion": document["apiVersion"], "kind": document["kind"], "metadata": metadata}


def _named(documents: Sequence[Mapping[str, Any]]) -> str:
    first = f"{documents[0]['kind']} {documents[0]['metadata']['name']}" if documents else "nothing"
    return first if len(documents) < 2 else f"{first} and {len(documents) - 1} more"


def _lines(output: str) -> list[str]:
    return [line for line in output.splitlines() if line.strip()]
