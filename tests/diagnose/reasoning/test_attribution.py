"""Which cause explains which lines: by what they are, by time and by node."""

from __future__ import annotations

import pytest

from tests.diagnose.reasoning.lines import at, made_up, reasoned, tree

XID = made_up("gpu-lost", subject="gpu")
NETWORK = made_up("no-route")
WATCHDOG = made_up("watchdog", kind="symptom", subject="nccl", after=("gpu",))
PROTECTED = made_up("protected-mode", kind="consequence", subject="slurm", after=("no-route", "fabric"))
NODE_LOST = made_up("driver-gone", kind="consequence", subject="driver", after=("gpu",))


def test_hundreds_of_symptoms_are_explained_by_one_quiet_line_before_them():
    loud = [at(WATCHDOG, 10 + n / 100, f"ip-10-0-0-{n % 16}") for n in range(400)]
    root_causes = reasoned(XID, WATCHDOG, lines=[*loud, at(XID, 0, "ip-10-0-0-7")])
    assert tree(root_causes) == {"gpu-lost": ["watchdog"]}
    assert root_causes.causes[0].count == 1
    assert root_causes.causes[0].consequences[0].count == 400


def test_a_cause_after_a_failure_does_not_explain_it():
    root_causes = reasoned(XID, WATCHDOG, lines=[at(WATCHDOG, 0), at(XID, 180)])
    assert tree(root_causes) == {"gpu-lost": [], "watchdog": []}


def test_a_cause_that_is_written_down_a_moment_later_still_explains():
    assert tree(reasoned(XID, WATCHDOG, lines=[at(WATCHDOG, 0), at(XID, 1)])) == {"gpu-lost": ["watchdog"]}


@pytest.mark.parametrize(("cause_at", "failure_at"), [(None, 5), (5, None), (None, None)])
def test_a_line_without_a_time_may_have_come_at_any_time(cause_at, failure_at):
    assert tree(reasoned(XID, WATCHDOG, lines=[at(WATCHDOG, failure_at), at(XID, cause_at)])) == {
        "gpu-lost": ["watchdog"]
    }


def test_a_consequence_is_explained_by_deeper_layers_and_by_what_it_names():
    assert tree(reasoned(NETWORK, PROTECTED, lines=[at(NETWORK, 0), at(PROTECTED, 30)])) == {
        "no-route": ["protected-mode"]
    }
    above = made_up("above", subject="jobs")
    assert tree(reasoned(above, PROTECTED, lines=[at(above, 0), at(PROTECTED, 30)])) == {
        "above": [],
        "protected-mode": [],
    }
    naming = made_up("naming", kind="consequence", subject="slurm", after=("above",))
    assert tree(reasoned(above, naming, lines=[at(above, 0), at(naming, 30)])) == {"above": ["naming"]}


def test_a_root_is_explained_only_by_a_cause_that_it_names():
    module, lustre = made_up("module", subject="packages"), made_up("lustre", subject="storage", after=("module",))
    other = made_up("other", subject="network")
    lines = [at(module, 0), at(other, 1), at(lustre, 60)]
    assert tree(reasoned(module, lustre, other, lines=lines)) == {"module": ["lustre"], "other": []}


def test_of_one_log_what_stands_far_behind_explains_nothing_where_no_line_has_a_time():
    before = at(PROTECTED, None)
    behind = at(XID, None)._replace(line=before.line + 101)
    assert tree(reasoned(XID, PROTECTED, lines=[before, behind])) == {"gpu-lost": [], "protected-mode": []}


def test_two_failures_on_two_machines_have_nothing_to_do_with_each_other():
    lines = [at(XID, 0, "ip-10-0-0-1", place="a"), at(PROTECTED, 5, "ip-10-0-0-2", place="b")]
    assert tree(reasoned(XID, PROTECTED, lines=lines)) == {"gpu-lost": [], "protected-mode": []}


@pytest.mark.parametrize("tie", ["10.0.0.1 does not answer", "ip-10-0-0-1.ec2.internal is gone"])
def test_what_names_the_machine_ties_two_logs(tie):
    named = at(PROTECTED, 5, "ip-10-0-0-2", place="b")._replace(text=tie)
    assert tree(reasoned(XID, PROTECTED, lines=[at(XID, 0, "ip-10-0-0-1", place="a"), named])) == {
        "gpu-lost": ["protected-mode"]
    }


def test_a_service_tells_of_what_it_names_and_not_of_its_own_machine():
    log = "ip-10-0-0-9.i-0aaaaaaaaaaaaaaa9.slurmctld"
    line = at(PROTECTED, 5, "ip-10-0-0-9", place=log)
    cause = at(XID, 0, "ip-10-0-0-1", place="a")
    assert tree(reasoned(XID, PROTECTED, lines=[cause, line])) == {"gpu-lost": ["protected-mode"]}
    other = line._replace(text="node ip-10-0-0-2 is down")
    assert tree(reasoned(XID, PROTECTED, lines=[cause, other])) == {"gpu-lost": [], "protected-mode": []}


