"""What a Prometheus says when it gives no answer, and what may be done then."""

from __future__ import annotations

import json
import ssl
from collections.abc import Mapping
from typing import NamedTuple

from urllib3.exceptions import NameResolutionError, NewConnectionError, ProxyError, SSLError
from urllib3.exceptions import TimeoutError as NetworkTimeoutError

from trainyard.errors import TrainyardError

_SIGN_IN = "sign in with `aws sso login` or `aws configure`, or choose a profile with --profile"
_OWN_SECRET = "set TRAINYARD_PROMETHEUS_TOKEN, or TRAINYARD_PROMETHEUS_USER and TRAINYARD_PROMETHEUS_PASSWORD"  # noqa: S105  names of variables
# What of an answer tells why, in small letters, and what to do. The first that is found counts.
# https://github.com/prometheus-community/helm-charts/issues/4687
# https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-troubleshooting.html
_AMAZON_HINTS = (
    ("missing authentication token", "the request came without a signature: is there a proxy that removes headers?"),
    ("signature expired", "set the clock of this machine: a signature is good for minutes"),
    ("signature not yet current", "set the clock of this machine: a signature is good for minutes"),
    ("expired", f"the credentials have expired: {_SIGN_IN}"),
    ("security token included in the request is invalid", f"AWS does not know these credentials: {_SIGN_IN}"),
    ("should be scoped to", "the workspace is in another region: check its address and --region"),
    ("signature we calculated does not match", f"the secret key is not that of the access key: {_SIGN_IN}"),
    ("not authorized to perform", "ask for this permission; AmazonPrometheusQueryAccess has all that are needed"),
)


class Reply(NamedTuple):
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def unreachable(error: Exception, url: str, timeout_s: float) -> TrainyardError:
    """Return why there was no answer at all."""
    reason = _deepest(error)
    if isinstance(reason, ssl.SSLCertVerificationError):
        hint = "name the certificate of its authority in SSL_CERT_FILE, or use the name that the certificate is for"
        return TrainyardError(
            f"the certificate of {url} is not accepted: {reason.verify_message}", where=url, hint=hint
        )
    if isinstance(reason, (ssl.SSLError, SSLError)):
        return TrainyardError(
            f"{url} does not speak https: {_line(str(reason))}", where=url, hint="write http:// there"
        )
    # urllib3 counts a connection that is refused among the timeouts.
    if isinstance(error, NetworkTimeoutError | TimeoutError) and not isinstance(error, NewConnectionError):
        hint = "if it is the query that takes long, ask for a shorter time, or for fewer nodes"
        return TrainyardError(f"{url} did not answer within {timeout_s:g} s", where=url, hint=hint)
    if isinstance(error, ProxyError):
        return TrainyardError(
            f"the proxy did not lead to {url}: {_line(str(reason))}", where=url, hint="see HTTPS_PROXY"
        )
    if isinstance(error, NameResolutionError):
        return TrainyardError(f"nobody knows the name in {url}", where=url, hint="check the address and the network")
    hint = "is it running, and the port forwarded? `trainyard monitor view NAME --region REGION` says how"
    said = getattr(reason, "strerror", None) or _line(str(reason))
    return TrainyardError(f"no Prometheus answers at {url}: {said}", where=url, hint=hint)


def refused(reply: Reply, url: str) -> TrainyardError:
    """Return why it answered with something else than success."""
    said = _said(reply)
    amazon = _is_of_amazon(reply, url)
    if reply.status in {400, 422, 503} and (kind := _error_type(reply)):
        return _query_error(kind, said, url)
    if reply.status in {400, 401, 403} and amazon:
        hint = next((words for part, words in _AMAZON_HINTS if part in said.lower()), f"check the rights: {_SIGN_IN}")
        return TrainyardError(f"Amazon Managed Prometheus refuses: {said}", where=url, hint=hint)
    if reply.status == 404 and amazon:
        hint = "it may be deleted, or in another account or region: check the address, --region and --profile"
        return TrainyardError(f"there is no such workspace: {said}", where=url, hint=hint)
    hints = {
        401: f"it does not know who asks: {_OWN_SECRET}; one that has ended has to be renewed",
        403: f"who asks may not: {_OWN_SECRET}",
        404: "is it the address of a Prometheus? Behind a proxy it may stand below a path",
        429: "it is asked too much: wait, or look at fewer panels at once",
        503: "it may be starting: try again in a minute",
    }
    if 300 <= reply.status < 400:
        target = _line(reply.headers.get("Location", ""))
        return no_prometheus(url, f"it leads elsewhere, to {target}; is that a page to sign in?")
    problem = f"{url} answers with status {reply.status}{f': {said}' if said else ''}"
    return TrainyardError(problem, where=url, hint=hints.get(reply.status, "see its log; if it may pass, try again"))


def no_prometheus(url: str, why: str) -> TrainyardError:
    """Return that something else answers there."""
    return TrainyardError(f"what answers at {url} is no Prometheus: {why}", where=url, hint="check address and port")


def too_large(url: str, most_bytes: int) -> TrainyardError:
    """Return that an answer is larger than is reasonable."""
    problem = f"an answer of {url} is larger than {most_bytes >> 20} MiB"
    return TrainyardError(problem, where=url, hint="ask for a shorter time, or for fewer nodes")


def _query_error(kind: str, said: str, url: str) -> TrainyardError:
    hints = {
        "bad_data": "the query is not valid for this version of Prometheus",
        "timeout": "ask for a shorter time, or for fewer nodes",
        "canceled": "it is shutting down, or was asked too much at once: try again",
    }
    hint = hints.get(kind, "ask for a shorter time, or for fewer nodes")
    return TrainyardError(f"Prometheus could not answer the query: {said}", where=url, hint=hint)


def _said(reply: Reply) -> str:
    """Return the message of an answer on one line; empty where it is a page."""
    content = _content(reply)
    for key in ("error", "message", "Message"):
        if message := content.get(key):
            return _line(str(message))
    text = reply.body[:300].decode("utf-8", "replace")
    return "" if "<" in text else _line(text)


def _error_type(reply: Reply) -> str:
    return str(_content(reply).get("errorType", ""))


def _content(reply: Reply) -> dict[str, object]:
    try:
        content = json.loads(reply.body[:100_000])
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def _is_of_amazon(reply: Reply, url: str) -> bool:
    return "x-amzn-requestid" in reply.headers or "//aps-workspaces" in url


def _line(text: str) -> str:
    return " ".join(text.split())[:300]


def _deepest(error: BaseException) -> BaseException:
    for _ in range(5):
        wrapped = (getattr(error, "reason", None), error.__cause__, *error.args)
        inner = next((one for one in wrapped if isinstance(one, BaseException)), None)
        if inner is None:
            break
        error = inner
    return error
