import pytest

from tests.rules.found import paths, problems

RULE = "efa-older-than-image"
PLACE = ["software.efa_version"]


def part(efa: str, version: str, more: str = "") -> str:
    return f"software: {{setup: gpu, efa_version: {efa}}}\nparallelcluster: {{version: {version}}}\n{more}"


def queues(*more: str) -> str:
    listed = ", ".join(f"{{name: q{at}, instance_type: p5.48xlarge, {one}}}" for at, one in enumerate(more))
    return f"queues: [{listed}]\n"


@pytest.mark.parametrize(
    ("efa", "version", "severity"),
    [
        ("1.43.1", "3.14.2", None),
        ("1.9.0", "3.14.2", None),
        ("'1.43'", "3.14.2", None),
        ("1.50.0", "3.16.3", None),
        ("1.29.0", "3.8.0", None),
        ("1.47.0", "3.16.1", "warning"),
        ("1.46.0", "3.15.1", None),
        ("1.44.0", "3.14.2", "warning"),
        ("1.29.0", "3.10.1", None),
        ("1.32.0", "3.10.1", "warning"),
        ("1.33.0", "3.11.1", None),
        ("1.34.0", "3.12.0", None),
        ("1.36.0", "3.13.0", None),
        ("1.38.1", "3.13.2", None),
    ],
)
def test_an_older_version_is_found_as_an_error_where_it_is_sure(efa, version, severity):
    (problem,) = problems(RULE, part(efa, version))
    assert problem.path == ("software", "efa_version")
    assert problem.severity == severity


@pytest.mark.parametrize(
    ("efa", "version"),
    [
        ("1.34.0", "3.10.1"),
        ("1.36.0", "3.12.0"),
        ("1.38.1", "3.13.0"),
        ("1.41.0", "3.13.2"),
        ("1.43.2", "3.14.0"),
        ("1.47.0", "3.15.1"),
        ("1.49.0", "3.16.1"),
        ("1.51.0", "3.16.3"),
        ("1.100.0", "3.16.3"),
    ],
)
def test_the_same_version_or_a_later_one_is_fine(efa, version):
    assert paths(RULE, part(efa, version)) == []


def test_a_message_names_both_versions_and_a_remedy_one_that_is_late_enough():
    (error,) = problems(RULE, part("1.38.0", "3.16.1"))
    assert error.message == "EFA installer 1.38.0, and the images of ParallelCluster 3.16.1 have 1.47.0 or a later one"
    assert error.remedy == "remove the key and keep what the image has, or write 1.49.0 or a later version"
    (exact,) = problems(RULE, part("1.50.0", "3.16.3"))
    assert exact.message == "EFA installer 1.50.0, and the images of ParallelCluster 3.16.3 have 1.51.0"
    (warning,) = problems(RULE, part("1.47.0", "3.16.1"))
    assert warning.message == "EFA installer 1.47.0, and the images of ParallelCluster 3.16.1 may have 1.49.0 already"


def test_nothing_is_said_of_a_version_that_nobody_knows():
    assert paths(RULE, part("1.9.0", "9.9.9")) == []


def test_images_of_the_user_s_own_are_not_judged():
    ami = "ami: ami-0123456789abcdef0"
    assert paths(RULE, part("1.9.0", "3.16.1", f"image: {{{ami}}}")) == []
    assert paths(RULE, part("1.9.0", "3.16.1", queues(ami))) == []
    assert paths(RULE, part("1.9.0", "3.16.1", queues(ami, "setup: cpu"))) == PLACE


@pytest.mark.parametrize("more", ["setup: none", "efa: false"])
def test_nodes_that_do_not_take_the_step_refuse_nothing(more):
    assert paths(RULE, part("1.9.0", "3.16.1", queues(more))) == []


def test_other_platforms_have_no_such_image():
    assert paths(RULE, "software: {setup: gpu, efa_version: 1.9.0}\nplatform: eks") == []
    assert paths(RULE, "software: {setup: gpu, efa_version: 1.9.0}") == PLACE


def test_what_the_image_brings_is_not_judged():
    assert paths(RULE, "software: {setup: gpu}") == []
