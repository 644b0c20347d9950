"""Names that do not leave the house."""

from __future__ import annotations

from typing import Any

import pytest

from trainyard.bench.report.redaction import HiddenNames, hosts_in


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("p5-dy-1", "node-1"),
        ("all runs with p5-dy-1 and p5-dy-12.", "all runs with node-1 and node-2."),
        ("p5-dy-1:4000:4088 [0] NCCL INFO x", "node-1:4000:4088 [0] NCCL INFO x"),
        ("p5-dy-123", "p5-dy-123"),
        ("worker.example.com", "node-3"),
        ("worker", "node-3"),
        ("at worker.other.example", "at node-3"),
        ("eth0:10.0.227.37<0>", "eth0:an-address<0>"),
        ("ip-10-0-227-37.ec2.internal went away", "a-host went away"),
        ("/home/alice/nccl/lib.so", "/home/user/nccl/lib.so"),
        ("HF_TOKEN=abcd torchrun", "HF_TOKEN=[secret] torchrun"),
        ("<b>x</b> is slow", "node-4 is slow"),
        ("aws-ofi-nccl 1.16.3 and 2.1.0amzn3.0", "aws-ofi-nccl 1.16.3 and 2.1.0amzn3.0"),
        ("p5.48xlarge reached 487 GB/s", "p5.48xlarge reached 487 GB/s"),
    ],
)
def test_hosts_users_and_addresses_are_replaced_and_nothing_else(text: str, shown: str):
    names = HiddenNames(["p5-dy-1", "p5-dy-12", "worker.example.com", "<b>x</b>"])
    assert names.hide(text) == shown


def test_every_value_inside_others_is_reached():
    value: dict[str, Any] = {"a": [{"p5": "x p5", "n": 1.5}, None], "b": ("p5", True)}
    assert HiddenNames(["p5"]).hide(value) == {"a": [{"node-1": "x node-1", "n": 1.5}, None], "b": ["node-1", True]}


def test_a_host_has_the_same_number_wherever_it_stands():
    assert HiddenNames(["b", "a", "b"]).hide(["a", "b"]) == ["node-2", "node-1"]


def test_hosts_are_found_in_lines_of_nccl_whatever_stands_before_them():
    lines = [
        "gpu7:12:34 [0] NCCL INFO x",
        "[1,0]<stdout>:gpu8:12:34 [3] NCCL WARN y",
        "3: gpu7:1:1 [0] NCCL INFO",
        "no",
    ]
    lines.append("HCA-128: Test NCCL failure common.cu:1204 'unhandled cuda error")
    assert hosts_in(lines) == ["gpu7", "gpu8", "HCA-128"]
