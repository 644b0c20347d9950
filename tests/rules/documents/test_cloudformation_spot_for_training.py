import pytest

from tests.rules.documents.found import launching, paths, template

RULE = "cloudformation-spot-for-training"
EFA = launching("{NetworkInterfaces: [{DeviceIndex: 0, InterfaceType: efa}]}")
PCS = "PCS::ComputeNodeGroup {PurchaseOption: %s, CustomLaunchTemplate: {TemplateId: !Ref A}}"
EKS = "EKS::Nodegroup {CapacityType: %s, LaunchTemplate: {Id: !Ref A}}"


@pytest.mark.parametrize(("group", "key"), [(PCS, "PurchaseOption"), (EKS, "CapacityType")])
def test_spot_nodes_with_efa_are_found(group: str, key: str):
    assert paths(RULE, template(EFA, group % "SPOT")) == [f"Resources.B.Properties.{key}"]


@pytest.mark.parametrize("group", [PCS, EKS])
def test_other_nodes_and_spot_without_efa_are_fine(group: str):
    assert paths(RULE, template(EFA, group % "ON_DEMAND")) == []
    assert paths(RULE, template(launching("{}"), group % "SPOT")) == []
    assert paths(RULE, template(EFA, (group % "SPOT").replace("!Ref A", "lt-1"))) == []
