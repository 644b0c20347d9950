"""That the oracle accepts what is right, and that the validator that knows refuses what is wrong, in each version."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.architectures.by_platform import architectures_on
from tests.oracle.pcluster import errors, validate_configs
from trainyard.bundle.assemble import assemble
from trainyard.catalog.by_version import line_of, number_of
from trainyard.edge.pcluster import ClusterConfig, known_versions
from trainyard.spec.parsing import parse

if TYPE_CHECKING:
    from _pytest.mark import ParameterSet

    from tests.oracle.pcluster import Failure

pytestmark = pytest.mark.integration

HERE = Path(__file__).parent
FILES = {file.stem: file.read_text() for file in sorted((HERE / "configs").glob("*.yaml"))}
WRONG: dict[str, dict[str, Any]] = yaml.load((HERE / "wrong.yaml").read_text(), Loader=yaml.CSafeLoader)
RIGHT: dict[str, dict[str, Any]] = yaml.load((HERE / "right.yaml").read_text(), Loader=yaml.CSafeLoader)
ZONES = {"subnet-00000000000000004": "b"}


NEWEST = max(known_versions(), key=number_of)
VERSIONS = [NEWEST, *(pytest.param(one, marks=pytest.mark.exhaustive) for one in known_versions() if one != NEWEST)]


def asked(text: str) -> ClusterConfig:
    return ClusterConfig(text, "llm", "us-east-2")


def changed(changes: dict[str, Any]) -> str:
    config = yaml.load(FILES["small"], Loader=yaml.CSafeLoader)
    for path, value in changes.items():
        *places, last = [int(step) if step.isdigit() else step for step in path.split(".")]
        inner = config
        for step in places:
            inner = inner[step]
        inner[last] = value
    return yaml.safe_dump(config)


# One process for all the configs of a version: starting it takes longer than validating five of them.
@cache
def found(version: str) -> dict[tuple[str, str], tuple[Failure, ...]]:
    texts = {
        **{("wrong", name): changed(case["change"]) for name, case in WRONG.items()},
        **{("right", name): changed(case["change"]) for name, case in RIGHT.items()},
        **{("file", name): text for name, text in FILES.items()},
    }
    failures = validate_configs([asked(text) for text in texts.values()], version=version, zones=ZONES)
    return dict(zip(texts, failures, strict=True))


def cases(table: dict[str, dict[str, Any]]) -> list[ParameterSet]:
    return [
        pytest.param(version, name, id=f"{version}-{name}", marks=[] if version == NEWEST else [pytest.mark.exhaustive])
        for version in known_versions()
        for name, case in table.items()
        if number_of(case.get("since", "0")) <= number_of(line_of(version)) <= number_of(case.get("until", "99"))
    ]


@pytest.mark.parametrize(("version", "name"), cases(WRONG))
def test_the_validator_that_knows_refuses_what_is_wrong(version, name):
    case, failures = WRONG[name], errors(found(version)["wrong", name])
    assert any(one.validator == case["validator"] and case["message"] in one.message for one in failures), failures


@pytest.mark.parametrize(("version", "name"), cases(RIGHT))
def test_nothing_is_wrong_with_what_is_right(version, name):
    assert errors(found(version)["right", name]) == []


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", FILES)
def test_the_account_has_everything_that_a_config_can_mention(version, name):
    assert errors(found(version)["file", name]) == []


@pytest.mark.parametrize("version", VERSIONS)
def test_the_reference_architectures_are_valid(version):
    specs = [parse(one.text, "cluster.yaml").spec for one in architectures_on("parallelcluster")]
    texts = [assemble(spec).files["cluster.yaml"].decode() for spec in specs]
    configs = [ClusterConfig(text, spec.name, spec.region) for text, spec in zip(texts, specs, strict=True)]
    assert [errors(failures) for failures in validate_configs(configs, version=version)] == [[] for _ in specs]


@pytest.mark.exhaustive
def test_what_pcluster_only_warns_of_is_a_warning():
    levels = {one.validator: one.level for one in found("3.14.2")["right", "a key pair of a login pool"]}
    assert levels["LoginNodesSshKeyNameDeprecatedValidator"] == "WARNING"


def test_text_that_is_no_yaml_is_one_error():
    ((failure,),) = validate_configs([asked("a: [")], version="3.16.1")
    assert (failure.level, failure.validator) == ("ERROR", "BadRequest")
    assert failure.message.startswith("Configuration must be a valid YAML document.")


def test_configs_validated_together_do_not_disturb_each_other():
    """UrlValidator remembers what it has looked at, and reservations have the zone of another config's subnet."""
    texts = [
        changed(WRONG[name]["change"]) for name in ("a script that is no address", "a reservation in another zone")
    ]
    alone = [validate_configs([asked(text)], version="3.16.1", zones=ZONES) for text in texts]
    together = validate_configs([asked(text) for text in (*texts, *texts)], version="3.16.1", zones=ZONES)
    assert together == [*alone[0], *alone[1], *alone[0], *alone[1]]
