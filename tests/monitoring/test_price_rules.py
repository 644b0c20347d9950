"""Where no node tells list prices, rules do, and what is recorded of prices is the same."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.specs import spec_of
from trainyard.catalog import prices
from trainyard.monitoring.features import features_of
from trainyard.monitoring.price_rules import price_rules
from trainyard.monitoring.prometheus_rules import recording_rules
from trainyard.render.cloudformation.stacks import stack
from trainyard.render.stand_ins import Ids

SPEC = """\
name: train
region: us-east-1
platform: batch
network: {availability_zone: us-east-1a}
queues: QUEUES
file_systems: []
monitoring: {mode: amp-only}
"""
QUEUE = "{{name: {0}, instance_type: {1}, nodes: 4, capacity: {2}}}"
GPU = QUEUE.format("gpu", "p5.48xlarge", "on-demand")


def spec_text(*queues: str) -> str:
    return SPEC.replace("QUEUES", f"[{', '.join(queues)}]")


@pytest.mark.integration
def test_what_instances_of_batch_cost_is_recorded_as_where_nodes_tell_it(tmp_path: Path):
    known = prices.instance_hour("p5.48xlarge", "us-east-1")
    assert known is not None
    (tmp_path / "prices.yaml").write_text(price_rules(spec_of(spec_text(GPU))))
    (tmp_path / "recorded.yaml").write_text(yaml.safe_dump(recording_rules()))
    node = 'cluster="train", queue="gpu", instance_type="p5.48xlarge", node_name="ip-{0}", instance_id="i-{0}"'
    up = [{"series": f'up{{job="node", {node.format(number)}}}', "values": "1x30"} for number in (1, 2)]
    other = {"series": 'up{job="node", cluster="other", queue="gpu", instance_id="i-3"}', "values": "1x30"}
    expected = {"labels": 'queue:usd_per_hour:sum{cluster="train", queue="gpu"}', "value": 2 * known.usd}
    case = {
        "interval": "1m",
        "input_series": [*up, other],
        "promql_expr_test": [
            {"expr": "queue:usd_per_hour:sum", "eval_time": "20m", "exp_samples": [expected]},
            {
                "expr": 'count(node:usd_per_hour:max{instance_type="p5.48xlarge"})',
                "eval_time": "20m",
                "exp_samples": [{"value": 2}],
            },
        ],
    }
    (tmp_path / "test.yaml").write_text(
        json.dumps({"rule_files": ["prices.yaml", "recorded.yaml"], "evaluation_interval": "1m", "tests": [case]})
    )
    command = ["promtool", "test", "rules", str(tmp_path / "test.yaml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_only_batch_has_them_in_its_stack():
    batch = stack(spec_of(spec_text(GPU)), "rules", Ids({}))
    assert json.loads(batch.parameters["PriceRules"])["groups"][0]["rules"][0]["labels"] == {
        "cluster": "train",
        "priced_queue": "gpu",
        "priced_instance_type": "p5.48xlarge",
        "purchase": "on-demand",
    }
    other = spec_of(spec_text(GPU).replace("batch", "eks"))
    assert "PriceRules" not in stack(other, "rules", Ids({})).parameters


def test_what_has_no_known_price_has_no_rule():
    assert price_rules(spec_of(spec_text(QUEUE.format("gpu", "p5.48xlarge", "spot")))) == ""


def test_more_than_a_parameter_holds_is_left_out_as_a_whole():
    queues = [QUEUE.format(f"gpu{number}", "p5.48xlarge", "on-demand") for number in range(25)]
    assert len(price_rules(spec_of(spec_text(*queues[:20])))) > 3000
    assert price_rules(spec_of(spec_text(*queues))) == ""


def test_clusters_of_an_environment_have_the_same_rules_and_no_prices_of_their_own():
    own = spec_of(spec_text(GPU) + "environment: lab\n")
    assert "prices" in features_of(spec_of(spec_text(GPU)))
    assert "prices" not in features_of(own)
