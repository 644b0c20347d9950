"""What the Kubernetes API of a cluster says: nodes first, and then the rest at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from trainyard.edge.aws.account import Account
from trainyard.edge.kubernetes.documents import Document
from trainyard.edge.kubernetes.kubectl import Kubectl, KubectlOf
from trainyard.edge.kubernetes.refusals import NoSuchKindError
from trainyard.errors import TrainyardError
from trainyard.platforms.eks.status.jobs import RESOURCES

PART = "what Kubernetes knows: nodes, devices, pods, jobs, claims"
"""What is not known where the API does not answer."""
_AT_ONCE = 4  # processes of kubectl
_KINDS = ("pods", "daemonsets", "deployments", "persistentvolumes", "persistentvolumeclaims", *RESOURCES)


@dataclass(frozen=True, slots=True)
class Inside:
    """The objects of a cluster, by the kinds that were asked for."""

    nodes: list[Document]
    others: dict[str, list[Document]]
    unknown: dict[str, str] = field(default_factory=dict)
    """Why nobody knows those of a kind, by the kind."""

    def of(self, *kinds: str) -> list[Document]:
        """Return the objects of some kinds; none where nobody knows them."""
        return [document for kind in kinds for document in self.others.get(kind, ())]


def look_inside(account: Account, cluster: str, kubectl_of: KubectlOf) -> Inside:
    """Return what is in a cluster. Raises TrainyardError where its API does not answer, or kubectl is missing."""
    with kubectl_of(account, cluster) as kubectl:
        nodes = kubectl.get("nodes")
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            pending = {kind: pool.submit(_objects, kubectl, kind) for kind in _KINDS}
        answers = {kind: future.result() for kind, future in pending.items()}
    unknown = {f"{kind} of Kubernetes": answer for kind, answer in answers.items() if isinstance(answer, str)}
    return Inside(nodes, {kind: answer for kind, answer in answers.items() if not isinstance(answer, str)}, unknown)


def _objects(kubectl: Kubectl, kind: str) -> list[Document] | str:
    """Return the objects of a kind, none where the cluster does not know the kind; why not, where it refuses."""
    try:
        return kubectl.get(kind)
    except NoSuchKindError:
        return []
    except TrainyardError as error:
        return error.problem
