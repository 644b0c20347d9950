"""The API server of an emulated cluster: lists, applies and deletes, at the addresses that Kubernetes has.

https://kubernetes.io/docs/reference/using-api/api-concepts/
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote

from trainyard.rehearsal.emulated.breakdown import breakdown_at
from trainyard.rehearsal.emulated.eks.state import EmulatedEksCluster
from trainyard.rehearsal.emulated.kubernetes.eviction import evict
from trainyard.rehearsal.emulated.kubernetes.job_sets import JOB_SETS, child_jobs
from trainyard.rehearsal.emulated.kubernetes.objects import Key, Kind, Objects, is_chosen, objects_of
from trainyard.rehearsal.emulated.kubernetes.pods import ClusterView, cluster_view
from trainyard.rehearsal.emulated.kubernetes.references import dangling_references
from trainyard.rehearsal.emulated.kubernetes.statuses import with_status
from trainyard.rehearsal.emulated.resource import Aws

Answer = tuple[int, Any]
_PATH = re.compile(
    r"/(?:api/(?P<core>v1)|apis/(?P<group>[^/]+)/(?P<version>[^/]+))"
    r"(?:/namespaces/(?P<namespace>[^/]+)(?=/))?(?:/(?P<plural>[^/]+))?(?:/(?P<name>[^/]+))?(?:/(?P<part>[^/]+))?"
)
_SEEN = ("nodes", "pods", "events")
# https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
_SUBDOMAIN = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?")
_LABEL = re.compile(r"([a-zA-Z0-9]([a-zA-Z0-9._-]{0,61}[a-zA-Z0-9])?)?")
_DATA_BYTES = 2**20  # https://kubernetes.io/docs/concepts/configuration/configmap/
_TEMPLATED = ("daemonsets", "deployments", "statefulsets")


class Request(NamedTuple):
    """What somebody asks of the API server."""

    method: str
    path: str
    query: Mapping[str, list[str]]
    body: Any


def request_of(environ: Mapping[str, Any]) -> Request:
    """Return the request that a WSGI environment is."""
    text = environ["wsgi.input"].read()
    query = parse_qs(str(environ.get("QUERY_STRING", "")))
    return Request(str(environ["REQUEST_METHOD"]), unquote(str(environ["PATH_INFO"])), query, json.loads(text or b"{}"))


def answer(aws: Aws, cluster: EmulatedEksCluster, request: Request) -> Answer:
    """Answer a request."""
    if (broken := breakdown_at("api")) is not None:
        return _refused(503, "ServiceUnavailable", broken.message)
    page = _PAGES.get(request.path)
    if page is not None:
        return 200, page(cluster)
    match = _PATH.fullmatch(request.path)
    return _NOT_FOUND if match is None else _routed(aws, cluster, match.groupdict(), request)


def _routed(aws: Aws, cluster: EmulatedEksCluster, where: Mapping[str, str | None], request: Request) -> Answer:
    version = where["core"] or f"{where['group']}/{where['version']}"
    if where["plural"] is None:
        return _kinds_of_version(cluster, version)
    kind = _kind(cluster, version, where["plural"])
    if kind is None:
        return _NOT_FOUND
    if request.method == "GET":
        return _get(aws, cluster, kind, where, request)
    if where["part"] == "eviction":
        return evict(cluster_view(aws, cluster), str(where["namespace"]), str(where["name"]))
    if kind.resource == "nodes":
        return _change_node(cluster_view(aws, cluster), str(where["name"]), request)
    return _change(cluster, kind, where, request)


def _version(cluster: EmulatedEksCluster) -> dict[str, str]:
    version = cluster.described["version"]
    return {"major": "1", "minor": version.partition(".")[2], "gitVersion": f"v{version}.0-eks-emulated"}


def _versions(cluster: EmulatedEksCluster) -> list[str]:
    """Return group and version of all kinds, the core first."""
    return list(dict.fromkeys(kind.version for kind in objects_of(cluster).kinds()))


def _dangling(cluster: EmulatedEksCluster) -> list[str]:
    return list(dangling_references(objects_of(cluster)))


def _kinds_of_version(cluster: EmulatedEksCluster, version: str) -> Answer:
    kinds = [kind for kind in objects_of(cluster).kinds() if kind.version == version]
    resources = [{"name": kind.plural, "kind": kind.name, "namespaced": kind.namespaced} for kind in kinds]
    return 200, {"kind": "APIResourceList", "groupVersion": version, "resources": resources}


def _kind(cluster: EmulatedEksCluster, version: str, plural: str) -> Kind | None:
    return next(
        (kind for kind in objects_of(cluster).kinds() if (kind.version, kind.plural) == (version, plural)), None
    )


def _get(
    aws: Aws, cluster: EmulatedEksCluster, kind: Kind, where: Mapping[str, str | None], request: Request
) -> Answer:
    look = cluster_view(aws, cluster)
    if kind.resource in _SEEN:
        every: list[dict[str, Any]] = getattr(look, kind.resource)
    else:
        every = [with_status(look, kind.resource, document) for document in _held(look.objects, kind.resource)]
    selector = request.query.get("labelSelector", [""])[0]
    documents = [
        {**document, "apiVersion": kind.version}
        for document in every
        if where["namespace"] in (None, document["metadata"].get("namespace")) and is_chosen(document, selector)
    ]
    if where["name"] is None:
        return 200, {"kind": f"{kind.name}List", "apiVersion": kind.version, "items": documents}
    named = [document for document in documents if document["metadata"]["name"] == where["name"]]
    if not named:
        return _refused(404, "NotFound", f'{kind.resource} "{where["name"]}" not found')
    return 200, "" if where["part"] == "log" else named[0]


def _held(objects: Objects, resource: str) -> list[dict[str, Any]]:
    """Return the objects of a kind, with the Jobs that JobSets have made."""
    of_job_sets = objects.of(JOB_SETS) if resource == "jobs.batch" else ()
    return [*objects.of(resource), *(job for job_set in of_job_sets for job in child_jobs(objects, job_set))]


def _change(cluster: EmulatedEksCluster, kind: Kind, where: Mapping[str, str | None], request: Request) -> Answer:
    objects, name = objects_of(cluster), str(where["name"])
    namespace = (where["namespace"] or "default") if kind.namespaced else ""
    if namespace and objects.get("namespaces", "", namespace) is None:
        return _refused(404, "NotFound", f'namespaces "{namespace}" not found')
    key = (kind.resource, namespace, name)
    if request.method == "DELETE":
        gone = objects.remove(key)
        return (200, _DELETED) if gone else _refused(404, "NotFound", f'{kind.resource} "{name}" not found')
    return _apply(objects, kind, key, request)


def _change_node(look: ClusterView, name: str, request: Request) -> Answer:
    """Hold what is applied to a node. One that is not there is not made: kubelets alone register nodes here."""
    node = next((node for node in look.nodes if node["metadata"]["name"] == name), None)
    if request.method == "DELETE" or node is None:
        return _refused(404, "NotFound", f'nodes "{name}" not found')
    uid = node["metadata"]["uid"]
    if request.body["metadata"].get("uid", uid) != uid:
        return _refused(409, "Conflict", f"Precondition failed: UID in precondition: another one is {name}")
    look.objects.node_changes[uid] = request.body
    return 200, node


def _apply(objects: Objects, kind: Kind, key: Key, request: Request) -> Answer:
    """Hold an object, unless something is wrong with it or somebody else has applied another one."""
    name, manager = key[2], request.query["fieldManager"][0]
    if wrong := wrong_with(objects, kind, request.body):
        return _refused(422, "Invalid", f'{kind.name} "{name}" is invalid: {"; ".join(wrong)}')
    existing, former = objects.get(*key), objects.manager_of(key)
    forced = manager == former or request.query.get("force", ["false"])[0] == "true"
    if existing is not None and not forced and existing.get("spec") != request.body.get("spec"):
        return _refused(409, "Conflict", f'Apply failed with 1 conflict: conflict with "{former}" using {kind.version}')
    stored, is_new = objects.put(request.body, manager)
    return 201 if is_new else 200, stored


def _refused(status: int, reason: str, message: str) -> Answer:
    return status, {"kind": "Status", "status": "Failure", "reason": reason, "message": message, "code": status}


_DELETED = {"kind": "Status", "status": "Success"}
_NOT_FOUND = _refused(404, "NotFound", "the server could not find the requested resource")
_PAGES: dict[str, Callable[[EmulatedEksCluster], Any]] = {
    "/version": _version,
    "/apis": _versions,
    "/dangling": _dangling,
}


def wrong_with(objects: Objects, kind: Kind, document: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with an object of a known kind; nothing where it can be held."""
    return list(_wrong(kind, document)) + _fixed(objects, kind, document)


