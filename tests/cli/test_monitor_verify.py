"""``trainyard monitor verify`` where there is nothing to verify yet."""

from __future__ import annotations

import json

import pytest

from tests.monitoring.clusters import MIXED

ADDRESS = "http://127.0.0.1:9"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "nothing says which cluster; give NAME or SPEC, or --spec FILE"),
        (("llm",), "nothing says which region"),
        (("--spec", "cluster.yaml"), "a spec does not say where its metrics are; add --prometheus URL"),
        (("llm", "--spec", "cluster.yaml", "--prometheus", ADDRESS), "with --spec, no account is asked; leave out NAM"),
        (
            ("--spec", "cluster.yaml", "--prometheus", ADDRESS, "--region", "us-east-2"),
            "with --spec, no account is asked; leave out --region",
        ),
        (("--spec", "cluster.yaml", "--prometheus", "http://a:b@localhost:9090"), "a password in an address"),
        (("--spec", "cluster.yaml", "--prometheus", ADDRESS, "--wait", "-1"), "--wait"),
    ],
)
def test_a_command_line_that_makes_no_sense_is_refused(trainyard, tmp_path, arguments, said: str):
    (tmp_path / "cluster.yaml").write_text(MIXED.replace("MODE", "amp-only"))
    ran = trainyard("monitor", "verify", *arguments)
    assert (ran.status, ran.out) == (2, "")
    assert said in ran.err


def test_a_spec_that_measures_nothing_has_nothing_to_verify(trainyard, tmp_path):
    (tmp_path / "cluster.yaml").write_text(MIXED.replace("MODE", "none"))
    ran = trainyard("monitor", "verify", "--spec", "cluster.yaml", "--prometheus", ADDRESS)
    assert (ran.status, ran.out) == (1, "")
    assert "mixed measures nothing: its monitoring.mode is none" in ran.err


def test_a_file_that_is_no_spec_is_refused_as_json_where_that_was_asked_for(trainyard, tmp_path):
    (tmp_path / "cluster.yaml").write_text("name: [")
    ran = trainyard("monitor", "verify", "--spec", "cluster.yaml", "--prometheus", ADDRESS, "--json")
    assert ran.status == 2
    assert json.loads(ran.out)["findings"]
