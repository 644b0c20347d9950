"""nccl-tests' own JSON, whole and cut."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainyard.bench.case import case_of
from trainyard.bench.judge import judge
from trainyard.bench.nccl_json import is_test_json, parse_json, parse_json_within
from trainyard.bench.nccl_log import parse_log
from trainyard.bench.result import Run
from trainyard.errors import InputError


def content() -> dict[str, Any]:
    """Return what src/util.cu of nccl-tests 2.19 writes."""
    devices = [
        {"rank": rank, "group": 0, "pid": 40 + rank, "hostname": f"p5-{rank // 8 + 1}", "device": rank % 8,
         "device_hex": "0000:53:00", "device_info": "NVIDIA H100 80GB HBM3"}
        for rank in range(16)
    ]  # fmt: skip
    measured = {"time": 17286.0, "alg_bw": 248.46, "bus_bw": 465.87, "nwrong": 0.0}
    result = {
        "size": 4294967296, "count": 1073741824, "type": "float", "redop": "sum", "root": "    -1",
        "out_of_place": measured, "in_place": {**measured, "nwrong": None}, "actual_iterations": 20,
        "experiment_name": "all_reduce",
    }  # fmt: skip
    return {
        "version": 2, "start_time": "2026-11-20 10:00:00",
        "args": ["/opt/nccl-tests/build/all_reduce_perf", "-b", "4G"],
        "env": ["NCCL_DEBUG=INFO", "AWS_SECRET_ACCESS_KEY=do-not-keep", "FI_PROVIDER=efa"],
        "nccl_version": 22703,
        "config": {"nthreads": 1, "ngpus": 1, "maximum_bytes": 4294967296, "devices": devices},
        "results": [result, {**result, "size": 8589934592, "count": 2147483648}],
        "out_of_bounds": {"count": 0, "okay": "true"},
        "average_bus_bandwidth": {"bandwidth": 465.87, "okay": "unchecked"},
        "errors": [""], "end_time": "2026-11-20 10:00:09",
    }  # fmt: skip


def text() -> str:
    return json.dumps(content(), separators=(",", ":"))


def parsed(one: str) -> Run:
    """Return the only test of a file."""
    (run,) = parse_json(one)
    return run


def test_it_says_all_that_the_text_says():
    run = parsed(text())
    assert (run.collective, run.ranks, run.concluded) == ("all_reduce", 16, True)
    assert run.hosts == ["p5-1", "p5-2"]
    assert run.began == "2026-11-20 10:00:00"
    assert run.versions == {"nccl": "2.27.3"}
    assert run.out_of_bounds == (0, "OK")
    assert run.average_busbw_gb_s == 465.87
    row = run.rows[0]
    assert (row.size_bytes, row.elements, row.root, row.redop) == (4294967296, 1073741824, -1, "sum")
    assert row.out_of_place is not None
    assert (row.out_of_place.busbw_gb_s, row.out_of_place.wrong) == (465.87, 0)
    assert row.in_place is not None
    assert row.in_place.wrong is None


def test_of_the_environment_only_what_concerns_nccl_is_kept():
    run = parsed(text())
    assert run.environment == {"NCCL_DEBUG": "INFO", "FI_PROVIDER": "efa"}
    assert "do-not-keep" not in repr(run)


def test_times_of_the_processor_are_times_too():
    changed = text().replace('"time":', '"cpu_time":')
    assert parsed(changed) == parsed(text())


def test_a_row_without_out_of_place_has_its_other_half():
    changed = content()
    changed["results"][0]["out_of_place"] = None
    row = parsed(json.dumps(changed)).rows[0]
    assert row.out_of_place is None
    assert row.in_place is not None


def test_wherever_it_is_cut_whole_rows_are_kept_and_nothing_is_invented():
    whole = text()
    rows = set(parsed(whole).rows)
    begin = whole.index('"results"')
    for length in range(begin + len('"results":['), len(whole)):
        run = parsed(whole[:length])
        assert set(run.rows) <= rows
        assert not run.concluded
    assert len(parsed(whole[: whole.index('"out_of_bounds"')]).rows) == 2


@pytest.mark.parametrize("length", [10, 200])
def test_one_that_is_cut_before_its_results_is_an_error(length: int):
    with pytest.raises(ValueError):
        parse_json(text()[:length])


def test_one_that_stands_in_a_log_is_read_there():
    (run,) = parse_json_within(f"srun: job 41 queued\n{json.dumps(content(), indent=2)}\nsrun: done\n")
    assert [row.size_bytes for row in run.rows] == [4294967296, 8589934592]
    assert parse_json_within(json.dumps(content())[:300]) == parse_json_within(" " + json.dumps(content())) == []


def test_one_within_another_is_not_read_again():
    outer = {"version": 1, "start_time": "x", "config": {}, "results": [], "errors": [json.dumps(content())]}
    within = json.dumps(outer)[:-1] + ',\n"inner":\n' + json.dumps(content()) + "}"
    assert len(parse_json_within(within)) == 1


def test_beginnings_without_number_are_not_all_read_to_their_end():
    cut = '{"version": 1, "start_time": ['
    assert parse_json_within(f"{cut}\n" * 150 + json.dumps(content())) == []


def test_a_log_with_one_that_cannot_be_read_again_has_a_table_that_nobody_can_read():
    (run,) = parse_log([f"# nThread 1 nGpus 1 minBytes 8\n{json.dumps(content(), indent=2)}\n".encode()])
    assert run.unread is not None
    assert not run.rows


def test_it_is_known_by_its_beginning():
    assert is_test_json(text()[:64].encode())
    assert not is_test_json(b'{"version": 1, "findings": []}')
    assert not is_test_json(b"# nThread 1")


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Return every container with every key or index of it."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, one in inner for place in [(value, key), *places(one)]]


@given(st.data(), ANYTHING)
def test_whatever_stands_in_the_place_of_a_value_ends_in_a_verdict_or_in_words(data: st.DataObject, other: Any):
    changed = content()
    container, key = data.draw(st.sampled_from(places(changed)))
    container[key] = other
    try:
        run = parsed(json.dumps(changed))
    except ValueError:
        return
    with suppress(InputError):  # ranks that do not fit two nodes
        judge(case_of(run, "p5.48xlarge", 2))


@pytest.mark.parametrize("results", ["[1,2]", "{}", "[" * 100_000, '[{"size":"8"}]', '[{"size":-8,"count":2}]'])
def test_json_of_another_form_is_an_error_in_words(results: str):
    with pytest.raises(ValueError, match=r"is not as nccl-tests writes it|JSON"):
        parse_json('{"version":2,"start_time":"x","results":' + results)
