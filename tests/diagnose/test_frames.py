"""Whatever a program says of an error is known, by a signature or by the frame of the program, and nothing else is.

The messages are those of the programs' sources at the commit that each file names, with values in place of what the
program fills in.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.diagnose.found import causes_of_line
from trainyard.api.diagnose import diagnose_files
from trainyard.diagnose.cause import CONFIDENCES, Hit, causes
from trainyard.diagnose.reasoning.root_causes import root_causes

_FRAMES = "frames"
CATALOGUES = [
    pytest.param(json.loads(file.read_text()), id=file.stem)
    for file in sorted(Path(__file__).parent.glob("catalogues/*.json"))
]


@pytest.mark.parametrize("catalogue", CATALOGUES)
def test_every_message_of_level_error_is_known(catalogue: dict[str, Any]):
    lines = [catalogue["error"].replace("{}", message) for message in catalogue["messages"]]
    assert [line for line in lines if not causes_of_line(line)] == []
    assert len(lines) > 8


@pytest.mark.parametrize("catalogue", CATALOGUES)
def test_a_frame_takes_the_level_and_not_the_words(catalogue: dict[str, Any]):
    lines = [catalogue["quiet"].replace("{}", message) for message in catalogue["messages"]]
    framed = [line for line in lines if any(cause.subject == _FRAMES for cause in causes_of_line(line))]
    assert framed == []


def test_a_frame_quotes_the_sentence_of_the_program_and_is_never_certain(tmp_path: Path):
    log = tmp_path / "slurmctld"
    lines = [f"[2026-04-11T08:0{minute}:10.004] fatal: The moon is full" for minute in range(5)]
    log.write_text("".join(f"{line}\n" for line in lines))
    (first,) = diagnose_files(str(log)).causes
    assert (first.cause.id, first.confidence) == ("slurm-fatal", list(CONFIDENCES)[1])
    assert first.evidence[0].text == lines[0]


def test_a_signature_that_knows_the_words_is_preferred_to_a_frame(tmp_path: Path):
    log = tmp_path / "slurm-7.out"
    log.write_text("slurmstepd: error: *** JOB 57 ON train-3 CANCELLED AT 2026-03-21T16:01:00 DUE TO TIME LIMIT ***\n")
    assert [one.cause.id for one in diagnose_files(str(log)).causes] == ["job-time-limit-reached"]


def test_an_error_that_is_known_comes_before_frames_and_takes_those_behind_it():
    hits = [
        Hit("slurm-command-error-line", "a", 1, "sbatch: error: x", None, None),
        Hit("slurm-time-limit", "a", 2, "CANCELLED", None, None),
    ]
    first, *others = root_causes(hits).causes
    assert (first.cause.id, [one.cause.id for one in first.consequences]) == (
        "job-time-limit-reached",
        ["slurm-command-error"],
    )
    assert others == []


def test_the_broader_of_two_frames_gives_way_on_one_line(tmp_path: Path):
    log = tmp_path / "slurm-7.out"
    log.write_text("ip-10-0-1-7:71:93 [0] nccl_net_ofi_init:75 NCCL WARN NET/OFI The moon is full\n")
    assert [one.cause.id for one in diagnose_files(str(log)).causes] == ["ofi-plugin-error"]


def test_all_validators_of_a_refused_configuration_are_quoted(tmp_path: Path):
    log = tmp_path / "answer.json"
    messages = ["The moon is full.", "The sea is wide."]
    failures = [
        {"level": "WARNING", "type": "AdviceValidator", "message": "The day is short."},
        *({"level": "ERROR", "type": "MoonValidator", "message": message} for message in messages),
    ]
    answer = {"configurationValidationErrors": failures, "message": "Invalid cluster configuration."}
    log.write_text(json.dumps(answer, indent=2))
    (first,) = diagnose_files(str(log)).causes
    assert first.cause.id == "cluster-validation-failed"
    assert [hit.text.strip() for hit in first.evidence] == [f'"message": "{message}"' for message in messages]


def test_frames_are_of_no_cause_that_is_a_root():
    """A root explains whatever comes later, and a frame does not know what it has found."""
    frames = [cause for cause in causes().values() if cause.subject == _FRAMES]
    assert {cause.kind for cause in frames} == {"consequence"}
    assert {signature.confidence for cause in frames for signature in cause.signatures} <= {"likely", "possible"}
