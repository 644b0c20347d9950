import pytest

from tests.rules.documents.found import managed, paths, problems

RULE = "eksctl-subnet-not-in-cluster"
BOTH = "vpc: {subnets: {private: {private-one: {id: a}}, public: {public-one: {id: b}}}}\n"


def test_a_name_that_the_cluster_lacks_is_found_with_the_nearest():
    (problem,) = problems(RULE, BOTH + managed("privateNetworking: true, subnets: [private-1]"))
    assert problem.path == ("managedNodeGroups", 0, "subnets", 0)
    assert problem.message == "'private-1' is none of the cluster's private subnets; did you mean 'private-one'?"


def test_private_nodes_have_private_subnets_alone():
    assert paths(RULE, BOTH + managed("privateNetworking: true, subnets: [public-one]")) == [
        "managedNodeGroups[0].subnets[0]"
    ]
    public = "vpc: {subnets: {public: {public-one: {id: b}}}}\n"
    assert paths(RULE, public + managed("privateNetworking: true")) == ["managedNodeGroups[0].privateNetworking"]


@pytest.mark.parametrize(
    "keys",
    [
        "privateNetworking: true, subnets: [private-one]",
        "subnets: [public-one]",
        "privateNetworking: true, subnets: [subnet-0123456789abcdef0]",
        "privateNetworking: true, subnets: [PLACEHOLDER_SUBNET]",
        "privateNetworking: true",
    ],
)
def test_names_of_the_cluster_ids_and_placeholders_are_fine(keys: str):
    assert paths(RULE, BOTH + managed(keys)) == []


def test_where_eksctl_makes_the_subnets_their_names_are_not_known():
    assert paths(RULE, managed("privateNetworking: true, subnets: [private-one]")) == []