def _wrong(kind: Kind, document: Mapping[str, Any]) -> Iterator[str]:
    name = str(document["metadata"]["name"])
    # Names of roles may have a colon. https://kubernetes.io/docs/reference/access-authn-authz/rbac/
    if not kind.group.startswith("rbac") and _SUBDOMAIN.fullmatch(name) is None:
        yield f'metadata.name: Invalid value: "{name}": a lowercase RFC 1123 subdomain is wanted'
    for key, value in (document["metadata"].get("labels") or {}).items():
        if not isinstance(value, str) or _LABEL.fullmatch(value) is None:
            yield f"metadata.labels: Invalid value: {value!r} of {key}"
    if kind.plural in ("configmaps", "secrets") and len(json.dumps(document)) > _DATA_BYTES * 4 // 3:
        yield f"[]: Too long: may not be more than {_DATA_BYTES} bytes"
    if kind.plural in _TEMPLATED:
        selector = document["spec"]["selector"].get("matchLabels") or {}
        labels = document["spec"]["template"]["metadata"].get("labels") or {}
        if not selector.items() <= labels.items():
            yield f"spec.template.metadata.labels: Invalid value: {labels}: `selector` does not match template `labels`"


def _fixed(objects: Objects, kind: Kind, document: Mapping[str, Any]) -> list[str]:
    """Return what cannot be changed of what is there: the selector of a workload, the role of a binding."""
    metadata = document["metadata"]
    namespace = metadata.get("namespace", "default") if kind.namespaced else ""
    former = objects.get(kind.resource, namespace, metadata["name"])
    if former is None:
        return []
    if kind.plural in _TEMPLATED and former["spec"]["selector"] != document["spec"]["selector"]:
        return ["spec.selector: Invalid value: field is immutable"]
    if kind.plural in ("rolebindings", "clusterrolebindings") and former["roleRef"] != document["roleRef"]:
        return ["roleRef: Invalid value: cannot change roleRef"]
    return []
