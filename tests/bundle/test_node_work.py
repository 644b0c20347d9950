"""What a kind of nodes carries out of a release, and how that differs between two releases."""

from __future__ import annotations

import io
import re
import tarfile
from pathlib import Path

import pytest

import trainyard_node
from tests.specs import spec_of
from trainyard.bootstrap.steps import STEPS
from trainyard.bundle.asset_lock import lock_of_assets, lock_text
from trainyard.bundle.node_work import NOTHING, READ_BY_PACKAGE, WorkDifference, difference, node_work
from trainyard.bundle.release import release
from trainyard.errors import TrainyardError
from trainyard.rehearsal.stand_in_assets import stand_in_lock
from trainyard.render import needed_assets

QUEUE = "queues: [{name: q, instance_type: p5.48xlarge, setup: gpu}]\n"
FSX = "file_systems: [{mount: /fsx, lustre: {size_gib: 1200, throughput_mb_s_per_tib: 250}}]\n"
PLAIN = "software: {setup: gpu}\n"
ENDPOINT = "https://aps-workspaces.us-east-2.amazonaws.com/workspaces"
# What the package reads and no step of a running head node has to be told: where it is, what it is, and facts about
# the hardware and the mounts, which are part of ParallelCluster's own configuration.
# And what containers have, the name of their job.
FACTS = {
    "TRAINYARD_CLUSTER",
    "TRAINYARD_EFA_INTERFACES",
    "TRAINYARD_FABRIC",
    "TRAINYARD_FOLDER",
    "TRAINYARD_GPUS",
    "TRAINYARD_INSTANCE_ID",
    "TRAINYARD_INSTANCE_TYPE",
    "TRAINYARD_JOB",
    "TRAINYARD_REGION",
    "TRAINYARD_RELEASE",
    "TRAINYARD_ROLE",
    "TRAINYARD_SETUP",
    "TRAINYARD_SHARED",
    "TRAINYARD_SYSROOT",
}


def changed(former: str, now: str, kind: str = "head") -> WorkDifference | None:
    works = (node_work(release(spec_of(f"{QUEUE}{FSX}{software}")).content, kind) for software in (former, now))
    return difference(*works)


def found(former: str, now: str, kind: str = "head") -> WorkDifference:
    difference_found = changed(former, now, kind)
    assert difference_found is not None
    return difference_found


def test_the_same_release_is_the_same_work():
    assert changed(PLAIN, PLAIN) is None


def test_containers_are_new_steps_of_head_and_login_nodes():
    now = "software: {setup: gpu, containers: true}\n"
    assert found(PLAIN, now).new == ("enroot-pyxis",)
    login = "login_nodes: {count: 1}\n"
    assert found(PLAIN + login, now + login, "login").new == ("enroot-pyxis",)
    assert str(found(PLAIN, now)).startswith("new steps: enroot-pyxis")


def test_images_to_import_are_a_new_step_and_then_another_setting():
    one = 'software: {setup: gpu, containers: true, container_images: ["a#b:1"]}\n'
    two = one.replace('"a#b:1"', '"a#b:1", "a#c:1"')
    assert found("software: {setup: gpu, containers: true}\n", one).new == ("images",)
    assert found(one, two) == WorkDifference((), (), ("TRAINYARD_CONTAINER_IMAGES",), ())


def test_another_version_of_nccl_is_another_setting():
    old = "software: {setup: gpu, nccl: {version: 2.27.7-1}}\n"
    assert "TRAINYARD_NCCL_VERSION" in found(old, old.replace("2.27.7", "2.28.3")).settings


@pytest.mark.parametrize(
    "now", ["software: {setup: gpu, efa_version: 1.47.0}\n", "software: {setup: gpu, on_failure: hold}\n"]
)
def test_what_only_compute_nodes_do_is_nothing_to_the_head_node(now):
    assert changed(PLAIN, now) is None


def test_what_is_no_longer_asked_for_is_dropped():
    assert found("software: {setup: gpu, containers: true}\n", PLAIN).dropped == ("enroot-pyxis",)


def test_another_file_that_a_step_installs_is_named():
    spec = spec_of(f"{QUEUE}{PLAIN}monitoring: {{mode: amp-only}}")
    lock = stand_in_lock(spec)
    other = lock_of_assets([asset._replace(sha256="0" * 64, file=f"other-{asset.file}") for asset in lock.assets])
    former, now = (node_work(release(spec, lock_text(one).encode()).content, "head") for one in (lock, other))
    assert {asset.name for asset in now.assets} == {"node-exporter", "prometheus"}
    told = difference(former, now)
    assert told is not None
    assert {one.split("-1.")[0].split("-3.")[0] for one in told.other if one.startswith("other-")} == {
        "other-stand-in-node-exporter", "other-stand-in-prometheus",
    }  # fmt: skip
    assert str(told) == "files: 4 others"


def test_head_and_login_nodes_fetch_nothing_that_is_called_otherwise_than_its_step():
    fetching = [step.name for step in STEPS if {"head", "login"} & set(step.roles) and step.network]
    assert set(fetching) - {"images"} <= {name for name, assets in needed_assets._OF_STEP.items() if assets == (name,)}


