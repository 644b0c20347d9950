"""``trainyard versions suggest``."""

from __future__ import annotations

import json


def test_names_are_completed_and_versions_kept(trainyard):
    ran = trainyard("versions", "suggest", "nccl", "fabric-manager", "driver=580.126.20", "kernel")
    assert ran.status == 0
    assert "NVIDIA driver          580.126.20                 the command line\n" in ran.out
    assert "NVIDIA Fabric Manager  580.126.20" in ran.out
    assert "Linux kernel           unknown: this trainyard knows no version of it\n" in ran.out


def test_without_names_the_usual_ones_are_chosen(trainyard):
    printed = json.loads(trainyard("versions", "suggest", "--on", "p5.48xlarge", "--json").out)
    assert list(printed["versions"]) == ["efa-installer", "nvidia-driver", "cuda", "aws-ofi-nccl", "nccl"]
    assert printed["incompatible"] == printed["excluded"] == printed["unknown"] == []
    more = json.loads(trainyard("versions", "suggest", "pcluster=3.16.3", "k8s=1.35", "--json").out)
    assert {"slurm", "efa-device-plugin", "nvidia-device-plugin"} <= set(more["versions"])
    assert more["versions"]["slurm"] == {
        "version": "from 25.11.8 to a later one", "from": "the images of ParallelCluster 3.16.3"
    }  # fmt: skip


def test_where_no_set_is_left_the_cases_are_named(trainyard):
    ran = trainyard("versions", "suggest", "driver", "pcluster=3.16.3", "--on", "p6e-gb200.36xlarge")
    assert ran.status == 1
    assert "no set of known versions is left, because\n" in ran.out
    assert "  ParallelCluster 3.16.3 brings NVIDIA driver 595.112.07\n" in ran.out


def test_a_mistyped_name_is_told_what_was_meant(trainyard):
    ran = trainyard("versions", "suggest", "ncll=2.28.9")
    assert (ran.status, ran.out) == (2, "")
    assert "did you mean nccl?" in ran.err
