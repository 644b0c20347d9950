from tests.rules.found import paths, problems

RULE = "exporters-not-in-image"
A = "{name: a, instance_type: p4d.24xlarge, ami: ami-0123456789abcdef0}"
QUEUES = f"queues: [{A}, {{name: b, instance_type: p5.48xlarge}}]"


def test_the_queue_whose_image_measures_nothing_is_named():
    (problem,) = problems(RULE, f"platform: batch\nmonitoring: {{mode: amp-only}}\n{QUEUES}")
    assert problem.path == ("monitoring", "mode")
    assert "the image of b has not" in problem.message


def test_an_image_for_all_is_fine():
    part = f"platform: batch\nmonitoring: {{mode: amp-only}}\nimage: {{ami: ami-0123456789abcdef0}}\n{QUEUES}"
    assert paths(RULE, part) == []


def test_without_metrics_nothing_has_to_export_any():
    assert paths(RULE, f"platform: batch\n{QUEUES}") == []


def test_on_parallelcluster_nodes_install_the_exporters():
    assert paths(RULE, f"monitoring: {{mode: amp-only}}\n{QUEUES}") == []
