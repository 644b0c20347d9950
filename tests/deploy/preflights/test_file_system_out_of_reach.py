from typing import Any

from tests.deploy.preflights.good import EFS, LUSTRE, OWN_NETWORK, PRIVATE, VOLUME, VPC, found, problems, stack

PREFLIGHT = "file-system-out-of-reach"
OTHER = "vpc-0123456789abcdef9"


def fsx(vpc: str) -> dict[str, Any]:
    def answer(asked: Any) -> dict[str, Any]:
        return {"FileSystems": [{"FileSystemId": asked["FileSystemIds"][0], "Lifecycle": "AVAILABLE", "VpcId": vpc}]}

    return {"fsx.DescribeFileSystems": answer}


def test_fsx_of_another_vpc_is_found():
    told = problems(PREFLIGHT, answers=fsx(OTHER))
    assert [problem.path[1] for problem in told] == [0, 2]
    assert told[0].message == f"{LUSTRE} is in {OTHER}, and the cluster in vpc-0123456789abcdef0"


def test_efs_needs_a_mount_target_in_the_vpc():
    target = {
        "MountTargetId": "fsmt-0123456789abcdef0", "FileSystemId": EFS, "SubnetId": PRIVATE,
        "LifeCycleState": "available", "VpcId": OTHER,
    }  # fmt: skip
    assert found(PREFLIGHT, answers={"efs.DescribeMountTargets": {"MountTargets": [target]}}) == [
        "file_systems[4].efs.id"
    ]


def test_a_volume_of_another_zone_is_found():
    volume = {"VolumeId": VOLUME, "State": "available", "AvailabilityZone": "us-east-2c"}
    (problem,) = problems(PREFLIGHT, answers={"ec2.DescribeVolumes": {"Volumes": [volume]}})
    assert problem.message == f"volume {VOLUME} is in us-east-2c, and the head node in us-east-2a"


def test_a_file_system_that_exists_cannot_be_in_a_network_that_does_not():
    spec = OWN_NETWORK + f"file_systems: [{{mount: /fsx, lustre: {{id: {LUSTRE}}}}}]\n"
    assert found(PREFLIGHT, spec) == ["file_systems[0].lustre.id"]
    assert found(PREFLIGHT, spec, outputs={"VpcId": VPC}) == []


def test_of_a_network_that_was_made_before_the_stack_says_which_vpc_it_is():
    spec = OWN_NETWORK + f"file_systems: [{{mount: /fsx, lustre: {{id: {LUSTRE}}}}}]\n"
    made = {"cloudformation.DescribeStacks": stack("llm-p5-network", VpcId=VPC)}
    assert found(PREFLIGHT, spec, made) == []
    assert found(PREFLIGHT, spec, {**made, **fsx(OTHER)}) == ["file_systems[0].lustre.id"]
