"""Credentials of a node that its users cannot ask for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bootstrap.steps.scripts import answers, run_script, verify_unit
from tests.bootstrap.steps.stubs import FakeNode, changes_nothing, complaint, runs_well

STEP = "15-imds"
PROGRAM = "usr/local/sbin/trainyard-imds"
UNIT = "etc/systemd/system/trainyard-imds.service"
# What stands for the kernel: the chain of each program as it was restored, and whether OUTPUT leads into it.
RESTORE = 'cat > "$STUB/${0##*/}"'
TABLES = """\
case "$*" in
*--check*) [[ -e $STUB/${0##*/}-leads ]] ;;
*--insert*) printf '%s\\n' "$*" >> "$STUB/${0##*/}-leads" ;;
esac"""


@pytest.fixture
def node(tmp_path: Path) -> FakeNode:
    node = FakeNode(tmp_path)
    for name in ("iptables", "ip6tables"):
        answers(node, f"{name}-restore", RESTORE)
        answers(node, name, TABLES)
    answers(node, "getent", "[[ $2 == root || $2 == pcluster-admin ]]")
    return node


def test_the_step_puts_the_program_and_its_unit_into_place_and_a_second_run_changes_nothing(node: FakeNode):
    runs_well(node, STEP)
    assert node.has(PROGRAM)
    assert "ExecStart=/usr/local/sbin/trainyard-imds" in node.read(UNIT)
    changes_nothing(node, STEP)


def test_an_image_without_iptables_is_said_to_be_one_and_what_to_do(node: FakeNode):
    (node.bin / "iptables-restore").unlink()
    assert "iam.imds_for_root_only" in complaint(node.run(STEP), 64)


def test_only_root_and_the_users_of_parallelcluster_that_exist_get_through(node: FakeNode):
    assert run_script(node, "imds.sh").returncode == 0
    assert (node.stub / "iptables-restore").read_text().splitlines() == [
        "*filter",
        ":TRAINYARD-IMDS - [0:0]",
        "-A TRAINYARD-IMDS -m owner --uid-owner root -j RETURN",
        "-A TRAINYARD-IMDS -m owner --uid-owner pcluster-admin -j RETURN",
        "-A TRAINYARD-IMDS -j REJECT",
        "COMMIT",
    ]


def test_what_goes_to_the_service_is_led_there_once(node: FakeNode):
    for _ in range(2):
        assert run_script(node, "imds.sh").returncode == 0
    (line,) = (node.stub / "iptables-leads").read_text().splitlines()
    assert line == "--wait 10 --insert OUTPUT 1 --destination 169.254.169.254 --jump TRAINYARD-IMDS"


def test_a_chain_that_the_kernel_refuses_is_a_failure(node: FakeNode):
    answers(node, "iptables-restore", "exit 2")
    assert run_script(node, "imds.sh").returncode == 2
    assert not (node.stub / "iptables-leads").exists()


def test_systemd_understands_the_unit(node: FakeNode):
    runs_well(node, STEP)
    assert verify_unit(node, "trainyard-imds.service", PROGRAM) == ""
