"""calendar on the command line, against an emulated account with a cluster in it that trainyard did not make."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import icalendar
import pytest

from tests.cli.in_account import run
from tests.examples import example_spec
from tests.operate.status.planted import config, launch, plant_fleet, plant_stack
from tests.rehearsal.account_copies import empty_account
from trainyard.edge.aws.account import Account

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]


def reserve(account: Account) -> str:
    made = account.client("ec2").create_capacity_reservation(
        InstanceType="p5.48xlarge", InstancePlatform="Linux/UNIX", InstanceCount=2, AvailabilityZone="us-east-2a",
        EndDateType="limited", EndDate=datetime.now(UTC) + timedelta(days=3),
    )  # fmt: skip
    return str(made["CapacityReservation"]["CapacityReservationId"])


@pytest.fixture(scope="module")
def reserved() -> Iterator[tuple[Account, str]]:
    """An account with a cluster that uses a reservation with an end."""
    with empty_account() as account:
        reservation = reserve(account)
        plant_stack(account, "llm", config(reservation))
        plant_fleet(account, "llm", "RUNNING")
        launch(account, "llm", "HeadNode")
        yield account, reservation


def entries(account: Account, *arguments: str | Path) -> list[dict[str, Any]]:
    status, out, err = run(account, "calendar", *arguments, "--json")
    assert (status, err) == (0, "")
    values = json.loads(out)
    assert (values["schema"], values["region"], values["unknown"]) == (1, "us-east-2", {})
    listed: list[dict[str, Any]] = values["entries"]
    assert [entry["at"] for entry in listed] == sorted(entry["at"] for entry in listed)
    return listed


def test_a_cluster_has_its_reservations_and_images_by_its_name_and_among_all_of_the_region(reserved):
    account, reservation = reserved
    listed = entries(account, "llm", "--region", "us-east-2")
    kinds = {entry["kind"]: entry["subject"] for entry in listed}
    assert kinds["reservation-end"] == reservation
    assert kinds["image-created"].startswith("ami-")
    assert entries(account, "--region", "us-east-2") == listed


def test_a_spec_that_is_not_deployed_has_its_reservations_and_the_ends_of_support(reserved, tmp_path):
    account, reservation = reserved
    file = tmp_path / "cluster.yaml"
    queue = f"{{name: gpu, instance_type: p5.48xlarge, nodes: 2, capacity: {{reservation: {reservation}}}}}"
    file.write_text(example_spec(f"name: later\nregion: us-east-2\nplatform: parallelcluster\nqueues: [{queue}]"))
    listed = entries(account, file)
    assert {entry["cluster"] for entry in listed} == {"later"}
    assert {"reservation-end", "support-end"} <= {entry["kind"] for entry in listed}


def test_it_is_a_table_and_icalendar(reserved):
    account, reservation = reserved
    _, out, _ = run(account, "calendar", "llm", "--region", "us-east-2")
    (end,) = (line for line in out.splitlines() if reservation in line and line.endswith(" ends"))
    assert " UTC" in end
    assert "in 2 days" in end
    _, out, _ = run(account, "calendar", "llm", "--region", "us-east-2", "--ics")
    assert any(reservation in str(event["SUMMARY"]) for event in icalendar.Calendar.from_ical(out).walk("VEVENT"))


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("nobody-s", "--region", "us-east-2"), 1, "there is no cluster nobody-s in us-east-2"),
        (("llm", "--region", "us-east-2", "--ics", "--json"), 2, "--ics and --json contradict each other"),
    ],
    ids=["no such cluster", "two formats"],
)
def test_what_is_wrong_is_said(reserved, arguments, status, said):
    ran = run(reserved[0], "calendar", *arguments)
    assert ran[0] == status
    assert said in ran[1] + ran[2]
