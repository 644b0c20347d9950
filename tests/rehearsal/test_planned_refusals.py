"""A plan that is refused shows what else the spec changes, beside the refusal."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rehearsal.account_copies import deployed_account
from tests.rehearsal.test_plan_questions import planned_change
from tests.rehearsal.whole import SPEC
from trainyard.cli.plan import plan_lines, plan_values

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
# The first is what every update does, the second what none does, the third belongs to a stack of ours.
ALLOWED = ("nodes: 2\n", "nodes: {min: 2, max: 5}\n")
REFUSED = ("head_node: {instance_type: m5.large}", "head_node: {instance_type: m5.2xlarge}")
OF_A_STACK = ("throughput_mb_s_per_tib: 125", "throughput_mb_s_per_tib: 250")


def test_what_is_allowed_is_shown_beside_what_is_refused(tmp_path: Path):
    file = tmp_path / "cluster.yaml"
    text = SPEC
    for former, new in (ALLOWED, REFUSED, OF_A_STACK):
        assert former in text
        text = text.replace(former, new)
    file.write_text(text)
    with deployed_account(SPEC) as account:
        plan = planned_change(account, file)
    lines = [line.strip() for line in plan_lines(plan)]
    values = plan_values(plan)
    changes = {change["path"]: (change["needs"], change["requested"]) for change in values["cluster"]["changes"]}
    (of_queue,) = [path for path in changes if path.startswith("queues[0]")]
    assert changes[of_queue] == ("live", 5)
    assert changes["head_node.instance_type"] == ("refused", "m5.2xlarge")
    assert values["cluster"]["needs"] == "refused"
    assert any(line.startswith(f"{of_queue} (") and "2 -> 5" in line for line in lines), lines
    assert any(line.startswith("head_node.instance_type (") and line.endswith("refused") for line in lines), lines
    (refusal,) = values["refused"]
    assert "head_node.instance_type: " in refusal["problem"]
    assert "queues[0]" not in refusal["problem"]
    assert any(line.startswith("deploy refuses: ") and "head_node.instance_type" in line for line in lines)
    assert ("llm-storage", "changed") in {(change["stack"], change["fate"]) for change in values["changes"]}