def test_jobs_are_kept_apart_by_their_numbers():
    exception = made_up("exception", subject="jobs")
    lines = [at(exception, 0, place="slurm-8.out"), at(WATCHDOG, 5, place="slurm-9.out")]
    assert tree(reasoned(exception, WATCHDOG, lines=lines)) == {"exception": [], "watchdog": []}
    lines = [at(exception, 0, place="slurm-9-rank0.out"), at(WATCHDOG, 5, place="slurm-9-rank1.out")]
    assert tree(reasoned(exception, WATCHDOG, lines=lines)) == {"exception": ["watchdog"]}


def test_a_right_that_is_missing_elsewhere_does_not_stop_a_job_that_runs():
    right = made_up("right", subject="permissions")
    lines = [at(right, 0, place="events"), at(WATCHDOG, 5, place="slurm-9.out")]
    assert tree(reasoned(right, WATCHDOG, lines=lines)) == {"right": [], "watchdog": []}
    lines = [at(right, 0, place="slurm-9.out"), at(WATCHDOG, 5, place="slurm-9.out")]
    assert tree(reasoned(right, WATCHDOG, lines=lines)) == {"right": ["watchdog"]}


def test_of_an_exception_and_an_error_of_one_log_the_line_that_stands_first_is_the_cause():
    exception = made_up("exception", kind="consequence", subject="program", after=("nccl",))
    store = made_up("store", kind="consequence", subject="nccl")
    first, second = at(exception, None), at(store, None)
    assert tree(reasoned(exception, store, lines=[second, first])) == {"exception": ["store"]}
    first, second = at(store, None), at(exception, None)
    assert tree(reasoned(exception, store, lines=[second, first])) == {"store": ["exception"]}


def test_an_exception_is_not_explained_by_an_error_of_another_log_that_it_does_not_name():
    exception = made_up("exception", kind="consequence", subject="program")
    lines = [at(NETWORK, 0, place="resume"), at(exception, 3)]
    assert tree(reasoned(NETWORK, exception, lines=lines)) == {"no-route": [], "exception": []}


def test_a_symptom_belongs_to_the_cause_in_its_own_log():
    cancelled, other = made_up("cancelled", kind="symptom"), made_up("other")
    lines = [at(NETWORK, 0, place="resume"), at(other, 1), at(cancelled, 2)]
    assert tree(reasoned(NETWORK, other, cancelled, lines=lines)) == {"no-route": [], "other": ["cancelled"]}


def test_a_symptom_is_explained_by_any_error_where_it_names_none():
    cancelled = made_up("cancelled", kind="symptom")
    assert tree(reasoned(NETWORK, cancelled, lines=[at(NETWORK, 0), at(cancelled, 3)])) == {"no-route": ["cancelled"]}


def test_a_warning_explains_only_what_names_it():
    slow = made_up("slow", severity="warning")
    naming, other = made_up("naming", kind="symptom", after=("slow",)), made_up("other", kind="symptom")
    lost = made_up("lost", kind="consequence", after=("slow",))
    of_subject = made_up("of-subject", kind="consequence", after=(slow.subject,))
    assert tree(reasoned(slow, naming, lines=[at(slow, 0), at(naming, 3)])) == {"slow": ["naming"]}
    assert tree(reasoned(slow, lost, lines=[at(slow, 0), at(lost, 3)])) == {"slow": ["lost"]}
    assert tree(reasoned(slow, other, lines=[at(slow, 0), at(other, 3)])) == {"other": [], "slow": []}
    assert tree(reasoned(slow, of_subject, lines=[at(slow, 0), at(of_subject, 3)])) == {"of-subject": [], "slow": []}


def test_a_symptom_explains_only_what_names_it():
    hung = made_up("hung", kind="symptom")
    lost, naming = (
        made_up("lost", kind="consequence", after=(hung.subject,)),
        made_up("naming", after=("hung",), kind="consequence"),
    )
    assert tree(reasoned(hung, lost, lines=[at(hung, 0), at(lost, 3)])) == {"lost": [], "hung": []}
    assert tree(reasoned(hung, naming, lines=[at(hung, 0), at(naming, 3)])) == {"hung": ["naming"]}


def test_an_error_explains_before_a_warning_does():
    slow, lost = made_up("slow", severity="warning"), made_up("lost")
    timed_out = made_up("timed-out", kind="symptom", after=("slow", "lost"))
    later = made_up("later", kind="symptom", after=("another",))
    lines = [at(slow, 0), at(lost, 1), at(timed_out, 5), at(later, 500)]
    root_causes = reasoned(slow, lost, timed_out, later, lines=lines)
    assert list(tree(root_causes).items()) == [("lost", ["timed-out"]), ("later", []), ("slow", [])]


