"""Kinds of findings as data: what a finding says itself, and what its kind says for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainyard.finding_kinds import finding_of, kinds_beside

WRITTEN = """\
node-lost:
  severity: error
  title: Node that is gone
  rationale: Nobody knows why.
  remedy: Start another one.
  source: https://docs.aws.amazon.com/
"""


@pytest.fixture
def module(tmp_path: Path) -> Path:
    (tmp_path / "findings.yaml").write_text(WRITTEN)
    return tmp_path / "explained.py"


def test_a_finding_says_what_its_kind_says(module: Path):
    finding = finding_of(kinds_beside(module), "node-lost", "i-1 is gone")
    assert finding[:5] == ("node-lost", "error", "i-1 is gone", "start another one", "https://docs.aws.amazon.com/")


def test_a_finding_may_say_more(module: Path):
    found = finding_of(
        kinds_beside(module), "node-lost", "i-1 is gone", "start i-1", severity="info", file="s3://b/x", path="queues"
    )
    assert (found.severity, found.remedy, found.file, found.path) == ("info", "start i-1", "s3://b/x", "queues")


def test_a_kind_that_nobody_has_described_is_a_bug(module: Path):
    with pytest.raises(KeyError, match="node-found"):
        finding_of(kinds_beside(module), "node-found", "i-1 is back")
