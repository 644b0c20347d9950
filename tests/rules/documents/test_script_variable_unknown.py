import pytest

from tests.rules.documents.found import paths, problems

RULE = "script-variable-unknown"


@pytest.mark.parametrize("name", ["NCCL_NET_MAX_REQUEST", "OFI_NCCL_EAGER", "FI_EFA_USE_RDMA", "NCCL_TIMEOUT"])
def test_what_nothing_reads_is_found(name):
    assert paths(RULE, f"#!/bin/bash\nexport {name}=1\n") == ["[1]"]


def test_a_near_miss_weighs_more_and_has_the_right_name():
    (problem,) = problems(RULE, "#!/bin/bash\nexport NCCL_SOCKET_IFNAMES=eth0\n")
    assert (problem.severity, problem.remedy) == ("warning", "write NCCL_SOCKET_IFNAME")


@pytest.mark.parametrize(
    "text",
    [
        "export NCCL_DEBUG=INFO NCCL_RINGS=1 OFI_NCCL_PROTOCOL=RDMA FI_EFA_USE_HUGE_PAGE=0",
        "export NCCL_HOME=/opt/nccl",
        "export NCCL_CONTAINER=a\necho $NCCL_CONTAINER",
        "export NCCL_BLOCKING_WAIT=1",
        "export MY_NCCL=1 NCCLX=1",
        "echo NCCL_OTHER",
    ],
)
def test_what_is_read_by_something_is_fine(text):
    assert paths(RULE, f"#!/bin/bash\n{text}\n") == []
