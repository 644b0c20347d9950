import pytest

from tests.rules.found import paths, problems

RULE = "script-from-internet"
FAR = "https://example.com/scripts/setup.sh"


def of_head_node(url: str, node: str = "subnet: private") -> str:
    return f"head_node: {{{node}, custom_actions: {{on_start: [{{script: '{url}'}}]}}}}"


def test_scripts_of_every_kind_of_node_and_moment_are_found():
    part = f"""\
head_node: {{custom_actions: {{on_update: [{{script: s3://bucket/a.sh}}, {{script: '{FAR}'}}]}}}}
login_nodes: [{{custom_actions: {{before_setup: [{{script: '{FAR}'}}]}}}}]
queues: [{{name: q, instance_type: m5.large, custom_actions: {{after_setup: [{{script: '{FAR}'}}]}}}}]
"""
    assert paths(RULE, part) == [
        "head_node.custom_actions.on_update[1].script",
        "login_nodes[0].custom_actions.before_setup[0].script",
        "queues[0].custom_actions.after_setup[0].script",
    ]


def test_scripts_in_a_bucket_are_fine():
    assert paths(RULE, of_head_node("s3://bucket/setup.sh")) == []


def test_a_node_without_internet_cannot_fetch_it_at_all():
    (problem,) = problems(RULE, f"network: {{internet: none}}\n{of_head_node(FAR)}")
    assert problem.severity == "error"
    assert problem.message == f"nodes cannot fetch {FAR}: network.internet is none"


@pytest.mark.parametrize("subnet", ["public", "subnet-0123456789abcdef0"])
def test_a_node_whose_subnet_may_have_internet_may_fetch_it(subnet: str):
    (problem,) = problems(RULE, f"network: {{internet: none}}\n{of_head_node(FAR, f'subnet: {subnet}')}")
    assert problem.severity is None


def test_a_proxy_reaches_it_too():
    network = "network: {internet: none, http_proxy: 'http://proxy.example.com:3128'}"
    (problem,) = problems(RULE, f"{network}\n{of_head_node(FAR)}")
    assert problem.severity is None


@pytest.mark.parametrize(
    "url",
    [
        "https://bucket.s3.us-east-2.amazonaws.com/setup.sh",
        "https://s3.cn-north-1.amazonaws.com.cn/bucket/setup.sh",
    ],
)
def test_s3_over_https_is_reached_through_its_endpoint(url: str):
    (problem,) = problems(RULE, f"network: {{internet: none}}\n{of_head_node(url)}")
    assert problem.severity is None


def test_a_host_that_only_looks_like_s3_is_not_reached():
    url = "https://s3.amazonaws.com.example.org/setup.sh"
    (problem,) = problems(RULE, f"network: {{internet: none}}\n{of_head_node(url)}")
    assert problem.severity == "error"
