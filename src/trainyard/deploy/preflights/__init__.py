"""Preflights: what only the account can say against a spec, asked before anything is made. One file a preflight.

Found by looking into this folder. A preflight yields paths in the spec, as rules do; it asks through its context, so
that what several want to know is asked once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path as FilePath
from threading import Lock
from typing import Any, Concatenate, ParamSpec, TypeVar

from trainyard.bundle.asset_lock import AssetLock
from trainyard.deploy.programs import DeploymentPrograms
from trainyard.document.node import Document
from trainyard.edge.aws.account import Account
from trainyard.finding_kinds import FindingKind, Problem, kinds_in
from trainyard.platform_table import platform_of
from trainyard.spec.cluster import Spec

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class PreflightContext:
    """A spec, the account that it is for, and what was answered so far."""

    spec: Spec
    account: Account
    outputs: Mapping[str, str] = field(default_factory=dict)
    """Outputs of stacks that exist already: those of an environment, or of an earlier deployment."""
    document: Document | None = None
    """What the spec was read from, for the lines of findings."""
    creates_key_pair: bool = False
    """Whether the deployment makes the key pair where it is missing."""
    waits_for_capacity_s: float = 0
    """How long the deployment waits for reservations that have still to begin."""
    replaces: str | None = None
    """The cluster that this one takes over from."""
    recreates: bool = False
    """Whether the deployment deletes a cluster whose making failed, and makes it again."""
    asset_lock: AssetLock | None = None
    """The lock beside the spec, an empty one where there is none; None where nobody has looked."""
    programs: DeploymentPrograms = field(default_factory=DeploymentPrograms)
    """The user's own programs, where the platform needs them."""
    _answers: dict[Any, Future[Any]] = field(default_factory=dict, init=False, repr=False, compare=False)
    _lock: Any = field(default_factory=Lock, init=False, repr=False, compare=False)

    def ask(
        self,
        question: Callable[Concatenate[Account, Arguments], Answer],
        *arguments: Arguments.args,
        **named: Arguments.kwargs,
    ) -> Answer:
        """Return the account's answer to a question of ``edge.aws``; each is asked once, and an error kept as well."""
        key = (question, arguments, tuple(named.items()))
        with self._lock:
            first = key not in self._answers
            answer: Future[Answer] = self._answers.setdefault(key, Future())
        if first:
            try:
                answer.set_result(question(self.account, *arguments, **named))
            except Exception as error:  # noqa: BLE001  whatever it is, everybody who waits for the answer gets it
                answer.set_exception(error)
        return answer.result()


class Preflight(FindingKind):
    """A preflight: a kind of findings that only the account can tell, with what asks for them."""

    permissions: tuple[str, ...]
    """What it asks AWS, as IAM names it."""
    check: Callable[[PreflightContext], Iterator[Problem]]

    def problems(self, context: PreflightContext) -> Iterator[Problem]:
        """Yield what the account says against the spec; nothing where the preflight does not apply to the platform."""
        if self.applies_on(platform_of(context.spec)):
            yield from self.check(context)


@cache
def all_preflights() -> tuple[Preflight, ...]:
    """Return every preflight, in the order of their ids."""
    return kinds_in(FilePath(__file__).parent, __name__, "PREFLIGHT", Preflight)
