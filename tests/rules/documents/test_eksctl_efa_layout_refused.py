import pytest

from tests.rules.documents.found import managed, paths

RULE = "eksctl-efa-layout-refused"


@pytest.mark.parametrize("instance_type", ["p6-b300.48xlarge", "p6e-gb200.36xlarge"])
def test_a_type_whose_first_card_takes_no_efa_is_found(instance_type: str):
    assert paths(RULE, managed(f"instanceType: {instance_type}, efaEnabled: true")) == [
        "managedNodeGroups[0].efaEnabled"
    ]


@pytest.mark.parametrize("instance_type", ["p4d.24xlarge", "p5.48xlarge", "p6-b200.48xlarge", "g5.xlarge", "x9.metal"])
def test_types_that_eksctl_launches_or_nobody_knows_are_fine(instance_type: str):
    assert paths(RULE, managed(f"instanceType: {instance_type}, efaEnabled: true")) == []


def test_without_efa_there_is_one_interface():
    assert paths(RULE, managed("instanceType: p6-b300.48xlarge")) == []