def test_of_nothing_everything_is_new():
    work = node_work(release(spec_of(QUEUE + PLAIN)).content, "head")
    found_now = difference(NOTHING, work)
    assert found_now is not None
    assert found_now.new == tuple(work.steps)
    assert "others" in str(found_now)


def test_a_kind_that_a_release_does_not_have_has_no_work():
    assert node_work(release(spec_of(QUEUE + PLAIN)).content, "login") == NOTHING


@pytest.mark.parametrize("content", [b"", b"x" * 5000, b"\x1f\x8b" + b"0" * 600])
def test_a_damaged_release_is_one_clear_line(content):
    with pytest.raises(TrainyardError, match="a release cannot be read") as caught:
        node_work(content, "head")
    assert len(caught.value.problem.splitlines()) == 1


@pytest.mark.parametrize(
    ("former", "now", "setting"),
    [
        ("mode: amp-only, slurm_names: vpenso", "mode: amp-only, slurm_names: rivosinc", "TRAINYARD_SLURM_NAMES"),
        ("cloudwatch_metrics: [slurm]", "cloudwatch_metrics: [slurm, system]", "TRAINYARD_CLOUDWATCH_METRICS"),
    ],
)
def test_a_setting_that_only_the_package_reads_counts_where_the_step_is_that_uses_it(former, now, setting):
    monitored = [f"{PLAIN}login_nodes: {{count: 1}}\nmonitoring: {{{part}}}\n" for part in (former, now)]
    assert found(*monitored).settings == (setting,)


def test_another_destination_of_metrics_is_told_to_the_head_node_alone():
    spec = spec_of(f"{QUEUE}login_nodes: {{count: 1}}\nmonitoring: {{mode: amp-only}}")
    endpoints = [{"AMPPrometheusEndpoint": f"{ENDPOINT}/ws-{number}/"} for number in (1, 2)]
    former, now = (release(spec, outputs=outputs).content for outputs in endpoints)
    told = difference(node_work(former, "head"), node_work(now, "head"))
    assert told == WorkDifference((), (), ("TRAINYARD_METRICS_WRITE_URL",), ("monitoring/head-node.yml",))
    assert difference(node_work(former, "login"), node_work(now, "login")) is None


def test_what_prometheus_is_to_scrape_besides_is_told_to_the_head_node_alone():
    former, now = (
        release(spec_of(f"queues: {queues}\nlogin_nodes: {{count: 1}}\nmonitoring: {{mode: amp-only}}")).content
        for queues in ("[{name: a, instance_type: m5.large}]", "[{name: a, instance_type: p5.48xlarge, setup: gpu}]")
    )
    told = difference(node_work(former, "head"), node_work(now, "head"))
    assert told is not None
    assert "monitoring/head-node.yml" in told.other
    assert difference(node_work(former, "login"), node_work(now, "login")) is None


def test_a_setting_that_only_the_package_reads_is_nothing_to_nodes_without_the_step_that_uses_it():
    monitored = f"{PLAIN}login_nodes: {{count: 1}}\nmonitoring: {{mode: amp-only, slurm_names: vpenso}}\n"
    assert changed(monitored, monitored.replace("vpenso", "rivosinc"), kind="login") is None


def test_every_setting_that_the_package_reads_is_told_of_or_a_fact():
    folder = Path(trainyard_node.__file__).parent
    text = "\n".join(file.read_text() for file in sorted(folder.rglob("*.py")) if "_vendor" not in file.parts)
    read = set(re.findall(r"TRAINYARD_[A-Z0-9_]*[A-Z0-9]", text))
    assert read == FACTS.union(*READ_BY_PACKAGE.values())


def test_a_setting_that_the_package_reads_belongs_to_a_step_that_there_is():
    assert set(READ_BY_PACKAGE) <= {step.name for step in STEPS}


def without(content: bytes, left_out: str, setting: str) -> bytes:
    """Return a release without a file and without a setting."""
    made = io.BytesIO()
    with tarfile.open(fileobj=io.BytesIO(content)) as old, tarfile.open(fileobj=made, mode="w") as new:
        for member in old.getmembers():
            file = old.extractfile(member)
            if file is None or member.name.removeprefix("./") == left_out:
                continue
            changed_content = file.read()
            if member.name.removeprefix("./") == "plan.json":
                changed_content = changed_content.replace(f'"{setting}"'.encode(), b'"TRAINYARD_NEVER_ASKED"')
            member.size = len(changed_content)
            new.addfile(member, io.BytesIO(changed_content))
    return made.getvalue()


def test_a_script_and_a_setting_that_are_gone_are_a_difference():
    content = release(spec_of(f"{QUEUE}{PLAIN}")).content
    less = without(content, "health/slurm-health-check.sh", "TRAINYARD_QUEUE")
    gone = difference(node_work(content, "head"), node_work(less, "head"))
    assert gone == WorkDifference((), (), ("TRAINYARD_QUEUE",), ("health/slurm-health-check.sh",))


def test_what_only_a_dropped_step_used_goes_with_it():
    images = 'software: {setup: gpu, containers: true, container_images: ["a#b:1"]}\n'
    assert found(images, "software: {setup: gpu, containers: true}\n") == WorkDifference((), ("images",), (), ())
