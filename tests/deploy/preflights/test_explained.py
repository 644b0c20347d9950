"""Every id that a run of preflights can give is explained, like those of rules."""

from __future__ import annotations

from datetime import date

import pytest

from tests.deploy.preflights.good import context
from tests.each_case import each_case
from trainyard.api.explain import explain_id, explanations
from trainyard.deploy.preflight_runner import NOT_RUN
from trainyard.deploy.preflights import all_preflights
from trainyard.deploy.requirements.permissions import needed_actions, parts
from trainyard.errors import InputError


@each_case("preflight", all_preflights(), ids=lambda preflight: preflight.id)
def test_a_preflight_is_explained_with_what_it_asks_for(preflight):
    explanation = explain_id(preflight.id)
    assert explanation.kind == "preflight"
    assert all(permission in explanation.rationale for permission in preflight.permissions)


def test_a_preflight_that_could_not_be_run_is_explained_like_one():
    assert explain_id(NOT_RUN.id).kind == "preflight"


def test_rules_come_first_and_causes_of_failures_last():
    kinds = list(dict.fromkeys(explanation.kind for explanation in explanations()))
    found = [
        "rule",
        "preflight",
        "node finding",
        "metrics finding",
        "benchmark finding",
        "run finding",
        "load error",
        "suppression",
    ]
    assert kinds == [*found, "alert", "cause"]


def test_no_id_is_explained_twice():
    ids = [explanation.id for explanation in explanations()]
    assert len(ids) == len(set(ids))


def test_an_id_that_is_mistyped_is_answered_with_the_nearest():
    with pytest.raises(InputError) as raised:
        explain_id("vcpu-quota-to-small")
    assert raised.value.hint == "did you mean vcpu-quota-too-small?"


def test_every_action_that_is_simulated_has_a_source_with_a_date():
    for name, part in parts().items():
        assert part["source"].startswith(("https://docs.aws.amazon.com/", "https://github.com/eksctl-io/")), name
        assert date.fromisoformat(part["read"]) >= date(2026, 11, 21)
        assert part["actions"] == sorted(part["actions"])


def test_what_is_simulated_follows_the_spec():
    actions = needed_actions(context().spec)
    assert {"fsx:CreateFileSystem", "grafana:CreateWorkspace", "autoscaling:CreateAutoScalingGroup"} <= set(actions)
    assert "ec2:CreateVpc" not in actions
