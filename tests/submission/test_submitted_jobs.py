"""What a results folder remembers: written whole, and refused where it is damaged or another's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.full_disk import files_of_at_most
from trainyard.edge.slurm_local import LocalSlurm
from trainyard.errors import InputError, TrainyardError
from trainyard.submission.on_slurm import OnSlurm
from trainyard.submission.submission import submission
from trainyard.submission.submitted_jobs import (
    SubmissionRecord,
    SubmittedJob,
    read_submission_record,
    submission_lock,
)


def written(results: Path, **changed: Any) -> dict[str, Any]:
    memory = SubmissionRecord("lab", "this machine", "/home/ubuntu/trainyard-bench/0a")
    memory.jobs["q-p1-all_reduce"] = SubmittedJob("17", "COMPLETED", ended=True, file="q-p1-all_reduce_17.out")
    memory.write(results)
    content: dict[str, Any] = json.loads((results / "submission.json").read_text()) | changed
    (results / "submission.json").write_text(json.dumps(content))
    return content


def test_what_is_written_is_read_as_it_was(tmp_path: Path):
    content = written(tmp_path)
    memory = read_submission_record(tmp_path)
    assert memory is not None
    assert (memory.token, memory.jobs["q-p1-all_reduce"].number) == (content["token"], "17")


def test_an_empty_folder_remembers_nothing(tmp_path: Path):
    assert read_submission_record(tmp_path) is None


@pytest.mark.parametrize(
    "changed",
    [
        {"schema": 2}, {"jobs": []}, {"jobs": {"a": {"number": "1;rm"}}}, {"jobs": {"../a": {"number": "1"}}},
        {"jobs": {"a": {"number": "1", "file": "../../b"}}}, {"token": "a b"}, {"cluster": None}, {"more": "x"},
    ],
    ids=str,
)  # fmt: skip
def test_what_is_damaged_or_hostile_is_refused(tmp_path: Path, changed: dict[str, Any]):
    written(tmp_path, **changed)
    with pytest.raises(InputError, match="what is remembered of the jobs cannot be read"):
        read_submission_record(tmp_path)


def test_what_is_no_json_is_refused(tmp_path: Path):
    (tmp_path / "submission.json").write_bytes(b"\xff{")
    with pytest.raises(InputError, match="cannot be read"):
        read_submission_record(tmp_path)


def test_the_folder_of_another_cluster_is_refused(tmp_path: Path):
    written(tmp_path)
    with (
        pytest.raises(InputError, match="has the results of lab, and not of other"),
        submission(tmp_path, "other", OnSlurm(LocalSlurm()), lambda _: None),
    ):
        pass


def test_a_folder_that_cannot_be_made_is_one_clear_error(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(TrainyardError, match=r"Not a directory|File exists") as told,
        submission_lock(tmp_path / "file" / "a"),
    ):
        pass
    assert "--results" in str(told.value.hint)


def test_a_full_disk_leaves_what_was_remembered_before(tmp_path: Path):
    written(tmp_path)
    memory = read_submission_record(tmp_path)
    assert memory is not None
    memory.jobs |= {f"job-{number}": SubmittedJob(str(number)) for number in range(1000)}
    with files_of_at_most(10_000), pytest.raises(TrainyardError, match="could not write"):
        memory.write(tmp_path)
    kept = read_submission_record(tmp_path)
    assert kept is not None
    assert list(kept.jobs) == ["q-p1-all_reduce"]
