"""What is sent to those who have subscribed to a topic."""

from __future__ import annotations

from typing import Any

import pytest

from tests.deploy.preflights.recorded import RecordedAccount, Refusal, listening
from trainyard.edge.aws.errors import NotAllowedError
from trainyard.edge.aws.sns import publish

TOPIC = "arn:aws:sns:us-east-2:111122223333:llm-alerts"


def account(answer: Any) -> RecordedAccount:
    return RecordedAccount("us-east-2", answers={"sns.Publish": answer})


def test_a_subject_is_one_line_of_ascii_and_a_message_no_longer_than_sns_allows():
    answer, heard = listening({"MessageId": "1"})
    publish(account(answer), TOPIC, "größe\n" + "x" * 200, "é" * 200_000)
    (sent,) = heard
    assert sent["Subject"] == "gr??e " + "x" * 94
    assert len(sent["Message"].encode()) == 262_144
    assert sent["TopicArn"] == TOPIC


def test_a_refusal_names_the_permission():
    with pytest.raises(NotAllowedError) as raised:
        publish(account(Refusal("AuthorizationError", "no", 403)), TOPIC, "a", "b")
    assert raised.value.permission == "sns:Publish"
