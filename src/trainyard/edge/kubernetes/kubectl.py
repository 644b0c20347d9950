"""What may be asked of an EKS cluster through kubectl, as those who operate clusters see it.

The interface::

    with kubectl_of(account, "llm") as kubectl:             # UnreachableError, ForbiddenError … as they come
        nodes = kubectl.get("nodes")                        # whole objects, of all namespaces where none is named
        kubectl.apply(documents, force_conflicts=True)      # server-side, field manager "trainyard"
        for line in kubectl.logs("pod", "default"): …       # as they come; closing the iterator ends kubectl

Everything has an end: a call of the API takes at most a minute, a whole command a few. What may pass is asked again,
for a quarter of a minute: see retries.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from trainyard.edge.aws.account import Account

FIELD_MANAGER = "trainyard"
"""Who owns the fields of what we apply."""


class Kubectl(Protocol):
    """What is asked of the API server of one cluster. Raises what ``refusals`` tells apart, all TrainyardErrors."""

    def get(self, resource: str, *, namespace: str | None = None, selector: str | None = None) -> list[dict[str, Any]]:
        """Return the objects of a kind, such as ``nodes`` or ``mpijobs.kubeflow.org``; of all namespaces by default.

        ``selector`` is one of labels. Raises NoSuchKindError where the cluster does not know the kind.
        """
        ...

    def apply(self, documents: Sequence[Mapping[str, Any]], *, force_conflicts: bool = False) -> list[str]:
        """Make the objects what the documents say, and return what kubectl said of each, a line for each."""
        ...

    def delete(self, documents: Sequence[Mapping[str, Any]]) -> list[str]:
        """Delete the objects that documents name, wait until they are gone, and return what kubectl said."""
        ...

    def drain(self, node: str) -> list[str]:
        """Evict the pods of a node but those of DaemonSets, and return why some are left; nothing where none are.

        A PodDisruptionBudget is such a reason. Files of emptyDir go, and pods that nothing makes again.
        """
        ...

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
        """Yield the lines of a pod's log without their ends, as they come. NotThereError where there is no such pod.

        ``since`` is a time as RFC 3339 writes it; with ``timestamps`` each line begins with its own. Without ``follow``
        it ends within two minutes.
        """
        ...

    def forward(self, target: str, namespace: str, ports: str) -> int:
        """Let ports of this machine lead to a pod or a service until Ctrl-C; return the exit status.

        ``target`` is such as ``service/grafana``, and ``ports`` such as ``8080:80``. It has the terminal.
        """
        ...

    def server_version(self) -> str:
        """Return the version of the API server, such as v1.35.2-eks-0123456."""
        ...


KubectlOf = Callable[[Account, str], AbstractContextManager[Kubectl]]
"""How the kubectl for a cluster is had: ``kubectl_of``, or what a rehearsal and tests give in its place."""
