"""``trainyard versions check``, from the command line and from what others print."""

from __future__ import annotations

import json

import pytest

NODE = {
    "schema": 1,
    "versions": {
        "nvidia-driver": {"version": "595.71.05", "found_by": "/sys/module/nvidia/version"},
        "cuda": {"version": "13.0", "found_by": "nvcc"},
        "nccl": {"version": None, "found_by": None},
        "docker": {"version": "29.4.0", "found_by": "docker"},
    },
}
LOG = """\
a:1:1 [0] NCCL INFO cudaDriverVersion 12040
a:1:1 [0] NCCL INFO NCCL version 2.19.3+cuda13.0
a:1:1 [0] NCCL INFO NET/OFI Initializing aws-ofi-nccl 1.16.3
a:1:1 [0] NCCL INFO NET/OFI Using Libfabric version 1.18
"""


@pytest.fixture
def cases(trainyard):
    """Return a function that checks versions and returns exit status and cases."""

    def of(*arguments: str) -> tuple[int, list[str]]:
        ran = trainyard("versions", "check", *arguments, "--json")
        return ran.status, [one["case"] for one in json.loads(ran.out)["incompatible"]]

    return of


def test_an_error_ends_with_one_and_names_its_source_date_and_evidence(trainyard):
    ran = trainyard("versions", "check", "nccl=2.19.3", "efa=1.28.0")
    assert ran.status == 1
    assert "error: NCCL 2.19.3 with EFA installer 1.28.0: every job ends with" in ran.out
    assert (
        "nccl-2.19-with-old-efa: report, certain, https://github.com/aws/aws-ofi-nccl/issues/584, read on 2026-11-22\n"
        in ran.out
    )
    fine = trainyard("versions", "check", "nccl=2.18.5", "efa=1.28.0")
    assert fine.status == 0
    assert fine.out.endswith("no known case is against this set\n")


def test_a_node_tells_its_versions(cases, tmp_path):
    node = tmp_path / "node.json"
    node.write_text(json.dumps(NODE))
    assert cases(str(node), "--on", "p6e-gb200.36xlarge") == (1, ["r595-on-grace-blackwell"])
    assert cases(str(node), "driver=580.126.20", "--on", "p6e-gb200.36xlarge") == (0, [])


def test_an_image_tells_its_versions(cases, tmp_path):
    image = tmp_path / "image.json"
    environment = ["PATH=/usr/bin", "CUDA_VERSION=12.4.1", "NCCL_VERSION=2.24.3-1"]
    image.write_text(json.dumps([{"Id": "sha256:1", "Config": {"Env": environment}}]))
    expected = (1, ["cuda-before-blackwell", "nccl-before-blackwell"])
    assert cases(str(image), "--on", "p6-b200.48xlarge") == expected
    plain = tmp_path / "env"
    plain.write_text("\n".join(environment))
    assert cases(str(plain), "--on", "p6-b200.48xlarge") == expected


def test_a_log_of_nccl_tells_its_versions(cases, tmp_path):
    log = tmp_path / "job.out"
    log.write_text(LOG)
    assert cases(str(log)) == (0, ["cuda-13-on-older-driver", "ofi-nccl-with-libfabric-before-1.22"])
    assert cases(str(log), "--on", "p4d.24xlarge")[0] == 1


def test_of_a_log_of_any_size_the_beginning_is_read(cases, tmp_path):
    log = tmp_path / "job.log"
    log.write_bytes(b"node-1:1:1 [0] NCCL INFO NCCL version 2.29.2+cuda12.8\n" + b"step \xff 1\n" * 600_000)
    assert cases(str(log)) == (0, ["nccl-2.29.2-hangs"])


def test_a_spec_tells_versions_and_instance_types(cases, tmp_path):
    spec = tmp_path / "cluster.yaml"
    spec.write_text(
        "name: llm\nplatform: parallelcluster\nregion: us-east-1\nnetwork: {availability_zone: us-east-1a}\n"
        "parallelcluster: {version: 3.13.0}\n"
        "queues:\n  - {name: gpu, instance_type: p6-b200.48xlarge, nodes: 2}\n"
    )
    status, found = cases(str(spec))
    assert (status, found) == (1, ["driver-before-b200"])


def test_what_is_replaced_is_noted(trainyard, tmp_path):
    node = tmp_path / "node.json"
    node.write_text(json.dumps(NODE))
    ran = trainyard("versions", "check", "cuda=12.9", str(node))
    assert f"note: cuda 12.9 of the command line is judged, not 13.0 of {node}\n" in ran.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("ncll=2.28.9",), "there is no component 'ncll'; did you mean nccl?"),
        (("nccl=latest",), "'latest' is no version of NCCL; write one such as 2."),
        (("nccl",), "nccl has no version; write nccl=VERSION"),
        (("nccl=2.28.9", "--on", "p5.48xlrge"), "there is no instance type 'p5.48xlrge'; did you mean p5.48xlarge?"),
        (("no-such-file.json",), "does not exist"),
    ],
)
def test_what_is_not_known_is_an_error_with_what_was_meant(trainyard, arguments, words):
    ran = trainyard("versions", "check", *arguments)
    assert (ran.status, ran.out) == (2, "")
    assert words in ran.err


@pytest.mark.parametrize("text", ["", "hello\n", "{}", "[]", "[1]", '{"versions": 3}', '{"Config": {"Env": 3}}'])
def test_a_file_that_tells_no_versions_is_an_error(trainyard, tmp_path, text):
    file = tmp_path / "file"
    file.write_text(text)
    ran = trainyard("versions", "check", str(file))
    assert (ran.status, ran.out) == (2, "")
    assert "Traceback" not in ran.err
