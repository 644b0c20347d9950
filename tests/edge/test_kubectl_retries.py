"""What may pass is asked again, within limits; what will not is asked once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import pytest

from trainyard.edge.aws.account import Clock
from trainyard.edge.kubernetes.kubectl import Kubectl
from trainyard.edge.kubernetes.refusals import TransientError, refusal
from trainyard.edge.kubernetes.retries import KubectlWithRetries
from trainyard.edge.remote_command import UnreachableError
from trainyard.errors import TrainyardError

RESET = "error: read tcp 10.0.0.1:51000->203.0.113.7:443: read: connection reset by peer"
DOCUMENTS = [{"kind": "ConfigMap", "metadata": {"name": name}} for name in ("one", "two")]


class Pauses(Clock):
    def __init__(self) -> None:
        self.seconds: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.seconds.append(seconds)


class Failing:
    """Answers after some refusals."""

    def __init__(self, *refusals: str) -> None:
        self.refusals = list(refusals)
        self.asked: list[int] = []

    def get(self, resource: str, **_: Any) -> list[dict[str, Any]]:
        self._refuse()
        return [{"kind": resource}]

    def apply(self, documents: Sequence[Mapping[str, Any]], **_: Any) -> list[str]:
        self.asked.append(len(documents))
        self._refuse()
        return [f"{document['metadata']['name']} applied" for document in documents]

    def delete(self, documents: Sequence[Mapping[str, Any]]) -> list[str]:
        return self.apply(documents)

    def _refuse(self) -> None:
        if self.refusals:
            raise refusal("do it", "llm", 1, [self.refusals.pop(0)])


def with_retries(inner: Failing) -> tuple[KubectlWithRetries, Pauses]:
    pauses = Pauses()
    return KubectlWithRetries(cast(Kubectl, inner), pauses), pauses


@pytest.mark.parametrize(
    "said",
    [
        RESET,
        "Unable to connect to the server: EOF",
        "Error from server (TooManyRequests): the server has received too many requests",
        "Error from server (ServiceUnavailable): the server is currently unable to handle the request",
        "error: unexpected error when reading response body: unexpected EOF",
        "Unable to connect to the server: net/http: TLS handshake timeout",
    ],
)
def test_a_question_is_asked_again(said: str):
    kubectl, pauses = with_retries(Failing(said, said))
    assert kubectl.get("nodes") == [{"kind": "nodes"}]
    assert pauses.seconds == [1.0, 2.0]


def test_and_after_five_times_no_more():
    kubectl, pauses = with_retries(Failing(*[RESET] * 9))
    with pytest.raises(TransientError, match="connection reset by peer"):
        kubectl.get("nodes")
    assert sum(pauses.seconds) == 15.0


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Unable to connect to the server: dial tcp: lookup x: no such host", UnreachableError),
        ("Unable to connect to the server: dial tcp 203.0.113.7:443: i/o timeout", UnreachableError),
        ('Error from server (Forbidden): nodes is forbidden: User "x" cannot list', TrainyardError),
        ('Error from server (Invalid): DaemonSet "x" is invalid', TrainyardError),
    ],
)
def test_what_will_not_pass_is_asked_once(said: str, kind: type[TrainyardError]):
    kubectl, pauses = with_retries(Failing(said))
    with pytest.raises(kind):
        kubectl.get("nodes")
    assert pauses.seconds == []


@pytest.mark.parametrize("verb", ["apply", "delete"])
def test_documents_go_one_by_one_once_an_answer_was_lost(verb: str):
    inner = Failing(RESET, RESET)
    kubectl, _ = with_retries(inner)
    assert getattr(kubectl, verb)(DOCUMENTS) == ["one applied", "two applied"]
    assert inner.asked == [2, 1, 1, 1]
