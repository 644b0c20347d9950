from __future__ import annotations

import pytest

from trainyard.diagnose.line_node import host_of, node_of

STREAM = "logs/cloudwatch-logs/ip-10-0-0-7.i-0123456789abcdef0.slurmctld"


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("May  6 13:00:01 ip-10-0-0-9 kernel: x", "ip-10-0-0-9"),
        ("2025-05-06T13:00:01.1Z May  6 13:00:01 ip-10-0-0-9 systemd[1]: x", "ip-10-0-0-9"),
        ("2025-05-06T13:00:01.123456+00:00 ip-10-0-0-9 sshd[12]: x", "ip-10-0-0-9"),
        ("srun: error: gpu-st-p5-2: task 0: Out Of Memory", "gpu-st-p5-2"),
        ("ip-10-0-0-9:71:75 [1] NCCL WARN x", "ip-10-0-0-9"),
        ("[1,2]<stdout>:gpu-st-p5-2:71:75 [1] NCCL WARN x", "gpu-st-p5-2"),
        ("[2025-10-16 00:46:19] gpu-st-p5-2:71:75 [1] NCCL WARN x", "gpu-st-p5-2"),
        ("gpu-dy-p5-2: No space left on device", "gpu-dy-p5-2"),
        ('{"compute": {"hostname": "ip-10-0-0-9.ec2.internal"}}', "ip-10-0-0-9"),
        ("srun: error: Job allocation 4 has been revoked", None),
        ("Error: no such file", None),
    ],
)
def test_a_line_may_name_its_node(text: str, node: str | None):
    assert node_of("job.out", text) == node


def test_the_stream_names_it_otherwise():
    assert node_of(STREAM, "[2025-05-06T13:05:10.722] error: x") == host_of(STREAM) == "ip-10-0-0-7"


def test_what_the_line_says_of_another_node_comes_first():
    assert node_of(STREAM, "srun: error: gpu-st-p5-2: task 0: Out Of Memory") == "gpu-st-p5-2"
