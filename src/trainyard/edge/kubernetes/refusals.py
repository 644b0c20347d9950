"""What kubectl says when it could not do it, told apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from trainyard.edge.remote_command import UnreachableError
from trainyard.errors import TrainyardError
from trainyard.foreign_text import quoted


class ForbiddenError(TrainyardError):
    """The API server answers, and lets whoever asks not do it."""


class NoSuchKindError(TrainyardError):
    """The cluster does not know the kind of what was asked for: its operator is not installed."""


class NotThereError(TrainyardError):
    """What was asked for by its name is not there."""


class TransientError(UnreachableError):
    """An answer was lost, or the API server has too much to do: the next one may come at once."""


# How kubectl words them, all of which it prints to standard error with status 1:
# https://github.com/kubernetes/kubernetes/blob/master/staging/src/k8s.io/kubectl/pkg/cmd/util/helpers.go
# https://github.com/kubernetes/kubernetes/blob/master/staging/src/k8s.io/apimachinery/pkg/api/errors/errors.go
_TRANSIENT = re.compile(
    r"ServiceUnavailable|TooManyRequests|etcdserver: |the server is currently unable to handle the request"
    r"|connection reset by peer|unexpected EOF|: EOF$|TLS handshake timeout",
    re.MULTILINE,
)
_UNREACHABLE = re.compile(
    r"Unable to connect to the server|The connection to the server .* was refused|i/o timeout|no such host"
    r"|connection refused|context deadline exceeded|network is unreachable|no route to host"
)
_FORBIDDEN = re.compile(r"\(Forbidden\)| is forbidden: ")
_UNAUTHORIZED = re.compile(r"You must be logged in to the server|\(Unauthorized\)")
_NO_SUCH_KIND = re.compile(
    r"the server doesn't have a resource type|no matches for kind|ensure CRDs are installed first"
)
_NOT_THERE = re.compile(r"\(NotFound\)")
_LONGEST = 600


def refusal(doing: str, cluster: str, status: int, output: Sequence[str]) -> TrainyardError:
    """Return the error of a kubectl that ended with a status; ``doing`` completes "kubectl could not …"."""
    text = "\n".join(output)
    shown = quoted(said, _LONGEST) if (said := _reason_text(output)) else f"it ended with status {status}"
    problem = f"kubectl could not {doing}: {shown}"
    is_unknown = _UNAUTHORIZED.search(text)
    if is_unknown or _FORBIDDEN.search(text):
        expired = "where the credentials have expired, sign in and run the same command again; " if is_unknown else ""
        hint = (
            f"{expired}the cluster admits whoever made it and eks.administrators of its spec: use their credentials, "
            "or let one of them add yours with `aws eks create-access-entry`"
        )
        return ForbiddenError(problem, where=cluster, hint=hint)
    if _NO_SUCH_KIND.search(text):
        return NoSuchKindError(problem, where=cluster, hint="install its operator: `trainyard deploy` does")
    if _NOT_THERE.search(text):
        return NotThereError(problem, where=cluster, hint="`kubectl get` lists what there is")
    if _TRANSIENT.search(text):
        return unreachable(cluster, shown, TransientError)
    if _UNREACHABLE.search(text):
        return unreachable(cluster, shown)
    return TrainyardError(problem, where=cluster, hint="put right what it names; if it may pass, try again")


def unreachable(
    cluster: str, reason: str, kind: Callable[..., UnreachableError] = UnreachableError
) -> UnreachableError:
    """Return the error of an API server that does not answer; ``kind`` is TransientError where it may at once."""
    hint = (
        "see that this machine is within access.allow_from of the spec, or in the VPC where eks.endpoint is private, "
        "and that no proxy stands between"
    )
    return kind(f"the Kubernetes API of {cluster} cannot be reached: {reason}", where="eks.endpoint", hint=hint)


def _reason_text(output: Sequence[str]) -> str:
    """Return the lines that say why, on one line: not the ones that client-go logs on the way."""
    lines = [line.strip() for line in output if line.strip() and not re.match(r"[IWEF]\d{4} ", line)]
    shown = "; ".join(dict.fromkeys(lines or [line.strip() for line in output if line.strip()]))
    return shown if len(shown) <= _LONGEST else shown[:_LONGEST] + " …"
