"""Which manifests a cluster gets, in which order, and what they fill in from the spec."""

from __future__ import annotations

import pytest
import yaml

from tests.platforms.eks.rendering.manifests.clusters import ALL, AMP, CPU, FSX, G5, P5, TRN1, cluster, made, one
from trainyard.platforms.eks.rendering.manifests import manifest_texts
from trainyard.platforms.eks.rendering.monitoring_slots import agent_document
from trainyard.platforms.eks.rendering.names import PROMETHEUS
from trainyard.render.stand_ins import Ids

ALWAYS = {"node-files.yaml", "node-health.yaml"}
NVIDIA, NEURON, EFA = (f"{name}-device-plugin.yaml" for name in ("nvidia", "neuron", "efa"))
VOLUMES = {"fsx-csi-driver.yaml", "fsx-volumes.yaml"}
OPERATORS = {"mpi-operator.yaml", "training-operator.yaml"}
AGENT = {"00-monitoring-namespace.yaml", "prometheus-agent.yaml", "node-exporter.yaml"}
MPI = "eks: {operators: [mpi-operator]}\nmonitoring: {mode: none}\n"
NO_OPERATORS = "eks: {operators: []}\nmonitoring: {mode: none}\n"


@pytest.mark.parametrize(
    ("queues", "more", "expected"),
    [
        (CPU, NO_OPERATORS, set()),
        (P5, NO_OPERATORS, {NVIDIA, EFA}),
        (P5, MPI, {NVIDIA, EFA, "mpi-operator.yaml", "bench-scripts.yaml"}),
        (TRN1, NO_OPERATORS, {NEURON, EFA}),
        (G5, NO_OPERATORS, {NVIDIA}),
        (CPU, f"{NO_OPERATORS}{FSX}", VOLUMES),
        (CPU, MPI, {"mpi-operator.yaml"}),
        (CPU, MPI.replace("mpi-operator", "jobset"), {"jobset.yaml"}),
        (CPU, "monitoring: {mode: none}\n", OPERATORS),
        (CPU, AMP, OPERATORS | AGENT),
        (G5, f"eks: {{operators: []}}\n{AMP}", {NVIDIA, "dcgm-exporter.yaml"} | AGENT),
        (TRN1, f"eks: {{operators: []}}\n{AMP}", {NEURON, EFA} | AGENT),
        (CPU, "eks: {operators: []}\nmonitoring: {mode: self-hosting}\n", AGENT),
    ],
)
def test_a_cluster_gets_what_its_spec_needs(queues: str, more: str, expected: set[str]):
    assert set(made(cluster(queues, more))) == ALWAYS | expected


def test_without_efa_in_a_queue_there_is_no_plugin_for_it():
    queue = "  - {name: train, instance_type: p5.48xlarge, nodes: 4, efa: false}"
    assert EFA not in made(cluster(queue))


def test_every_namespace_is_there_before_what_lies_in_it():
    known = {"kube-system", "default"}
    for name in sorted(made(ALL)):
        for document in made(ALL)[name]:
            assert document["metadata"].get("namespace", "default") in known, name
            known |= {document["metadata"]["name"]} if document["kind"] == "Namespace" else set()


def test_no_two_documents_have_a_kind_and_a_name_in_common():
    listed = [
        (document["kind"], document["metadata"].get("namespace"), document["metadata"]["name"])
        for documents in made(ALL).values()
        for document in documents
    ]
    assert len(set(listed)) == len(listed)


@pytest.mark.parametrize(
    ("file", "types"),
    [(NVIDIA, ["g5.xlarge", "p5.48xlarge"]), (NEURON, ["trn1.32xlarge"]), (EFA, ["p5.48xlarge", "trn1.32xlarge"])],
)
def test_device_plugins_run_on_the_instance_types_that_have_devices(file: str, types: list[str]):
    pod = one(ALL, file, "DaemonSet")["spec"]["template"]["spec"]
    required = pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    (term,) = required["nodeSelectorTerms"]
    assert term["matchExpressions"][0] == {
        "key": "node.kubernetes.io/instance-type",
        "operator": "In",
        "values": types,
    }


def test_what_runs_on_every_node_tolerates_every_taint():
    sets = [document for documents in made(ALL).values() for document in documents if document["kind"] == "DaemonSet"]
    assert len(sets) == 10
    for daemon_set in sets:
        assert {"operator": "Exists"} in daemon_set["spec"]["template"]["spec"]["tolerations"]


def test_a_made_file_system_is_a_volume_by_what_its_stack_says_of_it():
    ids = Ids({"FSxLustreFilesystemId": "fs-0aaaaaaaaaaaaaaaa", "FSxLustreMountName": "abcdefgh"})
    volume, claim = yaml.safe_load_all(manifest_texts(cluster(P5, FSX), ids)["fsx-volumes.yaml"])
    assert volume["spec"]["csi"] == {
        "driver": "fsx.csi.aws.com",
        "volumeHandle": "fs-0aaaaaaaaaaaaaaaa",
        "volumeAttributes": {
            "dnsname": "fs-0aaaaaaaaaaaaaaaa.fsx.us-east-2.amazonaws.com",
            "mountname": "abcdefgh",
        },
    }
    assert volume["spec"]["capacity"]["storage"] == claim["spec"]["resources"]["requests"]["storage"] == "4800Gi"
    assert volume["spec"]["persistentVolumeReclaimPolicy"] == "Retain"
    assert (claim["spec"]["volumeName"], claim["spec"]["storageClassName"]) == ("fsx", "")


def test_the_examples_mount_every_file_system_where_the_spec_has_it():
    (job,) = [job for job in made(ALL)["examples/pytorch-job-train.yaml"] if job["kind"] == "PyTorchJob"]
    pod = job["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]
    claims = {
        volume["name"]: volume["persistentVolumeClaim"]["claimName"]
        for volume in pod["volumes"]
        if "persistentVolumeClaim" in volume
    }
    found = {one["mountPath"]: claims.get(one["name"]) for one in pod["containers"][0]["volumeMounts"]}
    names = [one["metadata"]["name"] for one in made(ALL)["fsx-volumes.yaml"] if one["kind"].endswith("Claim")]
    assert {path: claim for path, claim in found.items() if claim} == dict(
        zip(("/fsx", "/data/sets"), names, strict=True)
    )


def test_the_agent_scrapes_as_the_collection_of_the_cluster_says_and_runs_as_who_has_the_role():
    spec = cluster(P5, AMP)
    told = one(spec, "prometheus-agent.yaml", "ConfigMap")["data"]["prometheus.yml"]
    assert yaml.safe_load(told) == agent_document(spec, Ids({}))
    pod = one(spec, "prometheus-agent.yaml", "Deployment")["spec"]["template"]["spec"]
    account = one(spec, "prometheus-agent.yaml", "ServiceAccount")["metadata"]
    assert (account["namespace"], account["name"], pod["serviceAccountName"]) == (*PROMETHEUS, PROMETHEUS.name)
    rules = one(spec, "prometheus-agent.yaml", "ClusterRole")["rules"]
    assert rules == [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "list", "watch"]}]


def test_images_of_the_spec_s_own_take_the_place_of_ours():
    spec = cluster(P5, "eks: {pytorch_image: 'registry.example.com/torch:2'}\n")
    text = manifest_texts(spec, Ids({}))["examples/pytorch-job-train.yaml"]
    assert "image: registry.example.com/torch:2" in text
