"""Which changes of a list of file systems would mount one in place of another."""

from __future__ import annotations

from tests.each_case import each_case
from trainyard.deploy.file_system_order import other_places
from trainyard.document.write import yaml_text
from trainyard.spec.parsing import parse

HOME = {"mount": "/home", "openzfs": {"size_gib": 64}}
EXISTING = {"mount": "/old", "lustre": {"id": "fs-0123456789abcdef0"}}
SHARED = [{"mount": mount, "lustre": {"id": "environment"}} for mount in ("/fsx", "/scratch")]


def lustre(mount: str) -> dict[str, object]:
    return {"mount": mount, "lustre": {"size_gib": 1200, "throughput_mb_s_per_tib": 125}}


FSX, SCRATCH = lustre("/fsx"), lustre("/scratch")
SAME = {
    "the same": ([FSX, SCRATCH], [FSX, SCRATCH]),
    "one behind": ([FSX], [FSX, SCRATCH]),
    "the last goes": ([FSX, SCRATCH], [FSX]),
    "another kind before": ([FSX], [HOME, FSX]),
    "another kind goes": ([HOME, FSX], [FSX]),
    "one that exists before": ([FSX], [EXISTING, FSX]),
    "another mount": ([FSX, SCRATCH], [lustre("/data"), SCRATCH]),
    "another kind at the same mount": ([FSX], [{**HOME, "mount": "/fsx"}]),
    "none before": ([], [FSX, SCRATCH]),
    "one is named before one above it goes": ([FSX, SCRATCH], [{**EXISTING, "mount": "/scratch"}]),
}
OTHER = {
    "one before": ([FSX], [SCRATCH, FSX], ["/fsx is lustre 1 of the stack and would be lustre 2"]),
    "the first goes": ([FSX, SCRATCH], [SCRATCH], ["/scratch is lustre 2 of the stack and would be lustre 1"]),
    "the first is named by its id": (
        [FSX, SCRATCH],
        [{**EXISTING, "mount": "/fsx"}, SCRATCH],
        ["/scratch is lustre 2 of the stack and would be lustre 1"],
    ),
    "exchanged": (
        [FSX, HOME, SCRATCH],
        [SCRATCH, HOME, FSX],
        [
            "/scratch is lustre 2 of the stack and would be lustre 1",
            "/fsx is lustre 1 of the stack and would be lustre 2",
        ],
    ),
    "those of an environment exchanged": (
        SHARED,
        SHARED[::-1],
        [
            "/scratch is lustre 2 of the stack and would be lustre 1",
            "/fsx is lustre 1 of the stack and would be lustre 2",
        ],
    ),
}


def text(file_systems: list[object], **more: object) -> str:
    queue = {"name": "q", "instance_type": "m5.large", "nodes": 1}
    spec = {"name": "llm", "region": "us-east-2", "platform": "batch", "queues": [queue], **more}
    return yaml_text({**spec, "file_systems": file_systems})


@each_case(("before", "after"), SAME.values(), ids=SAME)
def test_every_directory_keeps_its_file_system(before: list[object], after: list[object]):
    assert other_places(text(before), parse(text(after), "llm.yaml").spec) == []


@each_case(("before", "after", "moves"), OTHER.values(), ids=OTHER)
def test_a_directory_would_show_another_file_system(before: list[object], after: list[object], moves: list[str]):
    assert other_places(text(before), parse(text(after), "llm.yaml").spec) == moves


def test_a_spec_of_another_version_is_read_as_far_as_it_matters():
    former = text([FSX], key_of_another_version={"a": 1})
    assert len(other_places(former, parse(text([SCRATCH, FSX]), "llm.yaml").spec)) == 1
