"""What completes a set of versions, and what is said where nothing does."""

from __future__ import annotations

import subprocess
import sys

import pytest

from trainyard.catalog.component_versions import known_versions
from trainyard.compatibility.completion import Completion, completed
from trainyard.compatibility.judgement import incompatibilities
from trainyard.compatibility.version_set import component_named, given

WANTED = ("efa-installer", "nvidia-driver", "cuda", "aws-ofi-nccl", "nccl", "dcgm", "fabric-manager")
TYPES = ("p3dn.24xlarge", "p4d.24xlarge", "p5.48xlarge", "p6-b200.48xlarge", "p6-b300.48xlarge", "p6e-gb200.36xlarge")


def completion(*names: str, on: tuple[str, ...] = (), **versions: str) -> Completion:
    """Return what completes a set; an underscore of a name stands for a hyphen."""
    chosen = {component_named(name): given(component_named(name), text, "a test") for name, text in versions.items()}
    return completed(chosen, [component_named(name) for name in names], on)


def shown(result: Completion) -> dict[str, str]:
    return {name: version.shown for name, version in result.versions.items()}


@pytest.mark.parametrize("instance_type", TYPES)
@pytest.mark.parametrize(
    "versions", [{}, {"nccl": "2.20.5"}, {"parallelcluster": "3.15.1"}, {"cuda": "12.8.0"}], ids=str
)
def test_no_case_worse_than_an_info_is_against_what_is_suggested(instance_type, versions):
    result = completion(*WANTED, on=(instance_type,), **versions)
    if result.versions:
        assert {one.severity for one in incompatibilities(result.versions, (instance_type,))} <= {"info"}
        assert versions.items() <= shown(result).items()
    else:
        assert result.reasons


def test_the_newest_versions_come_first_and_only_known_ones():
    result = completion("nccl", "aws-ofi-nccl", cuda="12.9.1")
    assert shown(result) == {
        "cuda": "12.9.1", "nccl": known_versions("nccl")[0], "aws-ofi-nccl": known_versions("aws-ofi-nccl")[0]
    }  # fmt: skip


def test_what_comes_with_something_is_taken():
    result = completion("aws-ofi-nccl", "libfabric", efa_installer="1.50.0")
    assert shown(result) == {"efa-installer": "1.50.0", "aws-ofi-nccl": "1.21.1", "libfabric": "2.6.0amzn1.0"}
    assert result.versions["libfabric"].origin == "EFA installer 1.50.0"


def test_an_older_image_is_taken_where_a_case_is_against_newer_ones():
    result = completion("parallelcluster", "nvidia-driver", on=("p6e-gb200.36xlarge",))
    assert shown(result) == {"parallelcluster": "3.15.1", "nvidia-driver": "580.126.20"}


def test_what_excludes_what_is_said_in_words():
    result = completion("nvidia-driver", on=("p6e-gb200.36xlarge",), parallelcluster="3.16.3")
    assert result.versions == {}
    assert "ParallelCluster 3.16.3 brings NVIDIA driver 595.112.07" in result.reasons
    assert any(
        reason.startswith("NVIDIA driver from 595 on is excluded: ") and "r595-on-grace-blackwell, https://" in reason
        for reason in result.reasons
    )


def test_two_versions_that_exclude_each_other_are_both_named():
    (reason,) = completion("dcgm", nccl="2.19.3", efa_installer="1.28.0").reasons
    assert reason.startswith(("NCCL 2.19.3 does not go with EFA", "EFA installer 1.28.0 does not go with NCCL"))


def test_a_fabric_manager_is_that_of_the_driver():
    assert shown(completion("fabric-manager", driver="580.126.20"))["fabric-manager"] == "580.126.20"


def test_what_is_given_may_have_a_warning():
    result = completion("nccl", cuda="13.0", driver="535")
    assert shown(result)["nvidia-driver"] == "535"
    assert [one.severity for one in incompatibilities(result.versions)] == ["warning"]


def test_a_component_without_known_versions_stays_unknown():
    assert completion("kernel", "nccl").unknown == ("kernel",)


def test_a_check_does_not_import_the_solver():
    program = "import sys, trainyard.api.versions; sys.exit('resolvelib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
