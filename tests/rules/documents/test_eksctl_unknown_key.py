import pytest

from tests.rules.documents.found import managed, paths, problems

RULE = "eksctl-unknown-key"


def test_a_key_that_differs_in_capitals_is_one_that_eksctl_drops():
    (problem,) = problems(RULE, "managedNodegroups: []")
    assert problem.path == ("managedNodegroups",)
    assert (
        problem.message
        == "eksctl drops 'managedNodegroups' without a word: the key is managedNodeGroups, with these capitals"
    )


def test_a_near_key_is_proposed():
    (problem,) = problems(RULE, "availabilityZone: [us-east-2a]")
    assert "did you mean 'availabilityZones'?" in problem.message


def test_a_key_of_the_other_kind_of_node_groups_is_said_to_be_theirs():
    (problem,) = problems(RULE, managed("instancesDistribution: {instanceTypes: [m5.large]}"))
    assert problem.message == "eksctl knows 'instancesDistribution' in nodeGroups only"
    assert paths(RULE, "nodeGroups: [{name: ng, spot: true}]") == ["nodeGroups[0].spot"]


def test_keys_are_looked_for_at_every_depth():
    assert paths(RULE, "vpc: {subnets: {private: {one: {ID: subnet-1}}}}") == ["vpc.subnets.private.one.ID"]
    assert paths(RULE, managed("iam: {withAddonPolicies: {fsX: true}}")) == [
        "managedNodeGroups[0].iam.withAddonPolicies.fsX"
    ]


def test_few_keys_are_all_named():
    (problem,) = problems(RULE, managed("placement: {group: pg}"))
    assert problem.remedy == "here belong: groupName, spreadLevel"


@pytest.mark.parametrize(
    "part",
    [
        "metadata: {name: c, region: us-east-2, tags: {any: thing}}",
        "nodeGroups: [{name: ng, kubeletExtraConfig: {any: {thing: 1}}}]",
        "nodeGroups: [{name: ng, taints: {any: thing}}]",
        "identityProviders: [{type: oidc, name: n, issuerURL: u, clientID: c}]",
    ],
)
def test_mappings_of_anything_take_anything(part: str):
    assert paths(RULE, part) == []


def test_a_misspelt_reservation_is_left_to_its_own_rule():
    assert paths(RULE, managed("capacityReservation: {capacityReservationTarget: {capacityReservationId: cr-1}}")) == []


def test_what_stands_before_an_at_sign_is_not_repeated():
    (problem,) = problems(RULE, '"user:secret@proxy": 1')
    assert "secret" not in problem.message
