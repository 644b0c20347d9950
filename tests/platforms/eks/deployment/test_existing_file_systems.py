"""A cluster of EKS is told by what names file systems are mounted that were there before."""

from __future__ import annotations

from typing import Any

import pytest

from tests.deploy.preflights.recorded import RecordedAccount, Refusal
from tests.specs import spec_of
from trainyard.deploy.deployment import steps_to_deploy
from trainyard.deploy.work import Work
from trainyard.errors import TrainyardError
from trainyard.platforms.eks.deployment.steps import ExistingFileSystems

FIRST, SECOND = "fs-0123456789abcdef0", "fs-0123456789abcdef1"
QUEUES = "queues: [{name: q, instance_type: p5.48xlarge, nodes: {min: 0, max: 4}}]"
SPEC = f"""\
platform: eks
{QUEUES}
file_systems:
  - {{mount: /data, lustre: {{id: {FIRST}}}}}
  - {{mount: /home, lustre: {{id: {SECOND}}}}}
  - {{mount: /fsx, lustre: {{size_gib: 4800}}}}
"""
STEP = ExistingFileSystems()


def work(answer: Any) -> Work:
    account = RecordedAccount("us-east-2", answers={"fsx.DescribeFileSystems": answer})
    return Work(account, "llm", spec_of(SPEC), "ml-bucket")


def described(asked: Any) -> dict[str, Any]:
    (id_,) = asked["FileSystemIds"]
    return {"FileSystems": [{"FileSystemId": id_, "LustreConfiguration": {"MountName": f"of{id_[-2:]}"}}]}


def test_every_mount_name_is_asked_for_and_nothing_is_changed():
    outcome = STEP.apply(work(described))
    assert outcome.outputs == {f"LustreMountName{FIRST}": "off0", f"LustreMountName{SECOND}": "off1"}
    assert not outcome.changed
    assert STEP.probe(work(described)) == ("there", f"{FIRST}, {SECOND}")


def test_one_that_is_not_there_is_told_by_its_id():
    gone = work(Refusal("FileSystemNotFound"))
    assert STEP.probe(gone) == ("missing", f"{FIRST}, {SECOND}")
    with pytest.raises(TrainyardError, match=f"file system {FIRST} is not in us-east-2"):
        STEP.apply(gone)


def test_one_of_another_type_is_told_by_its_type():
    other = {"FileSystems": [{"FileSystemId": FIRST, "FileSystemType": "OPENZFS"}]}
    with pytest.raises(TrainyardError, match=f"{FIRST} is of type OPENZFS, not Lustre"):
        STEP.apply(work(other))


def test_they_are_asked_before_anything_is_made_and_only_where_there_are_any():
    names = [step.name for step in steps_to_deploy(spec_of(SPEC))]
    assert names[:3] == ["changes", "file-systems", "network"]
    without = spec_of(f"platform: eks\n{QUEUES}\nfile_systems: [{{mount: /fsx, lustre: {{id: environment}}}}]")
    assert "file-systems" not in [step.name for step in steps_to_deploy(without)]
