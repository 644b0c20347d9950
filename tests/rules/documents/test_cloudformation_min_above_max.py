import pytest

from tests.rules.documents.found import paths, template

RULE = "cloudformation-min-above-max"


@pytest.mark.parametrize(
    ("resource", "place"),
    [
        (
            "PCS::ComputeNodeGroup {ScalingConfiguration: {MinInstanceCount: 4, MaxInstanceCount: '2'}}",
            "MaxInstanceCount",
        ),
        ("EKS::Nodegroup {ScalingConfig: {MinSize: 0, DesiredSize: 4, MaxSize: 2}}", "MaxSize"),
        ("AutoScaling::AutoScalingGroup {MinSize: '3', MaxSize: '1'}", "MaxSize"),
    ],
)
def test_sizes_that_no_number_fits_are_found(resource: str, place: str):
    (path,) = paths(RULE, template(resource))
    assert path.endswith(place)


@pytest.mark.parametrize(
    "sizes",
    [
        "{MinInstanceCount: 2, MaxInstanceCount: 2}",
        "{MinInstanceCount: 2, MaxInstanceCount: !Ref Unknown}",
        "{MinInstanceCount: !If [a, 4, 0], MaxInstanceCount: !If [a, 8, 1]}",
        "[]",
    ],
)
def test_sizes_that_fit_and_what_conditions_choose_are_fine(sizes: str):
    assert paths(RULE, template(f"PCS::ComputeNodeGroup {{ScalingConfiguration: {sizes}}}")) == []
