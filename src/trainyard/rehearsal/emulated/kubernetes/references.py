"""What pods and bindings refer to, and what of it is not there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trainyard.rehearsal.emulated.kubernetes.controller_pods import ControllerPod
from trainyard.rehearsal.emulated.kubernetes.objects import Objects

_RBAC = "rbac.authorization.k8s.io"


def missing_before(objects: Objects, pod: ControllerPod) -> str | None:
    """Return why the API server would not admit a pod; None where it would."""
    account = pod.spec.get("serviceAccountName") or "default"
    if objects.get("serviceaccounts", pod.namespace, account) is None:
        return f'error looking up service account {pod.namespace}/{account}: serviceaccount "{account}" not found'
    priority = pod.spec.get("priorityClassName")
    if priority and objects.get("priorityclasses.scheduling.k8s.io", "", priority) is None:
        return f"no PriorityClass with name {priority} was found"
    return None


def missing_volumes(objects: Objects, pod: ControllerPod) -> str | None:
    """Return which volume of a pod cannot be mounted, in the kubelet's words; None where all can be."""
    for volume in pod.spec.get("volumes") or ():
        for kind, resource, name in _sources(volume):
            if objects.get(resource, pod.namespace, name) is None:
                return f'MountVolume.SetUp failed for volume "{volume["name"]}" : {kind} "{name}" not found'
        claim = (volume.get("persistentVolumeClaim") or {}).get("claimName")
        if claim and (reason := _unbound(objects, pod.namespace, claim)) is not None:
            return reason
    return None


def bound_volume(objects: Objects, claim: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the volume that a claim gets: the one that it names, or that names it."""
    metadata, spec = claim["metadata"], claim["spec"]
    for volume in objects.of("persistentvolumes"):
        reference = volume["spec"].get("claimRef") or {}
        named = spec.get("volumeName") == volume["metadata"]["name"]
        claimed = (reference.get("namespace"), reference.get("name")) == (metadata["namespace"], metadata["name"])
        if (named or claimed) and (volume["spec"].get("storageClassName") or "") == (
            spec.get("storageClassName") or ""
        ):
            return volume
    return None


def dangling_references(objects: Objects) -> Iterator[str]:
    """Yield what bindings and webhooks refer to that is not there. Kubernetes takes them all the same."""
    for resource in (f"rolebindings.{_RBAC}", f"clusterrolebindings.{_RBAC}"):
        for binding in objects.of(resource):
            yield from _of_binding(objects, binding)
    for kind in ("validating", "mutating"):
        for webhooks in objects.of(f"{kind}webhookconfigurations.admissionregistration.k8s.io"):
            yield from _of_webhooks(objects, webhooks)


def _sources(volume: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield kind, resource and name of what a volume is filled with."""
    for source in (volume, *((volume.get("projected") or {}).get("sources") or ())):
        config, secret = source.get("configMap") or {}, source.get("secret") or {}
        if config and not config.get("optional"):
            yield "configmap", "configmaps", config["name"]
        if secret and not secret.get("optional"):
            yield "secret", "secrets", secret.get("secretName") or secret["name"]


def _unbound(objects: Objects, namespace: str, name: str) -> str | None:
    claim = objects.get("persistentvolumeclaims", namespace, name)
    if claim is None:
        return f'persistentvolumeclaim "{name}" not found'
    volume = bound_volume(objects, claim)
    if volume is None:
        return "pod has unbound immediate PersistentVolumeClaims"
    driver = (volume["spec"].get("csi") or {}).get("driver")
    if driver and objects.get("csidrivers.storage.k8s.io", "", driver) is None:
        return f"driver name {driver} not found in the list of registered CSI drivers"
    return None


def _of_binding(objects: Objects, binding: Mapping[str, Any]) -> Iterator[str]:
    metadata, role = binding["metadata"], binding["roleRef"]
    what, namespace = f"{binding['kind']} {metadata['name']}", metadata.get("namespace", "")
    resource = {"Role": f"roles.{_RBAC}", "ClusterRole": f"clusterroles.{_RBAC}"}[role["kind"]]
    if objects.get(resource, namespace if role["kind"] == "Role" else "", role["name"]) is None:
        yield f"{what} grants {role['kind']} {role['name']}, which does not exist"
    for subject in binding.get("subjects") or ():
        place = subject.get("namespace", namespace)
        if subject["kind"] == "ServiceAccount" and objects.get("serviceaccounts", place, subject["name"]) is None:
            yield f"{what} is for service account {place}/{subject['name']}, which does not exist"


def _of_webhooks(objects: Objects, webhooks: Mapping[str, Any]) -> Iterator[str]:
    for webhook in webhooks.get("webhooks") or ():
        service = webhook["clientConfig"].get("service")
        if service and objects.get("services", service["namespace"], service["name"]) is None:
            what = f"{webhooks['kind']} {webhooks['metadata']['name']}"
            yield f"{what} calls service {service['namespace']}/{service['name']}, which does not exist"
