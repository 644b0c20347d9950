"""Which pods are asked for: by their names, the jobs that they are of, or the nodes that they are on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase

from trainyard.edge.kubernetes.documents import Document, labels, parts, text
from trainyard.errors import InputError
from trainyard.operate.logs.cluster_log import Stream
from trainyard.operate.logs.log_filter import LogSelection
from trainyard.platforms.eks.job_sets import JOB_SET_NAME
from trainyard.platforms.eks.logs.stream_name import PodStreamName

# Of pods of Kubeflow's operators, of JobSets and of plain Jobs.
# https://github.com/kubeflow/training-operator/blob/v1.9.3/pkg/apis/kubeflow.org/v1/common_types.go
# https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/api/jobset/v1alpha2/jobset_types.go
# https://kubernetes.io/docs/reference/labels-annotations-taints/#job-name
_JOB_LABELS = ("training.kubeflow.org/job-name", JOB_SET_NAME, "batch.kubernetes.io/job-name", "job-name")
_MOST_SHOWN = 20


def pod_streams(documents: Sequence[Document], selection: LogSelection) -> tuple[Stream, ...]:
    """Return the containers of the pods that are asked for, by their names. Raises InputError where there is none."""
    chosen = list(documents)
    for option, names, fits in (
        ("--pod", selection.pods, _is_called),
        ("--job", selection.jobs, _is_of_job),
        ("--node", selection.nodes, _is_on),
    ):
        for name in names:
            if not any(fits(document, name) for document in documents):
                raise _none(option, name, documents)
        if names:
            chosen = [document for document in chosen if any(fits(document, name) for name in names)]
    streams = sorted((stream for document in chosen for stream in _streams(document)), key=lambda stream: stream.name)
    for kind in selection.kinds:
        if not any(stream.kind == kind for stream in streams):
            known = ", ".join(sorted({stream.kind for stream in streams})[:_MOST_SHOWN])
            raise InputError(f"no such pod has a container {kind!r}", where="--log", hint=f"there are {known}")
    return tuple(stream for stream in streams if not selection.kinds or stream.kind in selection.kinds)


def _streams(document: Document) -> Iterator[Stream]:
    """Yield the containers of a pod that have begun to log, or may have."""
    namespace, pod = text(document, "metadata", "namespace"), text(document, "metadata", "name")
    node = text(document, "spec", "nodeName") or None
    for key in ("initContainers", "containers"):
        for part in parts(document, "spec", key):
            name = PodStreamName(namespace, pod, text(part, "name"), node)
            yield Stream("/".join(name[:3]), name, None, None)


def _is_called(document: Document, pattern: str) -> bool:
    namespace, pod = text(document, "metadata", "namespace"), text(document, "metadata", "name")
    return fnmatchcase(f"{namespace}/{pod}" if "/" in pattern else pod, pattern)


def _is_of_job(document: Document, pattern: str) -> bool:
    namespace, _, name = pattern.rpartition("/")
    if namespace and text(document, "metadata", "namespace") != namespace:
        return False
    return any(text(labels(document), key) == name for key in _JOB_LABELS)


def _is_on(document: Document, pattern: str) -> bool:
    node = text(document, "spec", "nodeName")
    return bool(node) and pattern in (node, node.partition(".")[0])


def _none(option: str, name: str, documents: Iterable[Document]) -> InputError:
    what = {"--pod": "pod", "--job": "pod of a job", "--node": "pod on a node"}[option]
    name_list = {
        "--pod": (
            f"{text(document, 'metadata', 'namespace')}/{text(document, 'metadata', 'name')}" for document in documents
        ),
        "--job": (
            text(labels(document), key) for document in documents for key in _JOB_LABELS if text(labels(document), key)
        ),
        "--node": (text(document, "spec", "nodeName") for document in documents if text(document, "spec", "nodeName")),
    }[option]
    names = sorted(set(name_list))
    more = f" and {len(names) - _MOST_SHOWN} more" if len(names) > _MOST_SHOWN else ""
    hint = f"there are {', '.join(names[:_MOST_SHOWN])}{more}" if names else "there are none at all"
    return InputError(f"there is no {what} {name!r}", where=option, hint=hint)
