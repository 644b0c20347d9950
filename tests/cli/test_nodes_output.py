"""How nodes are printed, and the help of both commands."""

from __future__ import annotations

import pytest

from tests.operate.nodes.planted import COMPUTE, FORMER, GONE, Planted, failed, step
from trainyard.cli.nodes_output import nodes_values, print_nodes


@pytest.fixture
def cluster() -> Planted:
    planted = Planted()
    planted.come_up()
    return planted


def lines(capsys, nodes) -> list[str]:
    print_nodes(nodes)
    printed: str = capsys.readouterr().out
    return printed.splitlines()


def row(capsys, nodes, id_: str) -> str:
    return next(line for line in lines(capsys, nodes) if line.split()[1:2] == [id_])


def test_the_columns_of_a_table_are_one_below_the_other(cluster, capsys):
    header, *rows, _ = lines(capsys, cluster.look())
    for word in ("INSTANCE", "ROLE", "STATE", "BOOTSTRAP", "SECONDS", "RELEASE", "STEP"):
        place = header.index(word)
        assert all(line[place - 1] == " " != line[place] for line in rows)


def test_a_row_of_a_failed_node_ends_with_its_step_and_message(cluster, capsys):
    cluster.write(COMPUTE, "failed", release=FORMER, steps=[failed("no route " * 30)])
    found = row(capsys, cluster.look(), COMPUTE)
    assert f'failed     42       {FORMER[:12]}  efa: "no route no route' in found
    assert found.endswith('…"')


def test_a_row_of_a_node_that_has_not_reported_counts_its_seconds(cluster, capsys):
    del cluster.written[COMPUTE]
    cluster.now += 77
    assert row(capsys, cluster.look(), COMPUTE).split() == [
        "-", COMPUTE, "queue", "gpu", "running", "unreported", "77", "-", "-",
    ]  # fmt: skip


def test_nodes_that_are_gone_are_in_the_table_only_where_one_is_asked_for(cluster, capsys):
    cluster.write(GONE, "failed", steps=[failed()])
    assert all(line.split()[1:2] != [GONE] for line in lines(capsys, cluster.look()))
    assert "gone" in row(capsys, cluster.look(node=GONE), GONE).split()


def test_nothing_that_a_node_writes_reaches_the_terminal_unescaped(cluster, capsys):
    cluster.write(COMPUTE, "failed", steps=[failed("\x1b[31m\u202e\x07", name="efa"), step()])
    for nodes in (cluster.look(), cluster.look(node=COMPUTE)):
        assert all(line.isprintable() for line in lines(capsys, nodes))


def test_the_values_of_a_node_have_the_documented_keys(cluster):
    values = nodes_values(cluster.look())
    assert set(values) == {"name", "region", "ok", "ready", "release", "nodes", "gone", "findings"}
    assert set(values["nodes"][0]) == {
        "id", "hostname", "role", "group", "compute_resource", "instance_type", "state", "launched", "status", "ready",
        "step", "message", "started", "seconds", "release", "release_is_current", "steps",
    }  # fmt: skip


@pytest.mark.parametrize("command", ["check", "watch"])
def test_the_help_says_what_it_does_and_shows_an_example(trainyard, command):
    ran = trainyard("nodes", command, "--help")
    assert (ran.status, ran.err) == (0, "")
    assert f"\n  Example:\n    trainyard nodes {command} llm-p5 --region us-east-2" in ran.out
    assert all(len(line) <= 100 for line in ran.out.splitlines())


def test_without_a_subcommand_the_help_is_shown(trainyard):
    ran = trainyard("nodes")
    assert ran.status == 2
    assert "Usage: trainyard nodes" in ran.out + ran.err
