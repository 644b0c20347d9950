"""The dashboards for CloudWatch: the documented widgets, with metrics that exist, in the form that CloudWatch takes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given

from tests.monitoring.cloudwatch_clusters import EVERYTHING, GPUS, PARTS, bodies, body, ids, metrics_in
from tests.monitoring.cloudwatch_sent import FOREIGN, STEP, sent
from tests.specs import spec_of, spec_texts
from trainyard.monitoring.cloudwatch_body import cloudwatch_bodies
from trainyard.monitoring.cloudwatch_dashboard import OF_SETTINGS, cloudwatch_dashboards
from trainyard.spec.parsing import parse

GOLDEN = Path(__file__).parent / "golden" / "cloudwatch"
SCHEMA = json.loads((Path(__file__).parent / "cloudwatch_dashboard_body.schema.json").read_text(encoding="utf-8"))
NAME = spec_of().name
# As the documents list the widgets of each dashboard.
DOCUMENTED = {
    "main": (
        "CPU", "memory", "Slurm errors", "network", "disk", "disk I/O", "resume", "suspend", "DCGM log", "clustermgtd",
        "FSx I/O", "FSx ops",
    ),
    "advanced": (
        "node state", "queue", "utilisation", "CPU", "memory", "job log", "network", "FSx throughput", "disk", "DCGM",
        "NVIDIA driver log",
    ),
    "efa": (
        "throughput", "utilisation", "packets", "errors", "single value of received", "single value of sent",
        "single value of errors", "single value of retransmits",
    ),
}  # fmt: skip
EVERY = [(name, found) for name, part in PARTS.items() for found in bodies(part).values()]


@pytest.mark.parametrize(("dashboard", "shows"), [(key, one) for key, shown in DOCUMENTED.items() for one in shown])
def test_a_documented_widget_is_there(dashboard: str, shows: str):
    described = next(
        cloudwatch_dashboard for cloudwatch_dashboard in cloudwatch_dashboards() if cloudwatch_dashboard.id == dashboard
    )
    titles = {widget["properties"].get("title") for widget in body(EVERYTHING, described.suffix)["widgets"]}
    widgets = [widget for widget in described.widgets if widget.shows == shows]
    assert widgets
    assert all(widget.title in titles for widget in widgets if "$" not in widget.title)


def test_a_cluster_that_measures_everything_has_no_text_but_headings():
    texts = [widget for found in bodies(EVERYTHING).values() for widget in found["widgets"] if widget["type"] == "text"]
    assert len(texts) == 3
    assert all(text["properties"]["markdown"].startswith(f"# {NAME}") for text in texts)


def test_the_dashboards_have_their_documented_names():
    assert list(bodies(EVERYTHING)) == [f"ParallelCluster-{NAME}{end}" for end in ("", "-Advanced", "-EFA")]


def test_who_wants_none_has_none():
    assert cloudwatch_bodies(spec_of("monitoring: {dashboard: false}"), {}) == {}


def test_an_environment_has_none():
    text = "name: shared\nkind: environment\nregion: us-east-2\nnetwork: {availability_zone: us-east-2a}\n"
    spec = parse(text, "environment.yaml").spec
    assert spec.is_environment
    assert cloudwatch_bodies(spec, {}) == {}


def test_a_cluster_without_efa_has_no_dashboard_of_it():
    assert list(bodies(PARTS["without-gpus"])) == [f"ParallelCluster-{NAME}", f"ParallelCluster-{NAME}-Advanced"]


@pytest.mark.parametrize(("name", "found"), EVERY)
def test_a_body_has_the_documented_structure(name: str, found: dict[str, Any]):
    del name
    jsonschema.validate(found, SCHEMA)


@pytest.mark.parametrize(("name", "found"), EVERY)
def test_widgets_lie_side_by_side_and_not_upon_each_other(name: str, found: dict[str, Any]):
    del name
    taken: set[tuple[int, int]] = set()
    for widget in found["widgets"]:
        columns = range(widget["x"], widget["x"] + widget["width"])
        cells = {(x, y) for x in columns for y in range(widget["y"], widget["y"] + widget["height"])}
        assert columns.stop <= 24
        assert not cells & taken
        taken |= cells


@pytest.mark.parametrize(("name", "found"), EVERY)
def test_every_metric_is_one_that_somebody_sends(name: str, found: dict[str, Any]):
    del name
    assert set(metrics_in(found["widgets"])) - sent(NAME) == set()


def test_all_that_parallelcluster_derives_from_its_events_is_shown():
    shown = {name for namespace, name, _ in metrics_in(body(EVERYTHING)["widgets"]) if namespace == "ParallelCluster"}
    assert shown == {*FOREIGN["ParallelCluster"]["metrics"], *FOREIGN["ParallelCluster"]["dimensions_of"]}


@pytest.mark.parametrize(("name", "found"), EVERY)
def test_mathematics_names_only_metrics_of_its_own_widget(name: str, found: dict[str, Any]):
    del name
    for widget in (widget for widget in found["widgets"] if widget["type"] == "metric"):
        options = [metric[-1] for metric in widget["properties"]["metrics"]]
        known = [option["id"] for option in options if "id" in option]
        assert len(known) == len(set(known))
        for expression in (
            option["expression"] for option in options if "SEARCH" not in option.get("expression", "SEARCH")
        ):
            assert set(re.findall(r"\b[a-z]\w*", expression)) <= set(known)
        assert any(option.get("visible", True) for option in options)


@pytest.mark.parametrize(("name", "found"), EVERY)
def test_no_name_is_left_unfilled(name: str, found: dict[str, Any]):
    del name
    assert not re.search(r"\$(?!\{PROP\()(?!/)", json.dumps(found))


@pytest.mark.parametrize(("name", "found"), EVERY)
def test_a_search_is_no_longer_than_cloudwatch_takes(name: str, found: dict[str, Any]):
    # https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/search-expression-syntax.html
    del name
    assert all(len(one) <= 1024 for one in re.findall(r"SEARCH\('(.*?)', '", json.dumps(found)))


@pytest.mark.parametrize("setting", OF_SETTINGS)
def test_where_a_setting_is_missing_a_text_names_it(setting: str):
    lacking = f"{GPUS.replace(', gpu_health_check: true', '')}monitoring: {{logs: false, alarms: false}}\n"
    part = PARTS["no-logs"] if setting == "logs" else lacking
    texts = [widget["properties"].get("markdown", "") for found in bodies(part).values() for widget in found["widgets"]]
    assert any(OF_SETTINGS[setting] in text for text in texts)


def test_without_logs_nothing_asks_for_a_log_group():
    assert "SOURCE" not in json.dumps(bodies(PARTS["no-logs"]))


def test_without_the_agents_metrics_cpu_is_that_of_ec2():
    explorers = [widget for widget in body(GPUS, "-Advanced")["widgets"] if widget["type"] == "explorer"]
    labels = [{"key": "parallelcluster:cluster-name", "value": NAME}]
    assert [explorer["properties"]["labels"] for explorer in explorers] == [labels, labels]
    assert ("AWS/EC2", "CPUUtilization", frozenset({"InstanceId"})) in set(metrics_in(explorers))


def test_metrics_by_interface_are_searched_by_interface():
    searched = {dimensions for _, _, dimensions in metrics_in(body(PARTS["by-interface"], "-EFA")["widgets"])}
    assert searched == {frozenset({"InstanceId", "Interface"})}


@pytest.mark.parametrize(
    ("part", "bytes_s", "title"),
    [
        # 3,200 Gbit/s of 32 interfaces: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html
        ("everything", 400_000_000_000, "Utilisation, of 3,200 Gbit/s each way of p5.48xlarge"),
        ("by-interface", 12_500_000_000, "Utilisation, of 100 Gbit/s each way of an interface of p5.48xlarge"),
    ],
)
def test_utilisation_is_of_the_line_rate(part: str, bytes_s: int, title: str):
    widgets = body(PARTS[part], "-EFA")["widgets"]
    found = next(widget["properties"] for widget in widgets if widget["properties"].get("title") == title)
    assert found["metrics"][0][0]["expression"].endswith(f") / {bytes_s}")


def test_where_nobody_knows_the_line_rate_there_is_no_utilisation():
    titles = [widget["properties"].get("title", "") for widget in body(PARTS["unknown-type"], "-EFA")["widgets"]]
    assert "Throughput of each node" in titles
    assert not [title for title in titles if title.startswith("Utilisation")]


def test_each_file_system_of_fsx_has_its_own_lines():
    widgets = body(EVERYTHING)["widgets"]
    found = next(
        widget["properties"]["metrics"] for widget in widgets if widget["properties"].get("title") == "Operations, FSx"
    )
    known = ids(spec_of(EVERYTHING))
    asked = [one[3] for one in found if len(one) > 1]
    mounts = [known["FSxLustreFilesystemId"], "fs-0123456789abcdef0", known["OpenZFSFileSystemId"]]
    assert list(dict.fromkeys(asked)) == mounts
    assert [one[0]["label"] for one in found if len(one) == 1][:3] == ["/fsx reads", "/fsx writes", "/fsx metadata"]


@pytest.mark.parametrize(
    ("lustre", "mb_s"),
    [
        ("size_gib: 4800, throughput_mb_s_per_tib: 250", 1200),
        ("size_gib: 2400, deployment: SCRATCH_2", 480),
        ("intelligent_tiering: {throughput_mb_s: 4000}", 4000),
    ],
)
def test_what_was_bought_of_a_file_system_is_a_line_across_what_is_used(lustre: str, mb_s: int):
    widgets = body(f"{GPUS}file_systems: [{{mount: /fsx, lustre: {{{lustre}}}}}]\n", "-Advanced")["widgets"]
    (properties,) = [
        widget["properties"]
        for widget in widgets
        if widget["properties"].get("title") == "FSx, read and written together"
    ]
    label = f"/fsx bought: {mb_s:,} MB/s"
    assert properties["annotations"]["horizontal"] == [{"value": mb_s, "label": label}]


def test_nothing_is_said_of_what_was_bought_of_a_file_system_that_exists():
    of_existing = "file_systems: [{mount: /fsx, lustre: {id: fs-0123456789abcdef0}}]\n"
    widgets = body(f"{GPUS}{of_existing}", "-Advanced")["widgets"]
    shown = [widget["properties"] for widget in widgets if "FSx" in widget["properties"].get("title", "")]
    assert shown
    assert all("annotations" not in properties for properties in shown)


# https://github.com/aws/aws-parallelcluster-cookbook/blob/develop/cookbooks/aws-parallelcluster-environment/files/cloudwatch/cloudwatch_agent_config.json
STREAMS = {
    "clustermgtd", "slurmctld", "slurm_health_check", "slurm_resume", "slurm_suspend", "syslog", "system-messages",
}  # fmt: skip


def test_logs_are_looked_for_in_streams_that_there_are():
    steps = {f"trainyard-{script.stem}" for script in STEP.parent.glob("*.sh")}
    described = [
        widget
        for cloudwatch_dashboard in cloudwatch_dashboards()
        for own in cloudwatch_dashboard.widgets
        for widget in (own, own.instead)
        if widget is not None and widget.kind == "log"
    ]
    asked = {stream for widget in described for stream in widget.stream.split("|")}
    assert asked <= STREAMS | steps


@pytest.mark.parametrize("name", ["ip-10-0-0-7.i-0a1b2c3d4e5f60718.slurm_resume", "ip-10-0-0-7.i-0a1b.slurm_suspend"])
def test_a_stream_is_found_by_the_end_of_its_name(name: str):
    queries = [widget["properties"]["query"] for widget in body(EVERYTHING)["widgets"] if widget["type"] == "log"]
    patterns = [found for query in queries for found in re.findall(r"@logStream like /(.*?)/", query)]
    assert [pattern for pattern in patterns if re.search(pattern, name)] == [f"\\.{name.rpartition('.')[2]}$"]
    assert not [pattern for pattern in patterns if re.search(pattern, f"{name}_events")]


def test_old_versions_of_parallelcluster_have_no_heartbeat():
    # 3.14 has no such metric: templates/cluster_stack.py of https://pypi.org/project/aws-parallelcluster/3.14.2/
    assert "ClustermgtdHeartbeat" not in json.dumps(bodies("parallelcluster: {version: 3.14.2}"))
    assert "ClustermgtdHeartbeat" in json.dumps(bodies("parallelcluster: {version: 3.15.1}"))


@given(spec_texts())
def test_any_spec_gives_bodies_that_cloudwatch_takes(text: str):
    spec = parse(text, "cluster.yaml").spec
    for found in cloudwatch_bodies(spec, ids(spec)).values():
        jsonschema.validate(found, SCHEMA)
        assert set(metrics_in(found["widgets"])) <= sent(spec.name)


def golden_texts(part: str) -> dict[Path, str]:
    """Return what the files of a cluster are to hold."""
    suffixes = {
        cloudwatch_dashboard.suffix: cloudwatch_dashboard.id for cloudwatch_dashboard in cloudwatch_dashboards()
    }
    return {
        GOLDEN / part / f"{suffixes[name.removeprefix(f'ParallelCluster-{NAME}')]}.json": json.dumps(found, indent=1)
        + "\n"
        for name, found in bodies(PARTS[part]).items()
    }


@pytest.mark.parametrize("part", PARTS)
def test_the_bodies_are_the_reviewed_ones(part: str):
    wanted = golden_texts(part)
    assert {file: file.read_text(encoding="utf-8") for file in (GOLDEN / part).iterdir()} == wanted


if __name__ == "__main__":
    for file, text in (one for part in PARTS for one in golden_texts(part).items()):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
