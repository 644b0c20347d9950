from tests.rules.found import paths, problems

RULE = "dcv-open-to-world"


def test_desktops_of_head_node_and_pools_are_looked_at():
    part = """\
head_node: {dcv: {allow_from: 0.0.0.0/0}}
login_nodes:
  - {name: one, dcv: {allow_from: 203.0.113.0/24}}
  - {name: two, dcv: {allow_from: 0.0.0.0/1}}
"""
    assert paths(RULE, part) == ["head_node.dcv.allow_from", "login_nodes[1].dcv.allow_from"]


def test_the_message_names_the_port():
    (problem,) = problems(RULE, "login_nodes: {dcv: {allow_from: 0.0.0.0/0, port: 9443}}")
    assert problem.message == "0.0.0.0/0 lets much of the internet try port 9443"


def test_private_addresses_only_is_the_default():
    assert paths(RULE, "head_node: {dcv: {}}\nlogin_nodes: {count: 2}") == []
