"""status on the command line, against an emulated account with a cluster in it that trainyard did not make."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator

import pytest

from tests.cli.in_account import run, started
from tests.operate.status.planted import config, launch, plant_fleet, plant_stack
from tests.rehearsal.account_copies import empty_account
from trainyard.edge.aws.account import Account

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

WHERE = ("llm", "--region", "us-east-2")


@pytest.fixture(scope="module")
def account() -> Iterator[Account]:
    with empty_account() as made:
        plant_stack(made, "llm", config())
        launch(made, "llm", "HeadNode")
        yield made


@pytest.fixture(params=["RUNNING", "PROTECTED"])
def fleet(account: Account, request: pytest.FixtureRequest) -> str:
    plant_fleet(account, "llm", request.param)
    return str(request.param)


def test_the_exit_status_says_whether_it_is_up_and_json_says_all_of_it(account: Account, fleet: str):
    status, out, err = run(account, "status", *WHERE, "--json")
    values = json.loads(out)
    assert (status, values["up"], err) == (int(fleet != "RUNNING"), fleet == "RUNNING", "")
    assert values["schema"] == 1
    assert values["fleet"]["status"] == fleet
    assert [queue["name"] for queue in values["queues"]] == ["p5", "any"]


def test_who_asks_for_drift_is_told_that_there_is_none(account: Account):
    plant_fleet(account, "llm", "RUNNING")
    _, out, _ = run(account, "status", *WHERE, "--drift")
    assert out.endswith("No drift: CloudFormation finds every resource as its template says.\n")
    assert "drift" not in run(account, "status", *WHERE)[1]


def test_it_is_watched_until_ctrl_c_which_ends_it_quietly(account: Account):
    plant_fleet(account, "llm", "RUNNING")
    watching = started(account, "status", *WHERE, "--watch", "5")
    assert watching.stdout.readline() == "llm in us-east-2: up\n"
    plant_fleet(account, "llm", "PROTECTED")
    assert next(line for line in watching.stdout if "the fleet is PROTECTED" in line).startswith("llm in us-east-2: ")
    watching.send_signal(signal.SIGINT)
    _, err = watching.communicate()
    assert (watching.returncode, err) == (1, "")


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("nobody-s", "--region", "us-east-2"), 1, "there is no cluster nobody-s in us-east-2, and no environment"),
        ((*WHERE, "--watch", "1"), 2, "1 is not in the range x>=5"),
    ],
    ids=["no such cluster", "too often"],
)
def test_what_is_wrong_is_said_in_one_line(account: Account, arguments, status, said):
    ran = run(account, "status", *arguments)
    assert (ran[0], ran[1]) == (status, "")
    assert said in ran[2]
    assert len(ran[2].splitlines()) == 1


def test_without_a_name_the_clusters_of_the_region_are_listed(account: Account):
    status, out, _ = run(account, "status", "--region", "us-east-2", "--json")
    assert (status, [cluster["name"] for cluster in json.loads(out)["clusters"]]) == (0, ["llm"])
    status, out, _ = run(account, "status", "--region", "us-east-2")
    assert (status, out.split()[:2]) == (0, ["llm", "parallelcluster"])
    status, _, err = run(account, "status", "--region", "us-east-2", "--watch")
    assert status == 2
    assert "--watch is for one cluster" in err
