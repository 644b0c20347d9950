import pytest

from tests.rules.documents.found import launching, multi_node, paths, template

RULE = "cloudformation-efa-devices-missing"
EFA = launching("{NetworkInterfaces: [{DeviceIndex: 0, InterfaceType: efa}]}")
SEES = "LinuxParameters: {Devices: [{HostPath: /dev/infiniband/uverbs0}]}"
GPU = "ResourceRequirements: [{Type: GPU, Value: '8'}]"
PLACE = "Properties.NodeProperties.NodeRangeProperties[0].Container"


def test_a_container_without_devices_is_found():
    assert paths(RULE, template(EFA, multi_node("{Image: a:1}"))) == [f"Resources.B.{PLACE}"]


def test_a_container_with_gpus_is_found_also_where_another_sees_efa():
    both = template(EFA, multi_node(f"{{{SEES}}}"), multi_node(f"{{{GPU}}}"))
    assert paths(RULE, both) == [f"Resources.C.{PLACE}"]


def test_a_job_without_accelerators_beside_one_that_sees_efa_needs_none():
    assert paths(RULE, template(EFA, multi_node(f"{{{SEES}}}"), multi_node("{Image: stress:1}"))) == []


@pytest.mark.parametrize(
    "container", [f"{{{SEES}}}", "{Privileged: true}", "{LinuxParameters: {Devices: !FindInMap [a, b, c]}}"]
)
def test_devices_privileges_and_what_a_function_makes_are_fine(container: str):
    assert paths(RULE, template(EFA, multi_node(container))) == []


def test_without_efa_no_device_is_needed():
    assert paths(RULE, template(launching("{InstanceType: g5.xlarge}"), multi_node("{Image: a:1}"))) == []
