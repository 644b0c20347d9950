"""Causes and signatures are explained like findings, and docs/failures.md has every cause."""

from __future__ import annotations

from failures_page import failures_page
from tests.each_case import each_case
from trainyard.api.explain import explain_id, explanations
from trainyard.diagnose.cause import causes, signatures

PAGE = "\n".join(failures_page())


@each_case("id_", list(causes()))
def test_a_cause_is_explained_and_stands_on_the_page(id_):
    cause, explained = causes()[id_], explain_id(id_)
    assert (explained.kind, explained.severity, explained.title) == ("cause", cause.severity, cause.title)
    assert (explained.rationale, explained.remedy, explained.source) == (cause.explanation, cause.remedy, cause.source)
    assert PAGE.count(f"(`{id_}`)") == 1


def test_a_signature_is_explained_with_its_pattern_and_its_cause():
    signature, cause = next(iter(signatures().values()))
    explained = explain_id(signature.id)
    assert explained.kind == "signature"
    assert all(text in explained.rationale for text in (signature.pattern, signature.matches[0], cause.id))
    assert explained.remedy == cause.remedy


def test_signatures_are_not_among_what_is_listed():
    assert {explanation.id for explanation in explanations()} & signatures().keys() == set()


def test_every_row_of_the_page_has_four_cells():
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and "](https" in line]
    assert len(rows) == len(causes())
    assert {row.replace("\\|", "").count("|") for row in rows} == {5}


def test_what_is_harmless_stands_apart_at_the_end():
    harmless = PAGE.split("## What looks like trouble and is none")[1]
    assert {id_ for id_, cause in causes().items() if cause.severity == "harmless"} == {
        id_ for id_ in causes() if f"(`{id_}`)" in harmless
    }
