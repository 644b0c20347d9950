"""What strangers write into records, logs and statuses, in every place where it is shown: data, and never a command.

More than a hundred forgeries are made of what is written and where. What is left of an output without its quotations
and the lines behind a bar are our own words, in which nothing of a forgery may stand.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from markdown_it import MarkdownIt

from tests.diagnose.report.diagnoses import diagnosis
from tests.each_case import each_case
from tests.forged.forgeries import FORGERIES, MARK, assert_quoted, own_words
from tests.operate.nodes.planted import COMPUTE, CURRENT, HEAD, LOGIN, Planted, failed, record
from trainyard.cli.diagnose_output import print_diagnosis
from trainyard.cli.nodes_output import nodes_values, print_nodes
from trainyard.deploy.node_record import BadRecordError, read_record
from trainyard.deploy.running_nodes import failure_of
from trainyard.diagnose.diagnosis_values import diagnosis_values
from trainyard.diagnose.report.page import report_page
from trainyard.platforms.eks.status.pods import end_of, pod_trouble


def nodes_with(text: str) -> Planted:
    cluster = Planted()
    cluster.come_up()
    cluster.write(COMPUTE, "failed", message=text, steps=[failed(text), failed(text, "nccl", required=False)])
    cluster.write(HEAD, "ready", role="head", queue="", message=text)
    cluster.write(LOGIN, "held", role="login", queue="", message=text, steps=[])
    return cluster


def nodes_table(text: str) -> None:
    print_nodes(nodes_with(text).look())
    print_nodes(nodes_with(text).look(node=COMPUTE))


@pytest.mark.parametrize("text", FORGERIES.values(), ids=FORGERIES)
def test_a_table_of_nodes_and_its_findings_hold_it_in_quotations_alone(text: str, capsys: pytest.CaptureFixture[str]):
    nodes_table(text)
    output = capsys.readouterr().out
    assert MARK in output
    assert MARK not in own_words(output)
    assert output.replace("\n", "").isprintable()


@pytest.mark.parametrize("text", FORGERIES.values(), ids=FORGERIES)
def test_the_json_of_nodes_holds_it_under_message_and_in_quotations(text: str):
    values = nodes_values(nodes_with(text).look())
    assert json.dumps(values).isprintable()
    for finding in values["findings"]:
        assert MARK not in own_words(finding["message"])
        assert MARK not in finding["remedy"]


@pytest.mark.parametrize("text", FORGERIES.values(), ids=FORGERIES)
def test_the_warning_of_a_deployment_holds_it_in_a_quotation(text: str):
    for values in ({"message": text, "steps": []}, {"steps": [failed(text)]}):
        content = json.dumps({**record(HEAD, "failed", role="head", queue=""), **values, "release": CURRENT}).encode()
        words = failure_of(read_record(content, HEAD))
        assert words is not None
        assert MARK not in own_words(words)
        assert words.isprintable()


@pytest.mark.parametrize("field", ["instance_id", "instance_type", "role", "queue", "hostname", "release", "status"])
@pytest.mark.parametrize("text", FORGERIES.values(), ids=FORGERIES)
def test_a_field_that_stands_among_our_own_words_takes_no_such_text(field: str, text: str):
    content = json.dumps({**record(HEAD), field: text}).encode()
    with pytest.raises(BadRecordError) as refused:
        read_record(content, HEAD)
    assert MARK not in str(refused.value)


@each_case("text", FORGERIES.values(), ids=FORGERIES)
def test_a_diagnosis_in_a_terminal_holds_lines_behind_a_bar_and_names_in_quotations(
    text: str, capsys: pytest.CaptureFixture[str]
):
    for known in (True, False):
        values: dict[str, Any] = diagnosis_values(diagnosis(known=known, hostile=text))
        # What was asked for and why something was not read are words of the user's and of ours.
        print_diagnosis({**values, "diagnosed": "logs", "unread": [{"name": text, "why": "a link"}]})
    output = capsys.readouterr().out
    assert MARK in output
    assert_quoted(output)


@pytest.mark.parametrize("text", FORGERIES.values(), ids=FORGERIES)
def test_the_page_of_a_diagnosis_holds_it_in_code_alone(text: str):
    tokens = MarkdownIt("commonmark").parse(report_page(diagnosis_values(diagnosis(hostile=text))))
    free = [
        child.content
        for token in tokens
        for child in (token.children or [token])
        if child.type not in ("fence", "code_inline", "inline")
    ]
    assert not [words for words in free if MARK in words]


def pod(phase: str, state: dict[str, Any]) -> dict[str, Any]:
    container = {"name": "train", "restartCount": 3, "state": state, "lastState": state}
    made = {"name": "llm-worker-0", "namespace": "default", "creationTimestamp": "2026-11-21T12:00:00Z"}
    return {"metadata": made, "spec": {}, "status": {"phase": phase, "containerStatuses": [container]}}


@pytest.mark.parametrize("text", FORGERIES.values(), ids=FORGERIES)
def test_the_trouble_and_the_end_of_a_pod_hold_it_in_quotations(text: str):
    ended = {"terminated": {"reason": "Error", "exitCode": 1, "message": text}}
    waits = {**ended, "waiting": {"reason": "InvalidImageName", "message": text}}
    trouble = pod_trouble(pod("Running", waits), 2e9)
    assert trouble is not None
    for words in (trouble.why, end_of(pod("Failed", ended))):
        assert MARK in words
        assert MARK not in own_words(words)
        assert words.isprintable()
