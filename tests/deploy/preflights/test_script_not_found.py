from tests.deploy.preflights.good import changed, found, problems
from tests.deploy.preflights.recorded import Refusal

PREFLIGHT = "script-not-found"


def test_a_script_that_is_not_there_is_found():
    (problem,) = problems(PREFLIGHT, answers={"s3.HeadObject": Refusal("404", status=404)})
    assert problem.path == ("queues", 0, "custom_actions", "before_setup", 0, "script")
    assert problem.message == "there is no s3://ml-scripts/setup.sh"


def test_a_script_that_may_not_be_read_is_a_warning():
    assert found(PREFLIGHT, answers={"s3.HeadObject": Refusal("403", status=403)}) == [
        "queues[0].custom_actions.before_setup[0].script (warning)"
    ]


def test_scripts_of_head_and_login_nodes_are_looked_at_too():
    actions = "custom_actions: {on_update: [{script: s3://ml-scripts/a.sh}]}, "
    spec = changed("head_node: {", "head_node: {" + actions)
    spec = changed("login_nodes: {", "login_nodes: {" + actions, spec)
    assert found(PREFLIGHT, spec, {"s3.HeadObject": Refusal("404", status=404)})[:2] == [
        "head_node.custom_actions.on_update[0].script", "login_nodes.custom_actions.on_update[0].script",
    ]  # fmt: skip


def test_a_script_from_elsewhere_is_not_fetched():
    spec = changed("s3://ml-scripts/setup.sh", "https://example.com/setup.sh")
    assert found(PREFLIGHT, spec, {"s3.HeadObject": Refusal("404", status=404)}) == []
