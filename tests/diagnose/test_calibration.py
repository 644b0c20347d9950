"""The words "certain" and "likely" are as good as docs/diagnose.md says."""

from __future__ import annotations

from pathlib import Path

from tests.diagnose.calibration import Judgement, judgements, share_right, table

LEAST_CERTAIN, LEAST_LIKELY = 0.98, 0.8


def test_what_is_called_certain_or_likely_is_right_as_often_as_promised(tmp_path: Path):
    judged = list(judgements(tmp_path))
    wrong = [one for one in judged if not one.is_right]
    assert share_right(judged, "certain") >= LEAST_CERTAIN, wrong
    assert share_right(judged, "likely") >= LEAST_LIKELY, wrong


def test_the_table_counts_answers_by_how_sure_they_are():
    judged = [
        Judgement("blind", "a", "certain", "gpu", is_right=True),
        Judgement("blind", "b", "certain", "gpu", is_right=False),
        Judgement("composed", "c", "likely", "slurm", is_right=True),
    ]
    assert table(judged).splitlines()[2:] == [
        "| blind | 1 of 2 |  |  |  |",
        "| composed |  | 1 of 1 |  |  |",
        "| all | 1 of 2 | 1 of 1 |  |  |",
        "| answers of gpu | 1 of 2 |  |  |  |",
        "| answers of slurm |  | 1 of 1 |  |  |",
    ]
    assert share_right(judged, "certain") == 1 / 2
