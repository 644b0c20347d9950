from tests.rules.documents.found import paths, template

RULE = "cloudformation-pcs-size-exceeded"


def cluster(size: str, *most: str) -> str:
    groups = (
        f"PCS::ComputeNodeGroup {{ClusterId: !GetAtt A.Id, ScalingConfiguration: {{MaxInstanceCount: {n}}}}}"
        for n in most
    )
    return template(f"PCS::Cluster {{Size: {size}}}", *groups)


def test_groups_that_are_together_too_large_are_found():
    assert paths(RULE, cluster("SMALL", "20", "'13'")) == ["Resources.A.Properties.Size"]


def test_groups_that_fit_and_unknown_sizes_are_fine():
    for size, most in (
        ("SMALL", "32"),
        ("MEDIUM", "64"),
        ("!Ref Unknown", "9999"),
        ("HUGE", "9999"),
        ("SMALL", "!Ref N"),
    ):
        assert paths(RULE, cluster(size, most)) == []


def test_groups_of_another_cluster_do_not_count():
    assert paths(RULE, cluster("SMALL", "64").replace("!GetAtt A.Id", "!Ref Another")) == []
