"""Answers of AWS that are kept while nothing happens, for whoever only looks, as a plan does: each is asked for once.

What is asked after a change of ours, or after a pause, is asked anew. What programs of others change nobody sees here,
so this is for phases in which none of them changes anything.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

from trainyard.edge.aws.account import Account, Clock

_LOOKS = ("BatchGet", "Describe", "Get", "Head", "List", "Simulate")
# Change sets that nobody executes change nothing that is asked for; how far one is, is asked until it is there.
_HARMLESS = ("CreateChangeSet", "DeleteChangeSet", "DescribeChangeSet")
_GOOD = 300


def remembering(account: Account) -> Account:
    """Return the account with a memory that begins empty and lasts as long as what is returned."""
    answers = RememberedAnswers()
    return replace(account, clock=_ForgetfulClock(account.clock, answers), memory=answers)


class RememberedAnswers:
    """What AWS has answered since the last change or pause."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._kept: dict[Any, tuple[Any, Any]] = {}

    def watch(self, client: Any) -> None:
        """Answer what a client of botocore asks again."""
        client.meta.events.register("before-call", self._again)
        client.meta.events.register("after-call", self._keep)

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
        context["trainyard"] = (model.service_model.service_name, model.name, region, repr(asked))
        kept = self._kept.get(context["trainyard"])
        return None if kept is None else (kept[0], copy.deepcopy(kept[1]))

    def _keep(self, http_response: Any, parsed: Any, context: dict[str, Any], **_: Any) -> None:
        key = context.get("trainyard")
        if key is not None and http_response.status_code < _GOOD:
            self._kept[key] = (http_response, copy.deepcopy(parsed))


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
