from tests.rules.documents.found import paths

RULE = "eksctl-addon-not-pinned"


def test_add_ons_without_a_version_and_with_latest_are_found():
    assert paths(RULE, "addons: [{name: vpc-cni}, {name: coredns, version: latest}]") == [
        "addons[0]",
        "addons[1].version",
    ]


def test_a_version_is_fine():
    assert paths(RULE, "addons: [{name: vpc-cni, version: v1.20.1-eksbuild.1}]") == []
