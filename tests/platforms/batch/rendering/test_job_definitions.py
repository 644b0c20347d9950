"""Job definitions, the compute environment and the queue as the API of Batch takes them, judged by botocore's model."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.architectures.by_platform import architectures_on
from tests.platforms.batch.rendering.api_model import as_api, problems
from tests.platforms.batch.rendering.resolved import resources_of, stack_of
from trainyard.render.bench.plan import bench_files
from trainyard.spec.parsing import parse

SPECS = {one.name: parse(one.text, one.name).spec for one in architectures_on("batch")}
EACH = pytest.mark.parametrize("name", SPECS)
NUMBERS = ("numNodes", "mainNode", "attempts")


def of(part: str) -> dict[str, dict[str, Any]]:
    return resources_of(stack_of(part))


def queue(rest: str) -> str:
    return f"queues: [{{name: q, {rest}, nodes: {{min: 0, max: 4}}}}]"


def container(made: dict[str, dict[str, Any]], job: str) -> dict[str, Any]:
    (nodes,) = made[job]["NodeProperties"]["NodeRangeProperties"]
    found: dict[str, Any] = nodes["Container"]
    return found


def numbers(node: Any) -> Any:
    """Return it with numbers for texts where the API wants those: CloudFormation turns one into the other."""
    if isinstance(node, list):
        return [numbers(one) for one in node]
    if isinstance(node, dict):
        return {key: int(one) if key in NUMBERS else numbers(one) for key, one in node.items()}
    return node


@EACH
def test_the_api_takes_every_job_definition(name: str):
    made = resources_of(stack_of(SPECS[name]))
    jobs = {key: one for key, one in made.items() if key.endswith("Job")}
    assert set(jobs) == {"StressJob", "TorchrunJob", *(() if "trn" in name else ("NcclJob",))}
    for job in jobs.values():
        assert problems("batch", "RegisterJobDefinition", numbers(as_api(job))) == []


@EACH
def test_every_job_definition_is_as_small_as_batch_wants_it(name: str):
    # 24 KiB: https://docs.aws.amazon.com/batch/latest/userguide/service_limits.html (read 2026-11-22)
    for key, one in resources_of(stack_of(SPECS[name])).items():
        if key.endswith("Job"):
            assert len(json.dumps(numbers(as_api(one))).encode()) < 0.9 * 24 * 1024


@EACH
def test_the_api_takes_the_compute_environment_and_the_queue(name: str):
    made = resources_of(stack_of(SPECS[name]))
    environment = made["ComputeEnvironment"]
    wanted = {"computeEnvironmentName": "made", **as_api(environment)}
    for of_updates in ("replaceComputeEnvironment", "updatePolicy"):
        del wanted[of_updates]
    for key in ("minvCpus", "maxvCpus"):
        wanted["computeResources"][key] = int(wanted["computeResources"][key])
    wanted["computeResources"]["tags"] = environment["ComputeResources"]["Tags"]
    assert problems("batch", "CreateComputeEnvironment", wanted) == []
    assert problems("batch", "CreateJobQueue", as_api(made["JobQueue"])) == []


def test_the_model_would_find_a_wrong_value_and_a_wrong_key():
    job = numbers(as_api(of(queue("instance_type: p4d.24xlarge"))["StressJob"]))
    job["type"] = "multi-node"
    job["nodeProperties"]["nodes"] = 2
    found = "\n".join(problems("batch", "RegisterJobDefinition", job))
    assert "multi-node" in found
    assert '"nodes"' in found


@EACH
def test_another_number_of_nodes_is_possible_for_every_job(name: str):
    """https://docs.aws.amazon.com/batch/latest/APIReference/API_NodeOverrides.html: a range without an end."""
    for key, one in resources_of(stack_of(SPECS[name])).items():
        if key.endswith("Job"):
            assert [nodes["TargetNodes"] for nodes in one["NodeProperties"]["NodeRangeProperties"]] == ["0:"]
            assert one["NodeProperties"]["MainNode"] == 0


@EACH
def test_submissions_of_the_bandwidth_tests_name_what_the_stack_makes(name: str):
    made = resources_of(stack_of(SPECS[name]))
    for content in bench_files(SPECS[name]).values():
        submitted = json.loads(content)
        assert problems("batch", "SubmitJob", submitted) == []
        assert submitted["jobQueue"] == made["JobQueue"]["JobQueueName"]
        assert submitted["jobDefinition"] == made["NcclJob"]["JobDefinitionName"]