def test_what_follows_from_a_consequence_follows_from_its_cause():
    timed_out = made_up("timed-out", kind="symptom", after=("protected-mode",))
    lines = [at(timed_out, 50), at(PROTECTED, 40), at(NETWORK, 0)]
    assert tree(reasoned(NETWORK, PROTECTED, timed_out, lines=lines)) == {"no-route": ["protected-mode", "timed-out"]}


def test_consequences_stand_in_the_order_of_time():
    early, late = made_up("early", kind="symptom"), made_up("late", kind="symptom")
    lines = [at(late, 9), at(early, 3), at(NETWORK, 0)]
    assert tree(reasoned(late, early, NETWORK, lines=lines)) == {"no-route": ["early", "late"]}


def test_trouble_of_one_machine_explains_nothing_on_another():
    root_causes = reasoned(XID, NODE_LOST, lines=[at(XID, 0, "ip-10-0-0-1"), at(NODE_LOST, 5, "ip-10-0-0-2")])
    assert tree(root_causes) == {"gpu-lost": [], "driver-gone": []}
    root_causes = reasoned(XID, NODE_LOST, lines=[at(XID, 0, "ip-10-0-0-1"), at(NODE_LOST, 5, "ip-10-0-0-1")])
    assert tree(root_causes) == {"gpu-lost": ["driver-gone"]}


def test_names_of_ec2_and_of_slurm_may_mean_the_same_machine():
    root_causes = reasoned(XID, NODE_LOST, lines=[at(XID, 0, "ip-10-0-0-1"), at(NODE_LOST, 5, "gpu-st-p5-1")])
    assert tree(root_causes) == {"gpu-lost": ["driver-gone"]}


def test_a_job_fails_on_all_nodes_because_of_one():
    lines = [at(XID, 0, "ip-10-0-0-1"), *(at(WATCHDOG, 10, f"ip-10-0-0-{n}") for n in range(2, 9))]
    assert tree(reasoned(XID, WATCHDOG, lines=lines)) == {"gpu-lost": ["watchdog"]}


def test_a_cause_of_hours_ago_explains_only_what_names_it():
    cancelled = made_up("cancelled", kind="symptom")
    upgraded = made_up("kernel-upgraded", kind="consequence", after=("no-route",))
    found = reasoned(NETWORK, cancelled, upgraded, lines=[at(NETWORK, 0), at(cancelled, 60 * 5), at(upgraded, 60 * 6)])
    assert tree(found)["no-route"] == ["kernel-upgraded"]


def test_each_job_has_its_own_cause():
    out_of_memory = made_up("out-of-memory", subject="gpu")
    jobs = [at(WATCHDOG, minute) for minute in (1, 1, 1, 1, 1450, 1450)]
    lines = [at(out_of_memory, 0), at(XID, 1440), *jobs]
    root_causes = reasoned(out_of_memory, XID, WATCHDOG, lines=lines)
    counts = {cause.cause.id: [other.count for other in cause.consequences] for cause in root_causes.causes}
    assert counts["out-of-memory"] == [4]
    assert list(counts) == ["gpu-lost", "out-of-memory"]


def test_causes_in_a_circle_are_explained_by_the_one_seen_first():
    names = ("a", "b", "c")
    circle = [made_up(one, kind="consequence", after=(names[at_ - 1],)) for at_, one in enumerate(names)]
    lines = [at(cause, place) for place, cause in enumerate(circle)]
    assert tree(reasoned(*circle, lines=lines)) == {"a": ["b", "c"]}


def test_two_that_name_each_other_go_in_the_order_of_time():
    cause, other = (made_up(id_, kind="consequence", after=("network",)) for id_ in ("one", "other"))
    assert tree(reasoned(cause, other, lines=[at(cause, 1), at(other, 0)])) == {"other": ["one"]}


def test_harmless_causes_explain_nothing_and_stand_apart():
    probe = made_up("benign-probe", severity="harmless", subject="gpu")
    root_causes = reasoned(probe, WATCHDOG, lines=[at(probe, 0), at(WATCHDOG, 5)])
    assert tree(root_causes) == {"watchdog": []}
    assert [diagnosed_cause.cause.id for diagnosed_cause in root_causes.harmless] == ["benign-probe"]


def test_on_one_line_the_surer_signature_wins():
    vague = made_up("denied-somewhere", confidences=("possible",))
    exact = made_up("denied-here")
    line = at(exact, 0)
    root_causes = reasoned(vague, exact, lines=[line, line._replace(signature=vague.signatures[0].id)])
    assert tree(root_causes) == {"denied-here": []}


def test_a_sure_symptom_does_not_hide_a_cause_on_its_line():
    likely = made_up("download-failed", confidences=("likely",))
    timed_out = made_up("timed-out", kind="symptom")
    line = at(timed_out, 0)
    root_causes = reasoned(likely, timed_out, lines=[line, line._replace(signature=likely.signatures[0].id)])
    assert tree(root_causes) == {"download-failed": ["timed-out"]}


def test_nothing_comes_of_nothing():
    assert [*reasoned(XID, lines=[])] == [(), (), ()]
