"""A kubectl for clusters of an emulated account: it asks the emulated API server, and no program runs.

Errors read as those of the real kubectl do, which deploying and operating tell apart by their words.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.eks import find_cluster
from trainyard.edge.kubernetes.kubectl import FIELD_MANAGER, Kubectl
from trainyard.edge.kubernetes.refusals import NotThereError, TransientError, refusal, unreachable
from trainyard.edge.kubernetes.retries import KubectlWithRetries
from trainyard.errors import TrainyardError
from trainyard.rehearsal.emulated.emulated_account import KEY_HEADER

_TIMEOUT_S = 60.0
_FOUND = 300
_HELD_UP = 429
_MOST_RETRIES = 10
_CORE = "v1"


@contextmanager
def emulated_kubectl_of(account: Account, cluster_name: str) -> Iterator[EmulatedKubectl]:
    """Give a kubectl for a cluster. Raises TrainyardError where there is none, UnreachableError where none answers."""
    eks_cluster = find_cluster(account, cluster_name)
    if eks_cluster is None:
        raise TrainyardError(f"there is no EKS cluster {cluster_name} in {account.region}", where=cluster_name)
    if not eks_cluster.endpoint:
        raise unreachable(cluster_name, f"it is {eks_cluster.status} and has no endpoint")
    yield EmulatedKubectl(account, cluster_name, str(urlsplit(eks_cluster.endpoint).hostname))


@contextmanager
def retried_kubectl_of(account: Account, cluster_name: str) -> Iterator[Kubectl]:
    """Give the same kubectl as deploying has it, which asks again where an answer was lost."""
    with emulated_kubectl_of(account, cluster_name) as kubectl:
        yield KubectlWithRetries(kubectl, account.clock)


class EmulatedKubectl:
    """What kubectl does of all that is asked of it."""

    def __init__(self, account: Account, cluster: str, host: str, manager: str = FIELD_MANAGER) -> None:
        """Take the account, the names of the cluster and of its API server, and who applies."""
        self._account, self._cluster, self._host, self._manager = account, cluster, host, manager

    def get(self, resource: str, *, namespace: str | None = None, selector: str | None = None) -> list[dict[str, Any]]:
        """Return the objects of a kind."""
        version, kind = self._named(resource)
        where = f"/namespaces/{quote(namespace)}" if namespace is not None and kind["namespaced"] else ""
        query = {"labelSelector": selector} if selector else {}
        answer = self._done("GET", f"{_root(version)}{where}/{kind['name']}", f"list {resource}", query)
        items: list[dict[str, Any]] = answer["items"]
        return [{**item, "kind": kind["kind"]} for item in items]

    def apply(self, documents: Sequence[Mapping[str, Any]], *, force_conflicts: bool = False) -> list[str]:
        """Apply the documents, and say what became of each."""
        query = {"fieldManager": self._manager, "force": str(force_conflicts).lower()}
        applied = []
        for document in documents:
            what = _what(document)
            self._done("PATCH", self._path(document), f"apply {what}", query, document)
            applied.append(f"{what} serverside-applied")
        return applied

    def delete(self, documents: Sequence[Mapping[str, Any]]) -> list[str]:
        """Delete what the documents name, as far as it is there."""
        gone = []
        for document in documents:
            try:
                self._done("DELETE", self._path(document), f"delete {_what(document)}")
            except NotThereError:
                continue
            gone.append(f"{_what(document)} deleted")
        return gone

    def drain(self, node: str) -> list[str]:
        """Evict the pods of a node once, and return those that a budget holds there."""
        left = []
        for pod in self.get("pods"):
            owners = {owner["kind"] for owner in pod["metadata"].get("ownerReferences", ())}
            if pod["spec"].get("nodeName") != node or "DaemonSet" in owners:
                continue
            namespace, name = pod["metadata"]["namespace"], pod["metadata"]["name"]
            path = f"/api/v1/namespaces/{quote(namespace)}/pods/{quote(name)}/eviction"
            status, answer = self._asked("POST", path, {}, {})
            if status == _HELD_UP:
                left.append(f'error when evicting pods/"{name}" -n "{namespace}": {answer["message"]}')
            elif status >= _FOUND:
                raise refusal(f"drain {node}", self._cluster, 1, [f"Error from server: {answer.get('message', '')}"])
        return left

    def logs(self, pod: str, namespace: str, **options: Any) -> Iterator[str]:
        """Yield nothing of a pod that there is: no container runs."""
        del options
        path = f"/api/v1/namespaces/{quote(namespace)}/pods/{quote(pod)}/log"
        yield from str(self._done("GET", path, f"read the log of {pod}")).splitlines()

    def forward(self, target: str, namespace: str, ports: str) -> int:
        """Refuse: nothing listens."""
        raise TrainyardError(f"{target} in {namespace} does not listen on {ports}: the cluster is emulated")

    def server_version(self) -> str:
        """Return the version of the API server."""
        return str(self._done("GET", "/version", "ask for its version")["gitVersion"])

    def dangling(self) -> list[str]:
        """Return what bindings and webhooks of the cluster refer to that is not there; no real API server tells."""
        missing: list[str] = self._done("GET", "/dangling", "ask what is missing")
        return missing

    def _path(self, document: Mapping[str, Any]) -> str:
        version, metadata = document["apiVersion"], document["metadata"]
        kind = next((known_kind for known_kind in self._known(version) if known_kind["kind"] == document["kind"]), None)
        if kind is None:
            missing = f'no matches for kind "{document["kind"]}" in version "{version}"'
            raise refusal(f"apply {_what(document)}", self._cluster, 1, [f"{missing}; ensure CRDs are installed first"])
        namespace = metadata.get("namespace", "default")
        where = f"/namespaces/{quote(namespace)}" if kind["namespaced"] else ""
        return f"{_root(version)}{where}/{kind['name']}/{quote(metadata['name'])}"

    def _named(self, resource: str) -> tuple[str, Mapping[str, Any]]:
        """Return group and version, and the kind, of what kubectl calls nodes or daemonsets.apps."""
        plural, _, group = resource.partition(".")
        for version in self._versions():
            if group in ("", version.rpartition("/")[0]):
                for known_kind in self._known(version):
                    if known_kind["name"] == plural:
                        return version, known_kind
        missing = f'the server doesn\'t have a resource type "{resource}"'
        raise refusal(f"list {resource}", self._cluster, 1, [missing])

    def _versions(self) -> list[str]:
        versions: list[str] = self._done("GET", "/apis", "ask what it knows")
        return versions

    def _known(self, version: str) -> list[dict[str, Any]]:
        resources: list[dict[str, Any]] = self._done("GET", _root(version), "ask what it knows")["resources"]
        return resources

    def _done(
        self, method: str, path: str, doing: str, query: Mapping[str, str] | None = None, body: Any = None
    ) -> Any:
        status, answer = self._asked(method, path, query or {}, body)
        if status < _FOUND:
            return answer
        message = f"Error from server ({answer.get('reason', 'Unknown')}): {answer.get('message', '')}"
        raise refusal(doing, self._cluster, 1, [message])

    def _asked(self, method: str, path: str, parameters: Mapping[str, str], body: Any) -> tuple[int, Any]:
        """Ask as kubectl does: ten times where the server says when, and also without that what only reads.

        https://github.com/kubernetes/kubernetes/blob/master/staging/src/k8s.io/client-go/rest/with_retry.go
        """
        for _ in range(_MOST_RETRIES):
            try:
                status, answer, is_to_come_again = self._asked_once(method, path, parameters, body)
            except TransientError:
                if method != "GET":
                    raise
            else:
                if not is_to_come_again:
                    break
            self._account.clock.sleep(1.0)
        else:
            status, answer, _ = self._asked_once(method, path, parameters, body)
        return status, answer

    def _asked_once(self, method: str, path: str, parameters: Mapping[str, str], body: Any) -> tuple[int, Any, bool]:
        address = urlsplit(self._account.endpoint or "")
        connection = HTTPConnection(str(address.hostname), address.port, timeout=_TIMEOUT_S)
        query = f"?{urlencode(parameters)}" if parameters else ""
        try:
            headers = {"Host": self._host, KEY_HEADER: self._account.access_key_id}
            text = None if body is None else json.dumps(body)
            connection.request(method, f"{path}{query}", body=text, headers=headers)
            response = connection.getresponse()
            return response.status, _answer(response.read()), "Retry-After" in response.headers
        except (ConnectionError, HTTPException) as error:
            raise unreachable(self._cluster, f"connection reset by peer: {error}", TransientError) from error
        except OSError as error:
            raise unreachable(self._cluster, str(error)) from error
        finally:
            connection.close()


def _answer(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:  # no API server said so, but what stands before it
        message = "the server is currently unable to handle the request"
        return {"reason": "ServiceUnavailable", "message": message}


def _root(version: str) -> str:
    return f"/api/{version}" if version == _CORE else f"/apis/{version}"


def _what(document: Mapping[str, Any]) -> str:
    return f"{str(document['kind']).lower()}/{document['metadata']['name']}"
