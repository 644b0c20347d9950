import pytest

from tests.rules.documents.found import managed, paths

RULE = "eksctl-efa-in-public-subnet"


@pytest.mark.parametrize("private", ["", ", privateNetworking: false"])
def test_several_cards_in_a_public_subnet_are_found(private: str):
    assert paths(RULE, managed(f"instanceType: p4d.24xlarge, efaEnabled: true{private}")) == [
        "managedNodeGroups[0].efaEnabled"
    ]


@pytest.mark.parametrize(
    "keys",
    [
        "instanceType: p4d.24xlarge, efaEnabled: true, privateNetworking: true",
        "instanceType: p4d.24xlarge",
        "instanceType: g5.8xlarge, efaEnabled: true",
    ],
)
def test_private_subnets_and_single_interfaces_are_fine(keys: str):
    assert paths(RULE, managed(keys)) == []
