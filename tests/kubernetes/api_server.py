"""The API server of a cluster, in memory: keeps objects, and says of workloads what their controllers would.

That of rehearsals admits, schedules and runs only what a cluster would, behind HTTP. This one holds whatever a test
puts there, also what no controller would write, and refuses in the words that a test plants. Kinds and selectors are
those of rehearsals.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from typing import Any

from trainyard.rehearsal.emulated.kubernetes.objects import built_in, is_chosen

Document = dict[str, Any]
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z ")


class RefusedError(Exception):
    """What kubectl would print to standard error, with status 1."""


class FakeApiServer:
    """Objects by their kind, namespace and name. A test changes ``objects`` and plants what is to go wrong."""

    def __init__(self, version: str = "v1.35.2-eks-0123456") -> None:
        self.version = version
        self.objects: list[Document] = []
        self.unready: set[str] = set()
        """Names of workloads whose pods never become ready."""
        self.refuses: str | None = None
        """What every call is answered with, such as ``Unable to connect to the server: dial tcp: i/o timeout``."""
        self.logs: dict[tuple[str, str], list[str]] = {}
        """Lines of logs by namespace and pod, or pod.container. A time as RFC 3339 writes it may stand before each."""
        self.applied: list[Document] = []
        self.forced: list[bool] = []
        self.deleted: list[Document] = []
        self.kinds = {kind.plural for kind in built_in()}

    def get(self, resource: str, namespace: str | None = None, selector: str | None = None) -> list[Document]:
        self._refuse()
        plural = self._plural(resource)
        found = [object_ for object_ in self.objects if plural_of(object_["kind"]) == plural]
        if namespace is not None:
            found = [one for one in found if one["metadata"].get("namespace", "default") == namespace]
        return [copy.deepcopy(one) for one in found if is_chosen(one, selector or "")]

    def apply(self, documents: Sequence[Document], *, force_conflicts: bool = False) -> list[str]:
        self._refuse()
        for document in documents:
            if plural_of(document["kind"]) not in self.kinds:
                unknown = f'"{document["kind"]}" in version "{document["apiVersion"]}"'
                raise RefusedError(
                    f'error: resource mapping not found for name: "{document["metadata"]["name"]}" namespace: "" '
                    f'from "STDIN": no matches for kind {unknown}\nensure CRDs are installed first'
                )
        return [self._put(document, forced=force_conflicts) for document in documents]

    def delete(self, documents: Sequence[Document]) -> list[str]:
        self._refuse()
        gone = []
        for document in documents:
            for object_ in [object_ for object_ in self.objects if key(object_) == key(document)]:
                self.objects.remove(object_)
                self.deleted.append(document)
                gone.append(f'{_said(document)} "{document["metadata"]["name"]}" deleted')
        return gone

    def log(
        self, pod: str, namespace: str, container: str | None = None, *, since: str | None = None, stamped: bool = False
    ) -> list[str]:
        """Return lines since a time, which has the precision of a second, with their times or without."""
        self._refuse()
        lines = self.logs.get((namespace, f"{pod}.{container}"), self.logs.get((namespace, pod)))
        if lines is None:
            raise RefusedError(f'Error from server (NotFound): pods "{pod}" not found')
        kept = [line for line in lines if since is None or not _TIME.match(line) or line[:19] >= since[:19]]
        return kept if stamped else [_TIME.sub("", line) for line in kept]

    def drain(self, node: str) -> list[str]:
        """Let the pods of a node go."""
        self._refuse()
        self.objects = [one for one in self.objects if one["kind"] != "Pod" or one["spec"].get("nodeName") != node]
        return []

    def server_version(self) -> str:
        self._refuse()
        return self.version

    def add(self, *documents: Document) -> None:
        """Put objects there as a controller would."""
        for document in documents:
            self._keep(document)

    def named(self, kind: str, name: str, namespace: str | None = None) -> Document:
        """Return one object to be looked at or changed."""
        return next(
            object_
            for object_ in self.objects
            if object_["kind"] == kind
            and object_["metadata"]["name"] == name
            and (namespace is None or object_["metadata"].get("namespace") == namespace)
        )

    def _put(self, document: Document, *, forced: bool) -> str:
        self.applied.append(document)
        self.forced.append(forced)
        if document["kind"] == "CustomResourceDefinition":
            self.kinds.add(document["spec"]["names"]["plural"])
        self._keep({**copy.deepcopy(document), **self._status(document)})
        return f"{_said(document)}/{document['metadata']['name']} serverside-applied"

    def _keep(self, document: Document) -> None:
        self.objects = [object_ for object_ in self.objects if key(object_) != key(document)] + [document]

    def _status(self, document: Document) -> Document:
        ready = document["metadata"]["name"] not in self.unready
        match document["kind"]:
            case "DaemonSet":
                wanted = len(self._nodes_for(document))
                count = wanted if ready else 0
                status = {"desiredNumberScheduled": wanted, "updatedNumberScheduled": wanted, "numberReady": count}
                return {"status": {"observedGeneration": 1, "numberAvailable": count, **status}}
            case "Deployment":
                wanted = document["spec"].get("replicas", 1)
                count = wanted if ready else 0
                status = {"replicas": wanted, "updatedReplicas": wanted, "readyReplicas": count}
                return {"status": {"observedGeneration": 1, "availableReplicas": count, **status}}
            case "CustomResourceDefinition":
                return {"status": {"conditions": [{"type": "Established", "status": "True"}]}}
        return {}

    def _nodes_for(self, document: Document) -> list[Document]:
        wanted = document["spec"]["template"]["spec"].get("nodeSelector", {})
        nodes = [object_ for object_ in self.objects if object_["kind"] == "Node"]
        return [one for one in nodes if wanted.items() <= one["metadata"].get("labels", {}).items()]

    def _plural(self, resource: str) -> str:
        plural = resource.partition(".")[0].lower()
        if plural not in self.kinds:
            raise RefusedError(f'error: the server doesn\'t have a resource type "{plural}"')
        return plural

    def _refuse(self) -> None:
        if self.refuses is not None:
            raise RefusedError(self.refuses)


def key(document: Mapping[str, Any]) -> tuple[str, str, str]:
    metadata = document["metadata"]
    return document["kind"], metadata.get("namespace", ""), metadata["name"]


def plural_of(kind: str) -> str:
    """Return the name of a kind's resource."""
    low = kind.lower()
    if low.endswith("s"):
        return f"{low}es"
    return f"{low[:-1]}ies" if low.endswith("cy") else f"{low}s"


def node(name: str, group: str, *, ready: bool = True, **labels: str) -> Document:
    """Return a node of a node group as the API server has it."""
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {"eks.amazonaws.com/nodegroup": group, "kubernetes.io/hostname": name, **labels},
        },
        "spec": {"providerID": f"aws:///us-east-2a/i-{abs(hash(name)):017x}"[:40]},
        "status": {
            "conditions": [{"type": "Ready", "status": "True" if ready else "False", "reason": "KubeletReady"}],
            "allocatable": {"cpu": "8", "memory": "16Gi", "pods": "58"},
            "capacity": {"cpu": "8", "memory": "16Gi", "pods": "58"},
            "nodeInfo": {"kubeletVersion": "v1.35.2-eks-0123456"},
        },
    }


def _said(document: Mapping[str, Any]) -> str:
    group = document["apiVersion"].rpartition("/")[0]
    return str(document["kind"]).lower() + (f".{group}" if group else "")
