from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pytest

from tests.diagnose.scanning.known import counts, found, only

AT = dt.datetime(2025, 5, 6, 13, 5, 20, tzinfo=dt.UTC)
STACK_EVENT = {
    "StackId": "arn:aws:cloudformation:us-east-1:111122223333:stack/a/b",
    "EventId": "HeadNode-CREATE_FAILED-2025-05-06T13:05:20.000Z",
    "LogicalResourceId": "HeadNode",
    "ResourceType": "AWS::EC2::Instance",
    "Timestamp": "2025-05-06T13:05:20.000Z",
    "ResourceStatus": "CREATE_FAILED",
    "ResourceStatusReason": 'You have "no" capacity',
}
LOWER = {key[0].lower() + key[1:]: value for key, value in STACK_EVENT.items()}
FAILED = {"failed": 'AWS::EC2::Instance CREATE_FAILED You have "no" capacity'}
FORMS: dict[str, Any] = {
    "export": [[STACK_EVENT], [{"ResourceStatus": "CREATE_COMPLETE"}]],
    "describe-stack-events": {"StackEvents": [STACK_EVENT]},
    "get-cluster-stack-events": {"events": [LOWER]},
}


@pytest.mark.parametrize("indent", [2, None], ids=["pretty", "compact"])
@pytest.mark.parametrize("block", [3, 10_000])
@pytest.mark.parametrize("form", FORMS)
def test_an_event_of_a_stack_has_resource_status_and_time(form: str, block: int, indent: int | None):
    data = json.dumps(FORMS[form], indent=indent)
    seen = only(found({"a-cfn-events": data.encode()}, FAILED, block))
    (hit,) = seen.hits
    assert (hit.time, seen.count) == (AT, 1)
    line = data.splitlines()[hit.line - 1]
    assert "no" in hit.text
    assert hit.text in line
    assert not indent or "tatusReason" in line


def test_an_event_counts_once_though_several_of_its_lines_say_it():
    data = json.dumps(FORMS["export"], indent=2).encode()
    assert counts(found({"a-cfn-events": data}, {"failed": "CREATE_FAILED"})) == {"failed": 1}


def test_each_event_of_a_document_in_one_line_counts():
    data = json.dumps({"StackEvents": [STACK_EVENT] * 7}).encode()
    assert counts(found(data, FAILED)) == {"failed": 7}


def test_events_of_cloudwatch_logs_have_their_own_time_and_node():
    stream = "ip-10-0-0-7.i-0123456789abcdef0.slurmctld"
    events = [
        {
            "logStreamName": stream,
            "timestamp": 1746536720000 + second * 1000,
            "message": f'{second} said "munge"',
            "ingestionTime": 1746536799000,
        }
        for second in range(3)
    ]
    seen = only(found(json.dumps({"events": events}).encode(), {"said": 'said "munge"'}))
    assert (seen.node, seen.count, seen.first_seen, seen.last_seen) == (
        "ip-10-0-0-7",
        3,
        AT,
        AT + dt.timedelta(seconds=2),
    )


@pytest.mark.parametrize("indent", [1, None], ids=["json-pretty", "json"])
def test_the_journal_has_time_and_node(indent: int | None):
    entry = {
        "MESSAGE": "NVRM: Xid 79",
        "__REALTIME_TIMESTAMP": "1746536720000000",
        "_HOSTNAME": "ip-10-0-0-7.ec2.internal",
    }
    data = "\n".join(json.dumps(entry, indent=indent) for _ in range(3)).encode()
    seen = only(found(data, {"xid": "Xid 79"}))
    assert (seen.node, seen.first_seen, seen.count) == ("ip-10-0-0-7", AT, 3)


def test_a_message_of_bytes_is_read_where_only_some_fields_of_the_journal_are_there():
    message = b"\x1b[31m" + b"p" * 700 + b"NVRM: Xid 79"
    data = json.dumps({"_HOSTNAME": "ip-10-0-0-7", "MESSAGE": list(message)}).encode()
    assert only(found(data, {"xid": "Xid 79"})).node == "ip-10-0-0-7"


def test_of_a_long_message_the_words_are_kept_that_were_found():
    entry = {"__REALTIME_TIMESTAMP": "1746536720000000", "MESSAGE": "p" * 9000 + " Xid 79 " + "q" * 9000}
    (hit,) = only(found(json.dumps(entry).encode(), {"xid": "Xid 79"})).hits
    assert " Xid 79 " in hit.text


def test_a_document_that_is_cut_off_gives_what_it_has():
    data = json.dumps({"StackEvents": [STACK_EVENT] * 3}, indent=2).encode()
    assert counts(found(data[: len(data) * 2 // 3], FAILED)) == {"failed": 1}


def test_nesting_without_end_is_survived():
    data = b'{"StackEvents": [{"ResourceStatus": ' + b'{"a": [' * 50_000 + b'"CREATE_FAILED"'
    assert found(data, FAILED, 10_000).files == 1
