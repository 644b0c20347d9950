"""Judging results of bandwidth tests."""

from __future__ import annotations

from trainyard.bench.file_judgement import FileJudgement, judge_files
from trainyard.bench.judge import Judgement
from trainyard.bench.judgement_values import values_of

__all__ = ["FileJudgement", "Judgement", "judge_files", "values_of"]
