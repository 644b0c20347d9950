"""The connection to a Prometheus: its address, who asks, and what it means when there is no answer or a refusal."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from trainyard.edge.http_client import LOOPBACK, AttemptError, HttpClient, Reply, RetryPolicy
from trainyard.edge.prometheus_authorization import Anonymous, Authorization
from trainyard.errors import InputError, TrainyardError

# https://docs.aws.amazon.com/general/latest/gr/prometheus-service.html
AMAZON = re.compile(r"https://aps-workspaces(?:-fips)?\.([a-z0-9-]+)\.(?:amazonaws\.com|api\.aws)/workspaces/ws-")
# What people copy with the address.
_BEHIND_THE_ADDRESS = re.compile(r"/+(?:graph|query|api/v1(?:/(?:query|query_range|remote_write|write))?)?/*$")
# Somebody waits for the panel, and what takes long once takes long again.
_RETRY = RetryPolicy(attempts=3, first_pause_s=0.5, final=frozenset({"certificate", "slow", "tls", "too large"}))

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


@dataclass(frozen=True)
class Connection:
    """Asks one server, as one asker. Threads may share it."""

    url: str
    """Without /api/v1; `address` makes it of what people write."""
    authorization: Authorization = field(default_factory=Anonymous)
    answers_at: str | None = None
    """Where somebody else answers in its place, as an emulated account does; who is meant says the header Host."""
    http: HttpClient = field(default_factory=lambda: HttpClient(most_bytes=64 << 20, retry=_RETRY))

    @property
    def is_amazon(self) -> bool:
        """Return whether requests are signed for Amazon Managed Prometheus."""
        return self.authorization.is_amazon

    def ask(self, method: str, path: str, body: bytes = b"") -> Reply:
        """Return the answer, whatever its status. Asking changes nothing, so it is asked again where that may help.

        Raises TrainyardError where there is no answer.
        """
        try:
            reply = self._asked(method, path, body)
            if _has_expired(reply) and self.authorization.renew():
                reply = self._asked(method, path, body)
        except AttemptError as error:
            raise _unreachable(error, self.url, self.http.timeout_s) from error
        return reply

    def _asked(self, method: str, path: str, body: bytes) -> Reply:
        url = (self.answers_at or self.url) + path
        # What Prometheus itself gave up on, it would give up on again.
        return self.http.ask(method, url, lambda: self._headers(method, path, body), body or None, _error_type)

    def _headers(self, method: str, path: str, body: bytes) -> dict[str, str]:
        headers = {"Accept": "application/json"}
        if body:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        if urlsplit(self.url).hostname not in LOOPBACK:
            headers["Accept-Encoding"] = "gzip"  # on this machine packing takes longer than sending
        if self.answers_at:
            headers["Host"] = urlsplit(self.url).netloc
        return headers | self.authorization.headers(method, self.url + path, headers, body)


def address(written: str) -> str:
    """Return the address of a server without what stands behind it. Raises InputError for what is none."""
    try:
        parts = urlsplit(written.strip())
        port = parts.port
    except ValueError as error:
        raise InputError(f"{written!r} is no address: {error}", where="--prometheus", hint=_EXAMPLE) from error
    if "@" in parts.netloc:
        hint = "set TRAINYARD_PROMETHEUS_USER and TRAINYARD_PROMETHEUS_PASSWORD: arguments can be read by everybody"
        raise InputError("a password in an address would be seen by others", where="--prometheus", hint=hint)
    if parts.scheme not in {"http", "https"} or not parts.hostname or port == 0:
        raise InputError(f"{written!r} is not the address of a server", where="--prometheus", hint=_EXAMPLE)
    path = _BEHIND_THE_ADDRESS.sub("", parts.path)
    return f"{parts.scheme}://{parts.netloc}{path}"


_EXAMPLE = "write it as http://localhost:9090, or as https://aps-workspaces.us-east-2.amazonaws.com/workspaces/ws-…"


def refusal_of(reply: Reply, url: str) -> TrainyardError:
    """Return why it answered with something else than success."""
    message = _message_of(reply)
    amazon = _is_of_amazon(reply, url)
    if reply.status in {400, 422, 503} and (kind := _error_type(reply)):
        return _query_error(kind, message, url)
    if reply.status in {400, 401, 403} and amazon:
        hint = next(
            (words for part, words in _AMAZON_HINTS if part in message.lower()), f"check the rights: {_SIGN_IN}"
        )
        return TrainyardError(f"Amazon Managed Prometheus refuses: {message}", where=url, hint=hint)
    if reply.status == 404 and amazon:
        hint = "it may be deleted, or in another account or region: check the address, --region and --profile"
        return TrainyardError(f"there is no such workspace: {message}", where=url, hint=hint)
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
    problem = f"{url} answers with status {reply.status}{f': {message}' if message else ''}"
    return TrainyardError(problem, where=url, hint=hints.get(reply.status, "see its log; if it may pass, try again"))


def no_prometheus(url: str, why: str) -> TrainyardError:
    """Return that something else answers there."""
    return TrainyardError(f"what answers at {url} is no Prometheus: {why}", where=url, hint="check address and port")


def _unreachable(error: AttemptError, url: str, timeout_s: float) -> TrainyardError:
    """Return why there was no answer at all."""
    hint = "is it running, and the port forwarded? `trainyard monitor view NAME --region REGION` says how"
    problem = f"no Prometheus answers at {url}: {error.reason}"
    match error.failure:
        case "certificate":
            problem = f"the certificate of {url} is not accepted: {error.reason}"
            hint = "name the certificate of its authority in SSL_CERT_FILE, or use the name that the certificate is for"
        case "tls":
            problem, hint = f"{url} does not speak https: {error.reason}", "write http:// there"
        case "slow" | "timeout":
            problem = f"{url} did not answer within {timeout_s:g} s"
            hint = "if it is the query that takes long, ask for a shorter time, or for fewer nodes"
        case "too large":
            problem, hint = f"an answer of {url} {error.reason}", "ask for a shorter time, or for fewer nodes"
        case "proxy":
            problem, hint = f"the proxy did not lead to {url}: {error.reason}", "see HTTPS_PROXY"
        case "name":
            problem, hint = f"nobody knows the name in {url}", "check the address and the network"
    return TrainyardError(problem, where=url, hint=hint)


def _query_error(kind: str, message: str, url: str) -> TrainyardError:
    hints = {
        "bad_data": "the query is not valid for this version of Prometheus",
        "timeout": "ask for a shorter time, or for fewer nodes",
        "canceled": "it is shutting down, or was asked too much at once: try again",
    }
    hint = hints.get(kind, "ask for a shorter time, or for fewer nodes")
    return TrainyardError(f"Prometheus could not answer the query: {message}", where=url, hint=hint)


def _message_of(reply: Reply) -> str:
    """Return the message of an answer on one line; empty where it is a page."""
    content = reply.content()
    for key in ("error", "message", "Message"):
        if message := content.get(key):
            return _line(str(message))
    text = reply.body[:300].decode("utf-8", "replace")
    return "" if "<" in text else _line(text)


def _error_type(reply: Reply) -> str:
    """Return how Prometheus itself classes an error, such as bad_data; empty where somebody else answers."""
    return str(reply.content().get("errorType", ""))


def _is_of_amazon(reply: Reply, url: str) -> bool:
    return "x-amzn-requestid" in reply.headers or "//aps-workspaces" in url


def _line(text: str) -> str:
    return " ".join(text.split())[:300]


def _has_expired(reply: Reply) -> bool:
    return reply.status in {400, 401, 403} and b"expired" in reply.body[:2000].lower()
