"""Amazon EKS: moto's clusters have no instances, and no add-ons, access entries, roles of pods or state.

https://docs.aws.amazon.com/eks/latest/APIReference/API_Operations.html
https://github.com/getmoto/moto/blob/5.2.5/moto/eks/models.py
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from moto.core.responses import ActionResult, BaseResponse
from moto.core.utils import camelcase_to_underscores

from trainyard.rehearsal.emulated.batch import request_model
from trainyard.rehearsal.emulated.eks import (
    access_entries,
    addons,
    clusters,
    node_groups,
    pod_identities,
    state,
    versions,
)
from trainyard.rehearsal.emulated.eks import tags as tagging
from trainyard.rehearsal.emulated.eks.state import clusters as held_clusters
from trainyard.rehearsal.emulated.eks.state import invalid
from trainyard.rehearsal.emulated.in_process_account import InProcessAccount

SIGNING_NAME = "eks"
_PAGE = 100  # https://docs.aws.amazon.com/eks/latest/APIReference/API_ListNodegroups.html
_ACTIONS: dict[str, Callable[[InProcessAccount, Mapping[str, Any]], dict[str, Any]]] = {
    "CreateCluster": clusters.create,
    "DescribeCluster": clusters.describe,
    "UpdateClusterConfig": clusters.update,
    "UpdateClusterVersion": clusters.update_version,
    "DeleteCluster": clusters.delete,
    "CreateNodegroup": node_groups.create,
    "DescribeNodegroup": node_groups.describe,
    "UpdateNodegroupConfig": node_groups.update,
    "UpdateNodegroupVersion": node_groups.update_version,
    "DeleteNodegroup": node_groups.delete,
    "CreateAddon": addons.create,
    "DescribeAddon": addons.describe,
    "DescribeAddonConfiguration": addons.configuration,
    "UpdateAddon": addons.update,
    "DeleteAddon": addons.delete,
    "CreateAccessEntry": access_entries.create,
    "DescribeAccessEntry": access_entries.describe,
    "DeleteAccessEntry": access_entries.delete,
    "AssociateAccessPolicy": access_entries.associate,
    "DisassociateAccessPolicy": access_entries.disassociate,
    "CreatePodIdentityAssociation": pod_identities.create,
    "DescribePodIdentityAssociation": pod_identities.describe,
    "DeletePodIdentityAssociation": pod_identities.delete,
    "DescribeUpdate": state.describe,
    "TagResource": tagging.tag,
    "UntagResource": tagging.untag,
    "ListTagsForResource": tagging.list_tags,
}
_LISTS: dict[str, tuple[str, Callable[[InProcessAccount, Mapping[str, Any]], list[Any]]]] = {
    "ListClusters": ("clusters", clusters.list_clusters),
    "DescribeClusterVersions": ("clusterVersions", versions.list_versions),
    "ListNodegroups": ("nodegroups", node_groups.list_groups),
    "ListAddons": ("addons", addons.list_addons),
    "DescribeAddonVersions": ("addons", versions.of_addons),
    "ListAccessEntries": ("accessEntries", access_entries.list_entries),
    "ListAssociatedAccessPolicies": ("associatedAccessPolicies", access_entries.policies),
    "ListPodIdentityAssociations": ("associations", pod_identities.list_associations),
    "ListUpdates": ("updateIds", state.list_updates),
}


def inventory(account_id: str, region: str) -> dict[str, list[str]]:
    """Return what exists."""
    every = held_clusters(InProcessAccount(region, account_id)).values()
    return {
        "EKS clusters": [cluster.name for cluster in every],
        "EKS node groups": [f"{cluster.name}/{name}" for cluster in every for name in cluster.node_groups],
        "EKS add-ons": [f"{cluster.name}/{name}" for cluster in every for name in cluster.addons],
        "EKS access entries": [f"{cluster.name}/{who}" for cluster in every for who in cluster.access_entries],
        "EKS pod identity associations": [
            f"{cluster.name}/{name}" for cluster in every for name in cluster.pod_identities
        ],
    }


class EksResponse(BaseResponse):
    """Answers EKS's calls."""

    def __init__(self) -> None:
        """Let moto take the parameters apart as the service's model says."""
        super().__init__(service_name="eks")
        self.automated_parameter_parsing = True

    def answer(self, action: str) -> ActionResult:
        """Answer any call; one that EKS would not take is refused."""
        request = {key: value for key, value in self.params.items() if value is not None}
        if wrong := request_model.problems("eks", action, request):
            raise invalid("; ".join(wrong))
        aws = InProcessAccount(self.region, self.current_account)
        if action in _ACTIONS:
            return ActionResult(_ACTIONS[action](aws, request))
        key, listed = _LISTS[action]
        return ActionResult(_page(key, listed(aws, request), request))


def _answering(action: str) -> Callable[[EksResponse], ActionResult]:
    return lambda self: self.answer(action)


for _action in (*_ACTIONS, *_LISTS):
    setattr(EksResponse, camelcase_to_underscores(_action), _answering(_action))


def _page(key: str, entries: list[Any], request: Mapping[str, Any]) -> dict[str, Any]:
    first, size = int(request.get("nextToken") or 0), min(int(request.get("maxResults") or _PAGE), _PAGE)
    more = {"nextToken": str(first + size)} if first + size < len(entries) else {}
    return {key: entries[first : first + size], **more}


RESPONSES = EksResponse
