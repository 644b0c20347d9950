"""eksctl may take a newer build of an add-on than the one that is named, and each deployment has to come to an end."""

from __future__ import annotations


def test_a_newer_build_that_eksctl_took_is_left_alone(deploying, programs):
    deploying.deploy()
    programs.calls.clear()
    programs.eksctl.clusters["llm"].addons["coredns"]["addonVersion"] += "7"
    deploying.deploy()
    assert [one for one in programs.said("eksctl") if " addon " in one] == []


def test_another_build_is_brought_to_the_one_that_is_named(deploying, programs):
    deploying.deploy()
    programs.calls.clear()
    programs.eksctl.clusters["llm"].addons["coredns"]["addonVersion"] = "v1.0.0-eksbuild.1"
    deploying.deploy()
    assert [" ".join(one.split()[1:3]) for one in programs.said("eksctl")] == ["update addon"]
