"""Completes a set of versions with others that the catalog knows and has no case against, or says what excludes it.

resolvelib solves it (https://github.com/sarugaku/resolvelib): a version of one component asks of another that it is out
of the range of a case, or that it is what comes with it. The newest versions are tried first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from resolvelib import AbstractProvider, BaseReporter, ResolutionImpossible, Resolver

from trainyard.catalog.component_versions import known_versions
from trainyard.catalog.version_conflict import Component, VersionConflict
from trainyard.catalog.version_conflicts import (
    bounds_in_words,
    components,
    is_of_family,
    is_within,
    number_of,
    source_url,
    version_conflicts,
)
from trainyard.compatibility.version_set import BRINGERS, SetVersion, VersionSet, brought_with, given

_MOST_ROUNDS = 10_000
"""Far more than a table of some hundred cases needs; resolvelib asks for a number."""


class Candidate(NamedTuple):
    """A version of a component that may be chosen."""

    component: Component
    version: SetVersion


class Demand(NamedTuple):
    """What a set asks of the version of a component: that there is one, or what a case or another component says."""

    component: Component
    case: str | None = None
    equal_to: str | None = None
    """The version that it has to be, where a case says that two must not differ."""
    brought: SetVersion | None = None
    """What comes with another component."""


class Completion(NamedTuple):
    """A complete set, or why there is none."""

    versions: VersionSet
    """Empty where no set is left."""
    unknown: tuple[Component, ...]
    """What the catalog knows no versions of."""
    reasons: tuple[str, ...]
    """Where no set is left: what excludes what, in words."""


def completed(versions: VersionSet, wanted: Iterable[Component], instance_types: tuple[str, ...] = ()) -> Completion:
    """Return the set with versions for what is wanted, chosen so that no case is against it.

    Where every such set has a warning, one is taken that has no error.
    """
    missing = [component for component in wanted if component not in versions]
    unknown = tuple(component for component in missing if not known_versions(component))
    order = (*versions, *(component for component in missing if component not in unknown))
    reasons: tuple[str, ...] = ()
    for severities in (("error", "warning"), ("error",)):
        cases = dict(_cases(instance_types, severities))
        provider = _Provider(versions, order, cases)
        try:
            chosen = Resolver(provider, BaseReporter()).resolve(
                [*map(Demand, order), *provider.demands_of_single_cases()], max_rounds=_MOST_ROUNDS
            )
        except ResolutionImpossible as error:
            reasons = tuple(dict.fromkeys(_reasons(error.causes, cases)))
            continue
        return Completion({name: chosen.mapping[name].version for name in order}, unknown, ())
    return Completion({}, unknown, reasons)


class _Provider(AbstractProvider[Demand, Candidate, Component]):
    """What resolvelib asks about versions."""

    def __init__(
        self, versions: VersionSet, order: tuple[Component, ...], cases: Mapping[str, VersionConflict]
    ) -> None:
        self._given = versions
        self._order = order
        self._cases = cases

    def demands_of_single_cases(self) -> Iterator[Demand]:
        """Yield what cases of one component ask of it."""
        for case, conflict in self._cases.items():
            if len(conflict.components) == 1 and (component := next(iter(conflict.components))) in self._order:
                yield Demand(component, case)

    def identify(self, requirement_or_candidate: Demand | Candidate) -> Component:
        return requirement_or_candidate.component

    def get_preference(self, identifier: Component, *_: Any, **__: Any) -> tuple[bool, bool, int]:
        # What is given decides first, then what brings others, then the order in which it was asked.
        return identifier not in self._given, identifier not in BRINGERS, self._order.index(identifier)

    def find_matches(
        self,
        identifier: Component,
        requirements: Mapping[Component, Iterator[Demand]],
        incompatibilities: Mapping[Component, Iterator[Candidate]],
    ) -> list[Candidate]:
        demands = list(requirements[identifier])
        refused = {candidate.version.shown for candidate in incompatibilities[identifier]}
        return [
            candidate
            for candidate in self._candidates(identifier, demands)
            if candidate.version.shown not in refused
            and all(self.is_satisfied_by(demand, candidate) for demand in demands)
        ]

    def is_satisfied_by(self, requirement: Demand, candidate: Candidate) -> bool:
        version = candidate.version
        if requirement.brought is not None:
            return version == requirement.brought
        if requirement.equal_to is not None:
            return number_of(requirement.equal_to) == number_of(version.shown)
        if requirement.case is None:
            return True
        certainty = is_within(version.version, self._cases[requirement.case].components[requirement.component])
        # What was given in part may well be fine. What comes with something else, and may not be, is not suggested.
        return certainty == "no" or (certainty == "maybe" and candidate.component in self._given)

    def get_dependencies(self, candidate: Candidate) -> list[Demand]:
        return [*self._case_demands(candidate), *self._brought_demands(candidate)]

    def _candidates(self, component: Component, demands: list[Demand]) -> Iterator[Candidate]:
        brought = [demand.brought for demand in demands if demand.brought is not None]
        only = [self._given[component]] if component in self._given else brought[:1]
        yield from (Candidate(component, version) for version in only)
        for version in () if only else known_versions(component):
            yield Candidate(component, given(component, version, "the newest that no case excludes"))

    def _case_demands(self, candidate: Candidate) -> Iterator[Demand]:
        own = candidate.component
        for case, conflict in self._cases.items():
            others = [name for name in conflict.components if name != own]
            if own not in conflict.components or not others or others[0] not in self._order:
                continue
            if conflict.unequal:
                yield Demand(others[0], case, equal_to=candidate.version.shown)
            elif is_within(candidate.version.version, conflict.components[own]) == "yes":
                yield Demand(others[0], case)

    def _brought_demands(self, candidate: Candidate) -> Iterator[Demand]:
        for name, brought in brought_with(candidate.component, candidate.version).items():
            if name in self._order and name not in self._given:
                yield Demand(name, brought=brought)


def _cases(instance_types: tuple[str, ...], severities: tuple[str, ...]) -> Iterator[tuple[str, VersionConflict]]:
    for case, conflict in version_conflicts().items():
        depends = bool(conflict.families or conflict.efa_generations)
        if conflict.severity in severities and (
            not depends or any(is_of_family(name, conflict) for name in instance_types)
        ):
            yield case, conflict


def _reasons(causes: Iterable[Any], cases: Mapping[str, VersionConflict]) -> Iterator[str]:
    """Yield what excludes what. A cause is a demand, and the candidate that makes it unless the set itself does."""
    for demand, parent in causes:
        title = components()[demand.component].title
        whose = "" if parent is None else f"{components()[parent.component].title} {parent.version.shown}"
        if demand.brought is not None:
            yield f"{whose} brings {title} {demand.brought.shown}"
        elif demand.case is not None:
            conflict = cases[demand.case]
            bounds = conflict.components[demand.component]
            range_ = "of another version" if conflict.unequal else bounds_in_words(bounds)
            about = f"{whose} does not go with {title} {range_}" if whose else f"{title} {range_} is excluded"
            yield f"{about}: {conflict.effect} ({demand.case}, {source_url(conflict)})"
