"""Answers of AWS that are kept while nothing happens, for whoever only looks, as a plan does: each is asked for once.

What is asked after a change of ours, or after a pause, is asked anew. What programs of others change nobody sees here,
so this is for phases in which none of them changes anything.
"""

from __future__ import annotations

import copy
import threading
from dataclasses import replace
from typing import Any

from trainyard.edge.aws.account import Account, Clock

_LOOKS = ("BatchGet", "Describe", "Get", "Head", "List", "Simulate")
# Change sets that nobody executes, and what whoever only looks asks nodes and of drift, change nothing that is asked
# for; how far one is, is asked until it is there.
_HARMLESS = (
    "CreateChangeSet", "DeleteChangeSet", "DescribeChangeSet", "SendCommand", "GetCommandInvocation",
    "DetectStackDrift", "DescribeStackDriftDetectionStatus",
)  # fmt: skip
_GOOD = 300
_LONGEST_WAIT_S = 120.0
"""How long one thread waits for what another asks; then it asks as well."""


def remembering(account: Account) -> Account:
    """Return the account with a memory that begins empty and lasts as long as what is returned."""
    answers = RememberedAnswers()
    return replace(account, clock=_ForgetfulClock(account.clock, answers), memory=answers)


class RememberedAnswers:
    """What AWS has answered since the last change or pause."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._kept: dict[Any, tuple[Any, Any]] = {}
        self._asked: dict[Any, threading.Event] = {}
        self._deciding = threading.Lock()

    def watch(self, client: Any) -> None:
        """Answer what a client of botocore asks again, also while another thread asks for it."""
        client.meta.events.register("before-call", self._again)
        client.meta.events.register("after-call", self._keep)
        client.meta.events.register("after-call-error", self._give_up)

    def forget(self) -> None:
        """Ask everything anew."""
        self._kept.clear()

    def _again(self, model: Any, params: dict[str, Any], context: dict[str, Any], **_: Any) -> tuple[Any, Any] | None:
        if model.name in _HARMLESS or _is_dry(params):
            return None
        if not model.name.startswith(_LOOKS):
            self.forget()
            return None
        if model.has_streaming_output:
            return None
        region = (context.get("client_config") and context["client_config"].region_name) or ""
        asked = {name: params.get(name) for name in ("url_path", "query_string", "body")}
        key = (model.service_model.service_name, model.name, region, repr(asked))
        if (others := self._others_question(key)) is not None:
            others.wait(_LONGEST_WAIT_S)
        kept = self._kept.get(key)
        if kept is None:
            context["trainyard"] = key
            return None
        return kept[0], copy.deepcopy(kept[1])

    def _others_question(self, key: Any) -> threading.Event | None:
        """Return what tells that another thread has its answer; None where there is one already, or this one asks."""
        with self._deciding:
            if key in self._kept:
                return None
            others = self._asked.get(key)
            if others is None:
                self._asked[key] = threading.Event()
            return others

    def _keep(self, http_response: Any, parsed: Any, context: dict[str, Any], **_: Any) -> None:
        key = context.get("trainyard")
        if key is not None and http_response.status_code < _GOOD:
            self._kept[key] = (http_response, copy.deepcopy(parsed))
        self._tell(key)

    def _give_up(self, context: dict[str, Any], **_: Any) -> None:
        self._tell(context.get("trainyard"))

    def _tell(self, key: Any) -> None:
        with self._deciding:
            answered = self._asked.pop(key, None)
        if answered is not None:
            answered.set()


class _ForgetfulClock(Clock):
    """Another clock, after whose pauses nothing is remembered."""

    def __init__(self, clock: Clock, answers: RememberedAnswers) -> None:
        self._clock, self._answers = clock, answers

    def now(self) -> float:
        return self._clock.now()

    def sleep(self, seconds: float) -> None:
        self._clock.sleep(seconds)
        self._answers.forget()


def _is_dry(params: dict[str, Any]) -> bool:
    body = params.get("body")
    return isinstance(body, dict) and str(body.get("DryRun", "")).lower() == "true"
