from tests.rules.documents.found import manifest_pod, on_type, paths

RULE = "kubernetes-instance-type-unknown"


def test_a_size_that_a_known_family_does_not_have_is_found():
    (path,) = paths(RULE, manifest_pod("", on_type("p5.48xlarge", "ml.p4d.48xlarge")))
    assert path.endswith("matchExpressions[0].values[1]")


def test_known_types_unknown_families_and_placeholders_are_passed_over():
    names = ("p5.48xlarge", "ml.p5en.48xlarge", "x99.large", "$TYPE", "nonsense", "1")
    assert paths(RULE, manifest_pod("", on_type(*names))) == []
