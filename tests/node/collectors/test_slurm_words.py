"""Slurm's abbreviations: lists of nodes, generic resources, amounts of memory, records."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainyard_node.collectors.slurm.gres import gpu_count, gres_counts
from trainyard_node.collectors.slurm.hostlist import MOST_NODES, expand_hostlist
from trainyard_node.collectors.slurm.jobs import memory_mib
from trainyard_node.collectors.slurm.node_groups import seconds_since_1970
from trainyard_node.collectors.slurm.record import FIELD, fields_of, new_end, output_format, records
from trainyard_node.errors import NodeError


@pytest.mark.parametrize(
    ("hostlist", "names"),
    [
        ("head", ["head"]),
        ("q-dy-p5-[1-3]", ["q-dy-p5-1", "q-dy-p5-2", "q-dy-p5-3"]),
        ("q-[08-10,2]", ["q-08", "q-09", "q-10", "q-2"]),
        ("a[1-2],b,c[7]", ["a1", "a2", "b", "c7"]),
        ("r[1-2]n[1-2]", ["r1n1", "r1n2", "r2n1", "r2n2"]),
        ("a[1-2]-ib", ["a1-ib", "a2-ib"]),
        ("", []),
    ],
)
def test_a_list_of_nodes_is_expanded_in_its_order(hostlist: str, names: list[str]):
    assert expand_hostlist(hostlist) == names


@pytest.mark.parametrize("hostlist", ["a[1-", "a]", "a[x-3]", "a[1--3]", "a[]", "a[[1]]", "a[1-2"])
def test_what_is_no_list_of_nodes_is_refused(hostlist: str):
    with pytest.raises(NodeError):
        expand_hostlist(hostlist)


@pytest.mark.parametrize(
    "hostlist", ["a[0-999999999]", "a[1-9999]b[1-9999]", "a[0-9999999999999]", "a[1-40000],b[1-40000]"]
)
def test_a_list_without_end_is_refused_before_it_fills_the_memory(hostlist: str):
    with pytest.raises(NodeError, match=str(MOST_NODES)):
        expand_hostlist(hostlist)


@given(st.text(alphabet="ab01-[],", max_size=40))
def test_any_text_is_expanded_or_refused(text: str):
    try:
        names = expand_hostlist(text)
    except NodeError:
        return
    assert not any(set(name) & set("[],") for name in names)


names = st.from_regex(re.compile(r"[a-z]{1,4}(-[a-z]{1,3}-)?", re.ASCII), fullmatch=True)


@pytest.fixture(scope="module")
def slurm_conf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("slurm") / "slurm.conf"
    file.write_text("ClusterName=lab\nSlurmctldHost=localhost\nNodeName=a\nPartitionName=q Nodes=a\n")
    return file


@pytest.mark.integration
@given(
    nodes=st.lists(
        st.builds("{}{}".format, names, st.integers(0, 120).map(lambda n: f"{n:03}" if n % 3 else str(n))), min_size=1
    )
)
def test_slurm_abbreviates_what_is_expanded_again(slurm_conf: Path, nodes: list[str]):
    """As scontrol abbreviates names, so they are expanded; it needs no slurmctld for that."""
    short = subprocess.run(
        ["scontrol", "show", "hostlist", ",".join(nodes)], capture_output=True, text=True, check=True,
        env={"PATH": "/usr/bin:/bin", "SLURM_CONF": str(slurm_conf)},
    ).stdout.strip()  # fmt: skip
    assert sorted(expand_hostlist(short)) == sorted(nodes)


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("gpu:h100:8(IDX:0-3,5)", {"gpu:h100": 8}),
        ("gpu:h100:8(S:0-1),gpu:a100:2(S:0)", {"gpu:h100": 8, "gpu:a100": 2}),
        ("gpu:8", {"gpu": 8}),
        ("gpu", {"gpu": 1}),
        ("gpu:h100", {"gpu:h100": 1}),
        ("gpu:h100:0(IDX:N/A)", {"gpu:h100": 0}),
        ("gpu:1g.5gb:7", {"gpu:1g.5gb": 7}),
        ("gres/gpu:1g.5gb=2", {"gpu:1g.5gb": 2}),
        ("gpu:2080ti:4(S:0)", {"gpu:2080ti": 4}),
        ("gpu:h100:no_consume:4", {"gpu:h100": 4}),
        ("gres:gpu:2", {"gpu": 2}),
        ("gres/gpu:h100:2", {"gpu:h100": 2}),
        (
            "cpu=192,mem=500M,node=1,gres/gpu=8,gres/gpu:h100=8",
            {"cpu": 192, "mem": 500 << 20, "node": 1, "gpu": 8, "gpu:h100": 8},
        ),
        ("nvme:100G,mps:h100:400(S:0)", {"nvme": 100 << 30, "mps:h100": 400}),
        ("(null)", {}),
        ("N/A", {}),
        ("", {}),
    ],
)  # fmt: skip
def test_generic_resources_are_counted_by_kind(text: str, counts: dict[str, int]):
    assert dict(gres_counts(text)) == counts


def test_the_same_gpus_said_twice_count_once():
    assert gpu_count("gres/gpu=8,gres/gpu:h100=8") == 8
    assert gpu_count("gpu:h100:6,gpu:a100:2") == 8


@pytest.mark.parametrize(
    ("text", "seconds"), [("1795274272", 1795274272), ("Unknown", None), ("N/A", None), ("²", None)]
)
def test_a_time_is_known_or_not(text: str, seconds: float | None):
    assert seconds_since_1970(text) == seconds


@given(st.text(max_size=30))
def test_any_text_is_a_time_or_none(text: str):
    assert (seconds_since_1970(text) is None) == (not text or not set(text) <= set("0123456789"))


@given(st.text(max_size=200))
def test_no_text_of_resources_makes_trouble(text: str):
    assert gpu_count(text) >= 0


@pytest.mark.parametrize(("text", "mib"), [("500M", 500), ("1.5G", 1536), ("2T", 2 << 20), ("512K", 0.5), ("7", 7)])
def test_memory_is_read_in_its_units(text: str, mib: float):
    assert memory_mib(text) == mib


@given(st.lists(st.tuples(st.text(alphabet="aZ0-_"), st.text(alphabet=st.characters(codec="utf-8")))))
def test_the_last_field_may_hold_anything(rows: list[tuple[str, str]]):
    end = new_end()
    output = "".join(f"{first}{FIELD}{last}{end}\n" for first, last in rows).encode()
    assert [fields_of(record, 2) for record in records(output, end, "squeue")] == [list(row) for row in rows]


def test_no_two_readings_end_their_records_alike():
    assert new_end() != new_end()


def test_output_that_stops_in_the_middle_is_refused():
    with pytest.raises(NodeError, match="squeue printed"):
        records(b"PENDING\x1fq\x1eab\nRUNN", "\x1eab", "squeue")


def test_a_format_gives_each_field_its_end():
    assert output_format("\x1eab", "State", "Reason") == "State:\x1f,Reason:\x1eab"
