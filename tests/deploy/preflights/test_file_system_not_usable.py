from typing import Any

import pytest

from tests.deploy.preflights.good import ACCESS_POINT, EFS, LUSTRE, VOLUME, VPC, changed, found, problems
from tests.deploy.preflights.recorded import Refusal

PREFLIGHT = "file-system-not-usable"


def lustre(**of: Any) -> dict[str, Any]:
    described = {"Lifecycle": "AVAILABLE", "VpcId": VPC, "FileSystemType": "LUSTRE", **of}
    return {"fsx.DescribeFileSystems": lambda asked: {"FileSystems": [{"FileSystemId": asked["FileSystemIds"][0],
                                                                       **described}]}}  # fmt: skip


@pytest.mark.parametrize(
    ("call", "answer", "paths"),
    [
        ("fsx.DescribeFileSystems", Refusal("FileSystemNotFound"), ["file_systems[0].lustre.id"]),
        ("fsx.DescribeVolumes", Refusal("VolumeNotFound"), ["file_systems[2].openzfs.id"]),
        ("ec2.DescribeVolumes", {"Volumes": []}, ["file_systems[3].ebs.id"]),
        ("efs.DescribeFileSystems", Refusal("FileSystemNotFound", status=404), ["file_systems[4].efs.id"]),
        ("efs.DescribeAccessPoints", Refusal("AccessPointNotFound", status=404), ["file_systems[4].efs.access_point"]),
    ],
)
def test_what_is_not_there_is_found_where_it_is_written(call, answer, paths):
    assert found(PREFLIGHT, answers={call: answer}) == paths


def test_the_message_names_kind_id_and_account():
    (problem,) = problems(PREFLIGHT, answers={"fsx.DescribeFileSystems": Refusal("FileSystemNotFound")})
    assert problem.message == f"account 123456789012 has no FSx for Lustre file system {LUSTRE} in us-east-2"


@pytest.mark.parametrize("state", ["CREATING", "FAILED", "DELETING", "MISCONFIGURED"])
def test_a_file_system_that_is_not_ready_is_found(state):
    assert found(PREFLIGHT, answers=lustre(Lifecycle=state)) == ["file_systems[0].lustre.id"]


def test_a_file_system_of_another_type_is_found():
    assert found(PREFLIGHT, answers=lustre(FileSystemType="OPENZFS")) == ["file_systems[0].lustre.id"]


def test_a_volume_in_use_is_found_unless_this_cluster_uses_it():
    used = {"VolumeId": VOLUME, "State": "in-use", "Attachments": [{"InstanceId": "i-1"}]}
    answers: dict[str, Any] = {"ec2.DescribeVolumes": {"Volumes": [used]}}
    assert found(PREFLIGHT, answers=answers) == ["file_systems[3].ebs.id"]
    mine = {"InstanceId": "i-1", "Tags": [{"Key": "parallelcluster:cluster-name", "Value": "llm-p5"}]}
    answers["ec2.DescribeInstances"] = {"Reservations": [{"Instances": [mine]}]}
    assert found(PREFLIGHT, answers=answers) == []


def test_an_access_point_of_another_file_system_is_found():
    other = {"AccessPointId": ACCESS_POINT, "FileSystemId": "fs-0123456789abcdef9"}
    (problem,) = problems(PREFLIGHT, answers={"efs.DescribeAccessPoints": {"AccessPoints": [other]}})
    assert problem.message == f"access point {ACCESS_POINT} is of fs-0123456789abcdef9, not {EFS}"


def test_the_file_system_of_an_environment_is_not_asked_for():
    spec = changed("lustre: {id: fs-0123456789abcdef0}", "lustre: {id: environment}")
    assert found(PREFLIGHT, spec, lustre(Lifecycle="FAILED")) == []
