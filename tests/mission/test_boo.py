"""What nodes run when they come up."""

from __future__ import annotations

import json
from typing import NamedTuple

from tests.mission.subject import cluster, files, options, page, queue, released, spec
from tests.operate.nodes.planted import COMPUTE, Planted, failed
from trainyard.bootstrap.steps import STEPS
from trainyard.deploy.plan.time_budget import time_budget


def steps(setup: str) -> dict[str, list[str]]:
    plan = json.loads(released("p5en-monitoring", f"software.setup={setup}")["plan.json"])
    return {kind: [step["name"] for step in entry["steps"]] for kind, entry in plan["kinds"].items()}


class Longest(NamedTuple):
    official: int
    baked: int


def most_s(*settings: str) -> Longest:
    """Return how long the plan lets a compute node take at most, with an official image and a baked one."""
    budget = time_budget(spec("p5en-monitoring", *settings))
    assert budget is not None
    (node,) = (node for node in budget.nodes if node.name.startswith("queue/"))
    return Longest(node.official.most_s, node.baked.most_s)


def test_boo_1_one_launcher_starts_every_kind_of_node():
    parts = [cluster("p5en-monitoring")["HeadNode"], queue("p5en-monitoring")]
    scripts = [part["CustomActions"]["OnNodeConfigured"]["Sequence"][0]["Script"] for part in parts]
    assert scripts[0].endswith("/launch.sh")
    assert len({*scripts}) == 1
    assert "LoginNodes" in cluster("p5en-monitoring")


def test_boo_2_setups_differ_as_documented():
    roles = {step.name: step.roles for step in STEPS}
    assert "compute-gpu" in roles["dcgm-exporter"]
    assert "compute-cpu" not in roles["dcgm-exporter"]
    assert {"compute-gpu", "compute-cpu"} <= {*roles["efa"], *roles["docker"]}
    assert "compute-none" not in roles["efa"]


def test_boo_3_ways_to_install_are_compared():
    guide = page("guides/timeouts.md")
    section = guide.split("## Four ways to install")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")][1:]
    assert [row.split("|")[1].strip() for row in rows] == [
        "while the node comes up", "in an image", "on the shared file system", "in a container",
    ]  # fmt: skip
    assert "Risk of a timeout" in section
    # What the table says of each way is what the plan of a spec says that goes it.
    little, installed = most_s(), most_s("software.efa_version=1.48.0")
    assert installed.official > little.official + 300
    assert installed.baked == little.baked < little.official
    shared = most_s("software.nccl={version: 2.28.7-1}")
    (row,) = (row for row in rows if "| on the shared file system |" in row)
    assert f" {shared.official - little.official} s: a look" in row
    assert most_s("software.containers=true", "software.container_images=[nvcr.io#nvidia/pytorch:25.04-py3]") == little


def test_boo_4_nodes_are_looked_at_while_they_come_up():
    planted = Planted()
    planted.come_up()
    assert planted.look().ok
    planted.write(COMPUTE, "failed", steps=[failed("no route to S3", "efa")])
    looked = planted.look()
    assert not looked.ok
    (told,) = (finding for finding in looked.findings if COMPUTE in finding.message)
    assert "efa" in told.message
    assert "no route to S3" in told.message
    assert "--region" in options("nodes", "check") & options("nodes", "watch")


def test_boo_5_the_bundle_says_what_it_holds():
    readme = files("p5en-monitoring")["README.md"]
    for name in ("cluster.yaml", "network.yaml", "architecture.svg"):
        assert f"| `{name}` |" in readme or f"`{name}`" in readme
    assert {"steps/20-efa.sh", "nccl/build-nccl.sh", "plan.json"} <= set(released("p5en-monitoring"))


def test_boo_6_images_are_listed_and_kernels_kept():
    release = released("p5en-monitoring")
    assert "nvcr.io" in release["containers/ngc-images.txt"]
    assert "unattended-upgrades" in release["steps/10-packages.sh"]
    assert "lustre" in release["steps/10-packages.sh"]
