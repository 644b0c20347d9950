"""File systems."""

from __future__ import annotations

import json

from tests.mission.subject import cluster, document, findings, page, queue, released, resources, spec

GPU = "distributed-training-gpu"


def root_gib(part) -> int:
    return int((part.get("LocalStorage") or part["ComputeSettings"]["LocalStorage"])["RootVolume"]["Size"])


def test_sto_1_root_volumes_and_apps_have_the_documented_sizes():
    written = cluster(GPU)
    assert (root_gib(written["HeadNode"]), root_gib(written["Scheduling"]["SlurmQueues"][0])) == (200, 200)
    apps = next(storage for storage in written["SharedStorage"] if storage["MountDir"] == "/apps")
    assert apps["EbsSettings"]["Size"] == 200
    assert root_gib(cluster("p5en-monitoring")["HeadNode"]) >= 500
    assert root_gib(queue("p5en-monitoring")) >= 200


def test_sto_2_local_drives_are_one_file_system():
    for name, mount in ((GPU, "/local_scratch"), ("p5en-monitoring", "/scratch")):
        assert queue(name)["ComputeSettings"]["LocalStorage"]["EphemeralVolume"]["MountDir"] == mount


def test_sto_3_the_choice_for_home_has_criteria_and_what_is_offered_checks_clean():
    guide = page("guides/storage.md")
    for words in ("How many people", "What becomes of the files", "What it costs"):
        assert words in guide
    offered = "file_systems=[{mount: /home, openzfs: {size_gib: 512, throughput_mb_s: 640, deployment: SINGLE_AZ_2}}]"
    assert {"error"} & set(findings("p5en-monitoring", offered).values()) == set()
    assert "openzfs: {size_gib: 512, throughput_mb_s: 640, deployment: SINGLE_AZ_2}" in guide


def test_sto_4_lustre_has_its_size_and_folders():
    lustre = spec(GPU).file_systems[-1].lustre
    assert lustre is not None
    assert (lustre.size_gib, (lustre.size_gib or 0) * (lustre.throughput_mb_s_per_tib or 0) // 1000) == (4800, 1200)
    assert findings("p5en-monitoring", "file_systems[0].lustre.size_gib=5000")["lustre-size-does-not-exist"] == "error"
    release = released("p5en-monitoring")
    folders = release["steps/45-shared-layout.sh"]
    assert all(f"#   {name} " in folders for name in ("nccl", "containers", "software", "logs"))
    nodes = json.loads(release["plan.json"])["nodes"]
    assert all("shared-layout" in [step["name"] for step in node["steps"]] for node in nodes.values())
    profile = release["modules-profile.sh"]
    assert "/opt/trainyard/software/modulefiles" in profile
    assert "-ne 0" in profile  # not for root


def test_sto_5_a_bucket_stands_behind_lustre():
    associations = resources(document("p5-observability", "storage.yaml"), "AWS::FSx::DataRepositoryAssociation")
    association, *_ = associations.values()
    assert association["Properties"]["DataRepositoryPath"]
