"""Nodes with accelerators start from images that have the driver, which eksctl chooses by a list of its own."""

from __future__ import annotations

from tests.platforms.eks.deployment.cluster import failure, queue, spec_text, statuses


def test_a_type_that_eksctl_does_not_know_stops_the_deployment_before_jobs_find_no_gpu(deploying, programs):
    programs.eksctl.knows_accelerators = False
    results = deploying.deploy()
    assert statuses(results)["ready"] == "failed"
    assert "manifests" not in statuses(results)
    problem, _, hint = failure(results).partition(" | ")
    assert problem == (
        "node group training has images of type AL2023_x86_64_STANDARD, without a driver for g5.xlarge: "
        "eksctl 0.229.0 does not know that type"
    )
    assert "eksctl delete nodegroup --cluster llm --region us-east-2 --name training" in hint


def test_once_the_group_is_gone_a_newer_eksctl_makes_it_right(deploying, programs):
    programs.eksctl.knows_accelerators = False
    deploying.deploy()
    programs.eksctl.knows_accelerators = True
    programs.eksctl.run(["delete", "nodegroup", "--cluster=llm", "--name=training"], None, print)
    assert statuses(deploying.deploy())["manifests"] == "done"


def test_nodes_without_accelerators_need_no_driver(deploying, programs):
    programs.eksctl.knows_accelerators = False
    results = deploying.deploy(spec_text(queue(kind="c5.2xlarge")))
    assert statuses(results)["ready"] == "unchanged"
