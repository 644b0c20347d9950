"""Which cause comes first, how sure it is, and which of its lines are shown."""

from __future__ import annotations

import pytest

from tests.diagnose.reasoning.lines import NOON, at, ids, made_up, reasoned, tree

WATCHDOG = made_up("watchdog", kind="symptom", subject="nccl", after=("gpu",))
XID = made_up("gpu-lost", subject="gpu")
LOCK = made_up("lock-held", subject="packages")


def test_what_explains_most_comes_first():
    first = made_up("seen-first")
    lines = [at(first, -5), at(XID, 0), at(WATCHDOG, 10)]
    assert ids(reasoned(first, XID, WATCHDOG, lines=lines).causes) == ["gpu-lost", "seen-first"]


def test_what_is_named_counts_for_more_than_what_is_only_near():
    symptoms = [made_up(f"symptom-{n}", kind="symptom") for n in range(3)]
    lines = [at(LOCK, 0), at(XID, 1), at(WATCHDOG, 10), *(at(symptom, 0.5) for symptom in symptoms)]
    root_causes = reasoned(LOCK, XID, WATCHDOG, *symptoms, lines=lines)
    assert root_causes.causes[0].cause.id == "gpu-lost"


def test_of_equals_the_surer_comes_first():
    unsure = made_up("unsure", confidences=("possible",))
    assert ids(reasoned(unsure, XID, lines=[at(unsure, 0), at(XID, 1)]).causes) == ["gpu-lost", "unsure"]


def test_of_equals_the_earlier_comes_first():
    other = made_up("another-gpu-lost", subject="gpu")
    lines = [at(other, 3, "ip-10-0-0-2"), at(XID, 0, "ip-10-0-0-1"), at(WATCHDOG, 12)]
    assert tree(reasoned(other, XID, WATCHDOG, lines=lines)) == {"gpu-lost": ["watchdog"], "another-gpu-lost": []}


def test_warnings_come_after_errors_and_symptoms_of_errors():
    warning = made_up("slow", severity="warning")
    lines = [at(warning, 0), at(WATCHDOG, 300), at(LOCK, 200)]
    assert ids(reasoned(warning, WATCHDOG, LOCK, lines=lines).causes)[-1] == "slow"


def test_a_symptom_comes_after_what_is_none():
    lines = [at(WATCHDOG, 0), at(LOCK, 30)]
    assert ids(reasoned(WATCHDOG, LOCK, lines=lines).causes) == ["lock-held", "watchdog"]


def test_a_failure_that_was_over_hours_before_does_not_come_first():
    lines = [at(LOCK, -300), at(XID, 0), at(WATCHDOG, 10)]
    assert ids(reasoned(LOCK, XID, WATCHDOG, lines=lines).causes) == ["gpu-lost", "lock-held"]
    test = made_up("test-failed")
    assert ids(reasoned(test, XID, lines=[at(test, -300), at(XID, 0)]).causes) == ["gpu-lost", "test-failed"]


def test_what_still_goes_on_is_not_over():
    mirror = made_up("mirror-gone", subject="packages")
    again = [at(LOCK, minute) for minute in range(-300, 60, 60)]
    assert ids(reasoned(LOCK, mirror, lines=[*again, at(mirror, 0)]).causes) == ["lock-held", "mirror-gone"]


@pytest.mark.parametrize(("text", "sure"), [
    ("The configuration failed. This may be the result of communication errors", "likely"),
    ("the release was never uploaded, or this node may not read it", "likely"),
    ("This usually means the compute node cannot reach DynamoDB", "likely"),
    ("mount: /data: wrong fs type, bad option, missing codepage or helper program, or other error.", "likely"),
    ("fatal: slurmdbd and/or database must be up at slurmctld start time", "likely"),
    ("Please either disable the placement group or remove the instance type", "certain"),
    ("One or more of the subnets does not have enough available IP addresses", "certain"),
    ("/etc/munge/munge.key: No such file or directory", "certain"),
    ("Name or service not known", "certain"),
])  # fmt: skip
def test_a_line_that_guesses_makes_nothing_certain(text: str, sure: str):
    line = at(XID, 0)._replace(text=text)
    assert [cause.confidence for cause in reasoned(XID, lines=[line]).causes] == [sure]


