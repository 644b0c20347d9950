"""The real ParallelCluster in its real environment, which stays in the cache for the next run."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.each_case import each_case
from tests.oracles import PUBLISHED_CONFIGS, needs
from trainyard.edge.pcluster import (
    ClusterConfig,
    Complaint,
    environment,
    known_versions,
    load_schema,
    load_schemas,
    schema_complaints,
)

if TYPE_CHECKING:
    from _pytest.mark import ParameterSet

VERSION = "3.16.1"
# What others saw published configs do, by the version that they had: 3.14.2 reads configs as 3.14.0 does.
SEEN_WITH = {"3.14.2": "3.14.0", "3.16.1": "3.16.1"}

pytestmark = pytest.mark.integration


def script(*arguments: str | None) -> dict[str, Any]:
    return {"Script": "s3://bucket/launch.sh", "Args": list(arguments)}


def good_config() -> dict[str, Any]:
    subnet = {"SubnetIds": ["subnet-0123456789abcdef0"]}
    efa = {"Efa": {"Enabled": True}, "CapacityReservationTarget": {"CapacityReservationId": "cr-0123456789abcdef0"}}
    compute = {"Name": "p5", "InstanceType": "p5.48xlarge", "MinCount": 2, "MaxCount": 2, **efa}
    queue = {"Name": "gpu", "Networking": subnet, "ComputeResources": [compute]}
    pool = {"Name": "login", "Count": 1, "InstanceType": "m5.large", "Networking": subnet}
    return {
        "Region": "us-east-2",
        "Image": {"Os": "ubuntu2204"},
        "HeadNode": {
            "InstanceType": "m5.8xlarge",
            "Networking": {"SubnetId": "subnet-0123456789abcdef0"},
            "CustomActions": {"OnNodeConfigured": {"Sequence": [script("head"), script("tail")]}},
        },
        "LoginNodes": {"Pools": [pool]},
        "Scheduling": {"Scheduler": "slurm", "SlurmQueues": [queue]},
    }


def changed(path: tuple[str | int, ...], value: object) -> str:
    config: Any = good_config()
    *places, last = path
    inner = config
    for step in places:
        inner = inner[step]
    inner[last] = value
    return yaml.safe_dump(config)


def asked(text: str) -> ClusterConfig:
    return ClusterConfig(text, "llm", "us-east-2")


@pytest.fixture(scope="module")
def real():
    return environment(VERSION, print)


@pytest.mark.parametrize("version", known_versions())
def test_the_environment_runs_this_version_and_its_node(version):
    real = environment(version, print)
    said = subprocess.run([real.bin_folder / "pcluster", "version"], capture_output=True, text=True, check=True)
    assert json.loads(said.stdout) == {"version": version}
    said = subprocess.run([real.node_folder / "node", "--version"], capture_output=True, text=True, check=True)
    assert said.stdout.startswith("v22.")


@pytest.mark.parametrize("version", known_versions())
def test_a_good_config_loads(version):
    text = yaml.safe_dump(good_config())
    assert load_schema(text, cluster_name="llm", region="us-east-2", version=version, report=print) == ()


QUEUE = ("Scheduling", "SlurmQueues", 0)
COMPUTE = (*QUEUE, "ComputeResources", 0)
TWO_TARGETS = (
    "A Capacity Reservation Target needs to specify either Capacity Reservation ID or "
    "Capacity Reservation Resource Group ARN."
)
SCRIPTS = ("HeadNode", "CustomActions", "OnNodeConfigured", "Sequence")


# Asked about together: to start ParallelCluster takes a second.
COMPLAINTS: list[tuple[tuple[str | int, ...], object, list[tuple[Any, str]], str]] = [
    (
        (*COMPUTE, "HealthChecks"),
        {"GpuHealthCheck": True},
        [((*COMPUTE, "HealthChecks", "GpuHealthCheck"), "Unknown field.")],
        "an unknown key",
    ),
    (
        SCRIPTS,
        [script("a"), script("b", None), script(None)],
        [
            ((*SCRIPTS, 1, "Args", 1), "Field may not be null."),
            ((*SCRIPTS, 2, "Args", 0), "Field may not be null."),
        ],
        "null arguments in a sequence of scripts",
    ),
    (
        ("HeadNode", "CustomActions", "OnNodeConfigured"),
        script(None),
        [(("HeadNode", "CustomActions", "OnNodeConfigured", "Args", 0), "Field may not be null.")],
        "a null argument of a single script",
    ),
    (SCRIPTS, "one.sh", [(SCRIPTS[:-1], "Invalid input type for Sequence, expected list.")], "a sequence that is none"),
    ((*COMPUTE, "MaxCount"), "many", [((*COMPUTE, "MaxCount"), "Not a valid integer.")], "a wrong type"),
    (QUEUE, "gpu", [(QUEUE, "Invalid input type.")], "a scalar where a section belongs"),
    (
        (*COMPUTE, "CapacityReservationTarget"),
        {"CapacityReservationId": "cr-0123456789abcdef0", "CapacityReservationResourceGroupArn": "arn:aws:x"},
        [((*COMPUTE, "CapacityReservationTarget"), TWO_TARGETS)],
        "a section that contradicts itself",
    ),
]


def test_a_complaint_names_the_place(real):
    answers = schema_complaints(real, [asked(changed(path, value)) for path, value, *_ in COMPLAINTS])
    named = dict(zip((name for *_, name in COMPLAINTS), answers, strict=True))
    assert named == {
        name: tuple(Complaint(*complaint) for complaint in expected) for _, _, expected, name in COMPLAINTS
    }


@pytest.mark.parametrize("version", ["3.15.1", "3.16.1"])
def test_a_key_pair_of_a_login_pool_is_refused(version):
    path = ("LoginNodes", "Pools", 0, "Ssh")
    ((complaint,),) = load_schemas([asked(changed(path, {"KeyName": "ml-key"}))], version=version, report=print)
    assert complaint.path == (*path, "KeyName")
    assert complaint.message.startswith("Starting with ParallelCluster 3.15, the KeyName parameter is no longer")


def test_a_key_pair_of_a_login_pool_is_accepted_before_3_15():
    text = changed(("LoginNodes", "Pools", 0, "Ssh"), {"KeyName": "ml-key"})
    assert load_schemas([asked(text)], version="3.14.2", report=print) == [()]


UNREADABLE = {
    "a: [": "Configuration must be a valid YAML document. while parsing a flow node expected the node content",
    "- a": "Configuration must be a valid YAML document. Parsed config is not a dict",
    "Region: a\nRegion: b": "Configuration must be a valid YAML document. Duplicate key found: Region",
    changed(SCRIPTS[:-1], 5): "ParallelCluster cannot read this config: TypeError: ",
}


def test_what_cannot_be_loaded_at_all_is_one_complaint_about_the_whole(real):
    answers = schema_complaints(real, [asked(text) for text in UNREADABLE])
    for (complaint,), message in zip(answers, UNREADABLE.values(), strict=True):
        assert complaint.path == ()
        assert complaint.message.startswith(message)
        assert "\n" not in complaint.message


def test_configs_loaded_together_do_not_disturb_each_other():
    good, bad = asked(yaml.safe_dump(good_config())), asked(changed((*COMPUTE, "MaxCount"), "many"))
    first, second, third = load_schemas([bad, good, bad], version=VERSION, report=print)
    assert (first, second) == (third, ())
    assert first


def published_cases() -> Iterator[ParameterSet]:
    for meta in sorted(PUBLISHED_CONFIGS.glob("p*/meta.json")):
        for file, outcomes in json.loads(meta.read_text())["schema"].items():
            for version, seen_with in SEEN_WITH.items():
                outcome = outcomes[seen_with]
                yield pytest.param(
                    version, str(meta.with_name(file)), outcome, id=f"{version}-{meta.parent.name}/{file}"
                )


@cache
def published_complaints(version: str) -> dict[str, tuple[Complaint, ...]]:
    files = sorted({str(case.values[1]) for case in published_cases()})
    configs = [asked(Path(file).read_text()) for file in files]
    return dict(zip(files, load_schemas(configs, version=version, report=print), strict=True))


@needs(PUBLISHED_CONFIGS)
@each_case(("version", "file", "outcome"), published_cases())
def test_a_published_config_loads_exactly_when_it_did_for_others(version, file, outcome):
    complaints = published_complaints(version)[file]
    assert (complaints == ()) == outcome["loads"]
    assert all(complaint.message in outcome["message"] for complaint in complaints)
