"""No container may more than it needs: what is privileged, who talks to Kubernetes, and what each asks for."""

from __future__ import annotations

from typing import Any

import pytest

from tests.platforms.eks.rendering.manifests.clusters import ALL, P5, SPECS, bench_jobs, cluster, made
from tests.platforms.eks.rendering.manifests.strictly import containers, pods

# Each for a reason that stands beside it: GPUs and EFA devices, mounts that pods are to see, Neuron devices.
PRIVILEGED = {"trainyard-node", "fsx-plugin", "aws-efa-k8s-device-plugin"}
CAPABILITIES = {"dcgm-exporter": ["SYS_ADMIN"], "pytorch": ["IPC_LOCK"], "worker": ["IPC_LOCK"]}
WITH_ACCOUNT = {
    "neuron-device-plugin", "fsx-csi-node-sa", "mpi-operator", "training-operator", "prometheus-agent",
    "jobset-controller-manager",
}  # fmt: skip


def listed(name: str) -> list[dict[str, Any]]:
    files = {**made(SPECS[name]), **bench_jobs(SPECS[name])}
    return [document for documents in files.values() for document in documents]


@pytest.mark.parametrize("name", SPECS)
def test_only_what_needs_devices_or_mounts_is_privileged(name: str):
    for document in listed(name):
        for container in containers(document):
            context = container["securityContext"]
            if context.get("privileged"):
                assert container["name"] in PRIVILEGED
                continue
            # What adds SYS_ADMIN may escalate by that alone, and Kubernetes refuses both together.
            assert context.get("allowPrivilegeEscalation") is (None if container["name"] == "dcgm-exporter" else False)
            assert context.get("capabilities", {}).get("add") == CAPABILITIES.get(container["name"])
            if document["kind"] != "MPIJob":  # whose SSH server changes users and folders
                assert context["capabilities"]["drop"] == ["ALL"]


def test_the_plugin_of_efa_is_privileged_only_beside_neuron():
    def context(queues: Any) -> dict[str, Any]:
        (found,) = [one for document in made(queues)["efa-device-plugin.yaml"] for one in containers(document)]
        return dict(found["securityContext"])

    assert context(cluster(P5))["privileged"] is False
    assert context(ALL)["privileged"] is True


@pytest.mark.parametrize("name", SPECS)
def test_every_container_asks_for_processors_and_memory_and_is_limited_in_memory(name: str):
    for document in listed(name):
        for container in containers(document):
            assert {"cpu", "memory"} <= container["resources"]["requests"].keys()
            assert {"memory"} <= container["resources"]["limits"].keys()
            assert "cpu" not in container["resources"]["limits"]


@pytest.mark.parametrize("name", SPECS)
def test_only_those_with_an_account_of_their_own_get_its_token(name: str):
    for document in listed(name):
        for pod in pods(document):
            account = pod["spec"].get("serviceAccountName")
            assert pod["spec"].get("automountServiceAccountToken") is (None if account else False)
            assert account is None or account in WITH_ACCOUNT


def test_no_role_has_everything_and_only_the_operator_that_makes_keys_reaches_secrets_of_others():
    roles = [one for one in listed("all") if one["kind"] in {"ClusterRole", "Role"}]
    assert len(roles) >= 5
    for role in roles:
        for rule in role["rules"]:
            assert not {"*"} & {*rule["apiGroups"], *rule["resources"], *rule["verbs"]}
            allowed = role["kind"] == "Role" or role["metadata"]["name"] == "mpi-operator"
            assert "secrets" not in rule["resources"] or allowed


def test_the_node_s_files_are_only_read_but_for_two_folders_of_ours():
    written = {"/var/lib/trainyard", "/etc/trainyard"}
    for document in made(ALL)["node-health.yaml"]:
        for pod in pods(document):
            paths = {one["name"]: one["hostPath"]["path"] for one in pod["spec"]["volumes"] if "hostPath" in one}
            mounts = [mount for container in containers(document) for mount in container["volumeMounts"]]
            found = {paths[mount["name"]] for mount in mounts if mount["name"] in paths and not mount.get("readOnly")}
            assert found == written