def test_of_two_that_explain_as_much_the_deeper_layer_comes_first():
    assert ids(reasoned(LOCK, XID, lines=[at(LOCK, 0), at(XID, 1)]).causes) == ["gpu-lost", "lock-held"]


def test_a_lonely_symptom_hours_later_does_not_make_a_cause_look_over():
    lines = [at(LOCK, -300), at(WATCHDOG, 0)]
    assert ids(reasoned(LOCK, WATCHDOG, lines=lines).causes) == ["lock-held", "watchdog"]


def test_counts_hold_for_lines_that_were_not_kept():
    kept = [at(XID, minute, "ip-10-0-0-1") for minute in range(4)]
    root_causes = reasoned(XID, lines=kept, counts={(XID.signatures[0].id, "ip-10-0-0-1"): 1000})
    assert (root_causes.causes[0].count, root_causes.causes[0].by_node) == (1000, {"ip-10-0-0-1": 1000})


def test_a_line_that_two_signatures_found_is_one_line():
    both = made_up("seen-twice", confidences=("certain", "likely"))
    line = at(both, 0, "ip-10-0-0-1")
    root_causes = reasoned(both, lines=[line, line._replace(signature=both.signatures[1].id)])
    assert (root_causes.causes[0].count, root_causes.causes[0].by_node) == (1, {"ip-10-0-0-1": 1})


def test_nodes_are_counted_each_the_one_with_most_lines_first():
    lines = [at(XID, 0, "b"), at(XID, 1, "a"), at(XID, 2, "a"), at(XID, 3)]
    cause = reasoned(XID, lines=lines).causes[0]
    assert list(cause.by_node.items()) == [("a", 2), ("b", 1)]
    assert cause.count == 4
    assert cause.first_seen == NOON


@pytest.mark.parametrize(
    ("confidence", "nodes", "followed", "expected"),
    [
        ("possible", 1, False, "possible"),
        ("possible", 2, False, "likely"),
        ("possible", 2, True, "likely"),
        ("likely", 1, True, "certain"),
        ("certain", 3, True, "certain"),
    ],
    ids=["alone", "on two nodes", "on two nodes and followed", "followed", "never more than certain"],
)
def test_a_cause_that_is_borne_out_is_surer(confidence, nodes, followed, expected):
    cause = made_up("maybe", subject="gpu", confidences=(confidence,))
    lines = [at(cause, 0, f"ip-10-0-0-{n}") for n in range(nodes)] + [at(WATCHDOG, 9)] * followed
    assert reasoned(cause, WATCHDOG, lines=lines).causes[0].confidence == expected


def test_three_things_that_bear_it_out_make_it_two_steps_surer():
    cause = made_up("maybe", subject="gpu", confidences=("possible", "possible"))
    lines = [at(cause, 0, "a"), at(cause, 0, "b", signature=1), at(WATCHDOG, 9)]
    assert reasoned(cause, WATCHDOG, lines=lines).causes[0].confidence == "certain"


def test_the_evidence_shows_each_signature_and_each_node_and_the_surest_line_first():
    cause = made_up("seen-often", confidences=("likely", "certain"))
    lines = [at(cause, n, "a") for n in range(40)] + [at(cause, 50, "b"), at(cause, 60, "c", signature=1)]
    evidence = reasoned(cause, lines=lines).causes[0].evidence
    assert evidence[0].signature == cause.signatures[1].id
    assert {hit.node for hit in evidence[:4]} == {"a", "b", "c"}
    assert len(evidence) == len({hit.line for hit in evidence}) == 10
