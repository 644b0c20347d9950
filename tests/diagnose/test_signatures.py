"""Every signature proves itself by its own lines, and together they do not contradict each other."""

from __future__ import annotations

import re
from collections import Counter

import pytest
import re2  # type: ignore[import-untyped]  # it has no stubs

from tests.diagnose.found import causes_of_line, found_by
from tests.each_case import each_case
from trainyard.api.explain import explanations
from trainyard.diagnose.cause import KINDS, Cause, Hit, Signature, causes, signatures
from trainyard.diagnose.log_kind import kinds
from trainyard.diagnose.reasoning.cause_evidence import sureness, thresholds
from trainyard.diagnose.reasoning.facts import vocabulary

CAUSES = [pytest.param(cause, id=cause.id) for cause in causes().values()]
SUBJECTS = {cause.subject for cause in causes().values()}
# Of `trainyard explain`, for causes and signatures themselves.
OWN_KINDS = {"cause", "signature"}
# A line that tells of two causes, for a reason: (the cause it was written for, the other).
SHARED = {
    # The package that is not found is the Lustre client for this kernel.
    ("lustre-client-kernel-mismatch", "package-not-found"),
    # The launcher repeats what S3 answered.
    ("trainyard-release-unreadable", "s3-access-denied"),
    # Go says it of whatever cannot be started; of Slurm's programs it is known who starts them.
    ("exporter-lacks-slurm", "container-program-not-found"),
    # The agent of ECS says that it could not pull the image, and the registry why.
    ("container-image-reference-wrong", "batch-cannot-pull-image"),
    # The loader says which library is missing; of that of EFA it is known why.
    ("efa-library-mismatch", "shared-library-missing"),
    # NVIDIA's toolkit says what it wanted to write, and that NVML was not there.
    ("cdi-specification-unusable", "k8s-gpu-plugin-cannot-see-gpus"),
}


@each_case("cause", CAUSES)
def test_signatures_find_the_lines_that_they_are_for(cause: Cause):
    missed = [
        (signature.id, line)
        for signature in cause.signatures
        for line in signature.matches
        if not found_by(signature, line)
    ]
    assert missed == []


@each_case("cause", CAUSES)
def test_signatures_do_not_find_what_only_looks_like_it(cause: Cause):
    """Neither the signature that refuses a line may find it, nor another one of the same cause."""
    refused = [line for signature in cause.signatures for line in signature.resembles]
    assert [
        (signature.id, line) for signature in cause.signatures for line in refused if found_by(signature, line)
    ] == []


@each_case("cause", CAUSES)
def test_a_line_of_one_cause_tells_of_no_other_that_says_what_is_wrong(cause: Cause):
    """A line that names what is wrong often says too that something failed, which is what symptoms are.

    What is generic gives way to whatever else a line tells of.
    """
    found = [other for signature in cause.signatures for line in signature.matches for other in causes_of_line(line)]
    assert {(cause.id, one.id) for one in found if one != cause and not _says_little(one)} <= SHARED


def _says_little(cause: Cause) -> bool:
    return cause.kind == "symptom" or cause.subject in thresholds().generic


@each_case("cause", CAUSES)
def test_signatures_are_cheap_and_their_examples_single_lines(cause: Cause):
    assert [signature.id for signature in cause.signatures if not _is_cheap(signature)] == []
    lines = [line for signature in cause.signatures for line in (*signature.matches, *signature.resembles)]
    assert [line for line in lines if "\n" in line or len(line) > 1000] == []
    assert {word for signature in cause.signatures for word in signature.logs} <= set(kinds())


_NO_CHOICE = re.compile(
    r"file or directory|Name or service|one or more|unknown or invalid|than or equal|please.*|\(.* or .*\)|in .* or in",
    re.IGNORECASE,
)


def _is_cheap(signature: Signature) -> bool:
    """Return whether a pattern keeps automata of many patterns small."""
    pattern = signature.pattern
    wild = pattern.count(".*") + pattern.count(".+")
    ends = pattern.startswith((".", "^.", "(?i)")) or pattern.endswith((".*", ".+", "*"))
    compiled = re2.compile(pattern)
    return len(pattern) <= 200 and wild <= 1 and not ends and compiled.programsize <= 800 and not compiled.search("")


@each_case("cause", CAUSES)
def test_a_cause_is_told_in_full_sentences_and_comes_after_what_there_is(cause: Cause):
    assert all(text.endswith(".") and "\n" not in text for text in (cause.explanation, cause.remedy))
    assert not cause.title.endswith(".")
    assert set(cause.after) <= {*causes(), *SUBJECTS} - {cause.id}


@each_case("cause", CAUSES)
def test_a_line_that_says_or_of_what_is_wrong_is_not_certain(cause: Cause):
    """What errno, counts, brackets and advice say is no choice."""
    lines = [(signature, line) for signature in cause.signatures for line in signature.matches]
    choices = [(signature, line) for signature, line in lines if " or " in _NO_CHOICE.sub("", line)]
    sure = [sureness(cause, Hit(signature.id, "log", 1, line, None, None)) for signature, line in choices]
    assert "certain" not in sure


@each_case("cause", CAUSES)
def test_a_cause_asks_its_lines_only_for_facts_that_there_are(cause: Cause):
    assert set(cause.facts) <= vocabulary().keys()


def test_an_id_means_one_thing_only():
    others = [explanation.id for explanation in explanations() if explanation.kind not in OWN_KINDS]
    counted = Counter(
        [*others, *causes(), *[signature.id for cause in causes().values() for signature in cause.signatures]]
    )
    assert [id_ for id_, count in counted.items() if count > 1] == []


def test_ids_are_some_words_in_lower_case():
    assert [id_ for id_ in (*causes(), *signatures()) if not re2.fullmatch("[a-z0-9]+(-[a-z0-9]+)+", id_)] == []


def test_harmless_causes_are_named_as_such_and_explain_nothing():
    harmless = {cause.id for cause in causes().values() if cause.severity == "harmless"}
    assert harmless == {id_ for id_ in causes() if id_.startswith("benign-")}
    assert {causes()[id_].kind for id_ in harmless} <= {"root"} <= set(KINDS)
    assert harmless & {after for cause in causes().values() for after in cause.after} == set()


def test_there_are_enough_to_be_of_use():
    """How many the issue asks for."""
    loud = [signature for signature, cause in signatures().values() if cause.severity != "harmless"]
    assert len(loud) >= 80
    assert len(signatures()) - len(loud) >= 20
