import pytest

from tests.rules.found import paths, problems

RULE = "dcv-port-taken"


def head_node(port: int) -> str:
    return f"head_node: {{dcv: {{port: {port}}}}}"


@pytest.mark.parametrize(
    ("port", "message"),
    [
        (22, "DCV on port 22 takes port 22 of SSH"),
        (21, "DCV on port 21 has its authenticator on port 22 of SSH"),
        (2049, "DCV on port 2049 takes port 2049 of NFS"),
        (2048, "DCV on port 2048 has its authenticator on port 2049 of NFS"),
        (6816, "DCV on port 6816 has its authenticator on port 6817 of Slurm"),
        (6829, "DCV on port 6829 takes port 6829 of Slurm"),
        (443, "DCV on port 443 is below 1024, where it does not listen"),
        (65535, "DCV on port 65535 leaves no port for its authenticator, which is the next one"),
    ],
)
def test_a_port_of_another_service_is_found_and_so_is_the_next_one(port: int, message: str):
    (problem,) = problems(RULE, head_node(port))
    assert problem.path == ("head_node", "dcv", "port")
    assert problem.message == message


@pytest.mark.parametrize("port", [1024, 2047, 2050, 6815, 6830, 8443, 65534])
def test_other_ports_are_free(port: int):
    assert paths(RULE, head_node(port)) == []


def test_login_nodes_are_checked_and_the_default_is_free():
    assert paths(RULE, "login_nodes: {dcv: {port: 22}}") == ["login_nodes.dcv.port"]
    assert paths(RULE, "login_nodes: {dcv: {}}\nhead_node: {dcv: {}}") == []
