"""What reaches the nodes by ConfigMaps: trainyard-node.pyz, and what each type of node should have."""

from __future__ import annotations

import hashlib
from base64 import b64decode

import pytest

from tests.platforms.eks.rendering.manifests.clusters import ALL, P5, cluster, made, one
from tests.platforms.eks.rendering.manifests.strictly import containers, pods
from trainyard.bootstrap.pyz import trainyard_node_pyz
from trainyard_node.node_env import NAMES
from trainyard_node.this_node import assignments

FILE = "trainyard-node.pyz"
CONFIG_MAP_BYTES = 2**20  # of all values: https://kubernetes.io/docs/concepts/configuration/configmap/


def test_the_package_is_in_it_byte_by_byte_and_is_named_after_its_content():
    held = one(ALL, "node-files.yaml", "ConfigMap")
    content = b64decode(held["binaryData"][FILE])
    assert content == trainyard_node_pyz()
    assert held["metadata"]["name"].endswith(hashlib.sha256(content).hexdigest()[:16])
    assert held["immutable"] is True
    assert held == one(cluster(P5), "node-files.yaml", "ConfigMap")


# Kubernetes counts the bytes, and not the longer base64 that a manifest has of them:
# https://github.com/kubernetes/kubernetes/blob/master/pkg/apis/core/validation/validation.go
def test_the_package_leaves_room_below_what_a_config_map_holds():
    assert len(b64decode(one(ALL, "node-files.yaml", "ConfigMap")["binaryData"][FILE])) < 0.8 * CONFIG_MAP_BYTES


def test_pods_mount_the_package_by_that_name():
    name = one(ALL, "node-files.yaml", "ConfigMap")["metadata"]["name"]
    health = [document for document in made(ALL)["node-health.yaml"] if document["kind"] == "DaemonSet"]
    assert len(health) == 4
    for document in health:
        (pod,) = pods(document)
        assert name in [volume["configMap"]["name"] for volume in pod["spec"]["volumes"] if "configMap" in volume]
        commands = [found["command"] for found in containers(document)]
        assert commands[0][-2:] == [f"/package/{FILE}", f"/var/lib/trainyard/{FILE}"]
        assert commands[1][-2:] == ["/settings/node.env", "/etc/trainyard/node.env"]
        assert commands[2][:4] == ["chroot", "/host", "/usr/bin/python3", f"/var/lib/trainyard/{FILE}"]


@pytest.mark.parametrize(
    ("queue", "expected"),
    [
        ("train", ("p5.48xlarge", "gpu", "8", "32", "fabric-manager")),
        ("trn", ("trn1.32xlarge", "neuron", "0", "8", "none")),
        ("small", ("g5.xlarge", "gpu", "1", "0", "none")),
        ("cpu", ("m5.8xlarge", "cpu", "0", "0", "none")),
    ],
)
def test_settings_say_what_a_node_should_have(queue: str, expected: tuple[str, ...], tmp_path):
    maps = [found for found in made(ALL)["node-health.yaml"] if found["kind"] == "ConfigMap"]
    (held,) = [found for found in maps if found["metadata"]["name"].startswith(f"node-health-{queue}-")]
    file = tmp_path / "node.env"
    file.write_text(held["data"]["node.env"], encoding="utf-8")
    read = assignments(file)
    names = ("INSTANCE_TYPE", "SETUP", "GPUS", "EFA_INTERFACES", "FABRIC")
    assert tuple(read[f"TRAINYARD_{name}"] for name in names) == expected
    assert (read["TRAINYARD_CLUSTER"], read["TRAINYARD_QUEUE"]) == ("lab", queue)
    assert set(read) <= set(NAMES)


def test_a_queue_of_several_types_has_settings_for_each():
    queue = (
        "  - name: train\n    compute_resources:\n"
        "      - {name: a, instance_type: p5.48xlarge, nodes: 1}\n"
        "      - {name: b, instance_type: p5e.48xlarge, nodes: 1}"
    )
    found = [one["spec"] for one in made(cluster(queue))["node-health.yaml"] if one["kind"] == "DaemonSet"]
    selectors = [one["template"]["spec"]["nodeSelector"]["node.kubernetes.io/instance-type"] for one in found]
    assert selectors == ["p5.48xlarge", "p5e.48xlarge"]
