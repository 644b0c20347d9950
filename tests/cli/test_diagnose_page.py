"""docs/diagnose.md shows what the command prints, and says what link_weights.yaml says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from trainyard.cli.diagnose import command
from trainyard.diagnose.reasoning.cause_evidence import thresholds

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "diagnose.md").read_text(encoding="utf-8")
LOGS = re.findall(r"^`([^`\n]+)`:\n\n```text\n(.*?)```", PAGE, re.DOTALL | re.MULTILINE)
((COMMAND, SHOWN),) = re.findall(r"```console\n\$ trainyard ([^\n]*)\n(.*?)```", PAGE, re.DOTALL)


def test_the_example_is_what_the_command_prints(trainyard, tmp_path):
    (tmp_path / "logs").mkdir()
    for name, text in LOGS:
        (tmp_path / "logs" / name).write_text(text)
    ran = trainyard(*COMMAND.split())
    assert [len(LOGS), ran.status, ran.out] == [2, 1, SHOWN]


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(((?!https)[^)#]+)", PAGE))))
def test_a_link_within_the_docs_leads_somewhere(link: str):
    assert (DOCS / link).exists()


@pytest.mark.parametrize("option", sorted(set(re.findall(r"`(--[a-z-]+)", PAGE)) - {"--export"}))
def test_an_option_that_it_names_is_there(option: str):
    assert option in {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}


def test_the_numbers_are_those_by_which_it_decides():
    told = thresholds()
    hours = {kind: int(link.reach.total_seconds() // 3600) for kind, link in told.links.items()}
    assert f"| any | a cause that it names | not kept apart | {hours['cause']} hours |" in PAGE
    assert f"| a cause of a subject that it names | not kept apart | {hours['subject']} hours |" in PAGE
    assert f"| symptom | any error that is no symptom | tied | {hours['any']} hours |" in PAGE
    assert told.links["any"].slack.total_seconds() == told.links["cause"].slack.total_seconds() == 2 * 60
    assert told.links["consequence"].slack.total_seconds() == 1
    assert "by more than a second" in PAGE
    assert told.over_after.total_seconds() == 60 * 60
    assert "up to two minutes later" in PAGE
    assert "had ended an hour before" in PAGE
    assert f"counts {told.links['cause'].weight} where layers or names lead to it" in PAGE
    assert f"and {told.links['any'].weight} where it is only a symptom nearby" in PAGE
    assert told.links["cause"].weight == told.links["subject"].weight
    sure = told.confidence
    assert (
        f"certain line counts {sure['certain']}, a likely one {sure['likely']}, a possible one {sure['possible']}."
        in PAGE
    )