@pytest.mark.parametrize(
    ("instance_type", "efa", "neuron", "gpus", "ranks"),
    [
        ("p4d.24xlarge", 4, 0, "8", "8"),
        ("p5.48xlarge", 32, 0, "8", "8"),
        ("p5en.48xlarge", 16, 0, "8", "8"),
        ("p6-b200.48xlarge", 8, 0, "8", "8"),
        ("p6-b300.48xlarge", 16, 0, "8", "8"),
        ("trn1.32xlarge", 8, 16, None, "32"),
        ("m5.large", 0, 0, None, "1"),
    ],
)
def test_a_container_gets_the_devices_of_its_node(
    instance_type: str, efa: int, neuron: int, gpus: str | None, ranks: str
):
    made = of(queue(f"instance_type: {instance_type}"))
    found = container(made, "TorchrunJob")
    devices = [f"/dev/infiniband/uverbs{number}" for number in range(efa)]
    devices += [f"/dev/neuron{number}" for number in range(neuron)]
    assert [device["HostPath"] for device in found["LinuxParameters"].get("Devices", [])] == devices
    wanted = {
        resource_requirement["Type"]: resource_requirement["Value"]
        for resource_requirement in found["ResourceRequirements"]
    }
    assert wanted.get("GPU") == gpus
    assert {one["Name"]: one["Value"] for one in found["Environment"]}["TRAINYARD_RANKS_PER_NODE"] == ranks
    assert ("NcclJob" in made) == (gpus is not None)


def test_memory_may_be_locked_without_limit_and_shared():
    for job in ("NcclJob", "TorchrunJob"):
        found = container(of(queue("instance_type: p5.48xlarge")), job)
        limits = {ulimit["Name"]: (ulimit["SoftLimit"], ulimit["HardLimit"]) for ulimit in found["Ulimits"]}
        assert limits["memlock"] == (-1, -1)
        assert found["LinuxParameters"]["SharedMemorySize"] == 2048 * 1024 // 10


def test_a_container_leaves_memory_to_its_node():
    wanted = {
        resource_requirement["Type"]: int(resource_requirement["Value"])
        for resource_requirement in container(of(queue("instance_type: p5.48xlarge")), "NcclJob")[
            "ResourceRequirements"
        ]
    }
    assert wanted["VCPU"] == 192
    assert wanted["MEMORY"] <= 2048 * 1024 - 2 * 5128 - 32 * 1024


def test_directories_of_the_node_are_those_of_the_container():
    part = """\
file_systems:
  - {mount: /fsx, lustre: {id: fs-0123456789abcdef0}}
  - {mount: /home/all, openzfs: {id: fsvol-0123456789abcdef0}}
  - {mount: /efs, efs: {id: fs-0123456789abcdef1, access_point: fsap-0123456789abcdef0, iam_authorization: true}}
scratch: {mount: /local}
"""
    stack = stack_of(part + queue("instance_type: p4d.24xlarge"))
    found = container(resources_of(stack), "TorchrunJob")
    mounts = {mount_point["SourceVolume"]: mount_point["ContainerPath"] for mount_point in found["MountPoints"]}
    hosts = {volume["Name"]: volume.get("Host", {}).get("SourcePath") for volume in found["Volumes"]}
    assert list(mounts.values()) == ["/local", "/fsx", "/home/all", "/efs"]
    assert {name: mounts[name] for name, path in hosts.items() if path} == {
        name: path for name, path in hosts.items() if path
    }
    (efs,) = (volume["EfsVolumeConfiguration"] for volume in found["Volumes"] if "EfsVolumeConfiguration" in volume)
    assert efs["AuthorizationConfig"] == {"AccessPointId": "fsap-0123456789abcdef0", "Iam": "ENABLED"}
    assert stack.parameters["FileSystems"] == (
        "lustre:fs-0123456789abcdef0:/fsx openzfs:fsvol-0123456789abcdef0:/home/all"
    )


def test_a_node_without_drives_and_file_systems_hands_on_no_directory():
    assert not {"Volumes", "MountPoints"} & container(of(queue("instance_type: m5.large")), "TorchrunJob").keys()
