"""What can be rendered and not be deployed yet is refused in one line, before an account is asked."""

from __future__ import annotations

import pytest

from tests.specs import spec_of
from trainyard.deploy.deployment import refuse_no_cluster, steps_to_deploy
from trainyard.deploy.planning import plan
from trainyard.deploy.work import Options
from trainyard.errors import TrainyardError

SPEC = spec_of("platform: batch\nqueues: [{name: q, instance_type: p5.48xlarge, nodes: {min: 0, max: 4}}]")


@pytest.mark.parametrize(
    "command",
    [steps_to_deploy, plan, lambda spec: refuse_no_cluster(spec, Options())],
    ids=["steps", "plan", "deploy"],
)
def test_a_cluster_of_batch_is_not_deployed_yet(command):
    with pytest.raises(
        TrainyardError, match="checks and renders specs for batch but does not deploy them yet"
    ) as raised:
        command(SPEC)
    assert raised.value.where == "platform"
