"""``trainyard replace`` on the command line: what is refused before anything is touched."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.in_account import run
from tests.rehearsal.account_copies import seeded_account
from tests.rehearsal.test_replacement import SUCCESSOR
from trainyard.edge.aws.account import Account

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
BATCH = """\
name: lab
region: us-east-2
platform: batch
queues: [{name: q, instance_type: m5.large, nodes: {min: 0, max: 4}}]
"""


@pytest.fixture
def account() -> Iterator[Account]:
    with seeded_account(SUCCESSOR) as started:
        yield started


def test_what_cannot_take_over_is_refused_with_what_to_do(account: Account, tmp_path: Path):
    (tmp_path / "green.yaml").write_text(SUCCESSOR)
    (tmp_path / "west.yaml").write_text(SUCCESSOR.replace("us-east-2", "us-west-2"))
    (tmp_path / "batch.yaml").write_text(BATCH)
    cases = (
        (("blue", "green.yaml"), 1, "there is no cluster blue to take over from"),
        (("green", "green.yaml"), 2, "give the new spec a name of its own"),
        (("lab", "batch.yaml"), 2, "`trainyard deploy` brings it to what the spec says"),
        (("west.yaml", "green.yaml"), 2, "is in us-west-2, and"),
        (("blue", "nowhere.yaml"), 2, "nowhere.yaml"),
    )
    for (former, spec), status, words in cases:
        names = [str(tmp_path / name) if name.endswith(".yaml") else name for name in (former, spec)]
        done = run(account, "replace", *names, "--yes")
        assert (done.status, words in done.err) == (status, True), (former, spec, done.err)
    assert account.client("cloudformation").describe_stacks()["Stacks"] == []
