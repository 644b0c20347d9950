"""The user's eksctl is told what to make by a file that nobody else can read, and what it says is passed on."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.kubernetes.eks_in_memory import eks_in_memory
from tests.kubernetes.programs import FakePrograms
from tests.rehearsal.eks_clusters import config_for, group
from trainyard.edge.eksctl import OWN_PLUGINS, EksctlRefusedError, eksctl_of
from trainyard.errors import TrainyardError
from trainyard.platforms.eks.readme import CREATE_FLAGS


@pytest.fixture
def programs(tmp_path, monkeypatch):
    with eks_in_memory() as account, FakePrograms.of(tmp_path / "programs", account) as made:
        yield made.on_path(monkeypatch)


@pytest.fixture
def eksctl(programs):
    return eksctl_of(programs.eksctl.account)


@pytest.fixture
def config(programs) -> str:
    made = config_for(programs.eksctl.account, group("training", "p5.48xlarge", 2))
    made["metadata"]["name"] = "llm"
    return yaml.safe_dump(made)


def test_it_says_which_version_it_is(eksctl):
    assert eksctl.program.version == "0.229.0"


def test_a_cluster_is_made_without_touching_a_kubeconfig(programs, eksctl, config):
    told: list[str] = []
    eksctl.create_cluster(config, told.append)
    call = programs.calls[-1]
    assert call.said == (
        "create cluster --write-kubeconfig=false --install-nvidia-plugin=false --install-neuron-plugin=false "
        "--timeout=60m --config-file=FILE --color=false"
    )
    assert list(call.files.values()) == [config]
    assert list(call.modes.values()) == ["0o600"]
    assert not Path(next(iter(call.files)).partition("=")[2]).parent.exists()
    assert call.kubeconfig is None
    assert call.variables["KUBECONFIG"].startswith("/")
    assert 'deploying stack "eksctl-llm-nodegroup-training"' in told
    assert not any(line.startswith("2026") for line in told)


def test_the_readme_of_a_bundle_leaves_out_the_same_plugins():
    assert CREATE_FLAGS == OWN_PLUGINS


def test_node_groups_are_chosen_by_name(programs, eksctl, config):
    eksctl.create_cluster(config, lambda _: None)
    eksctl.delete_node_group(config, "training", lambda _: None, drain=False)
    eksctl.create_node_groups(config, ["training", "other"], lambda _: None)
    deleted, created = programs.said("eksctl")[1:]
    assert deleted == (
        "eksctl delete nodegroup --cluster=llm --region=us-east-2 --name=training --drain=false --wait --timeout=60m "
        "--color=false"
    )
    assert created == (
        "eksctl create nodegroup --include=training,other --install-nvidia-plugin=false "
        "--install-neuron-plugin=false --timeout=60m --config-file=FILE --color=false"
    )


def test_sizes_are_set_with_all_three_numbers(programs, eksctl, config):
    eksctl.create_cluster(config, lambda _: None)
    eksctl.scale_node_group(config, "training", (1, 3, 8), lambda _: None)
    assert programs.said("eksctl")[-1] == (
        "eksctl scale nodegroup --cluster=llm --region=us-east-2 --name=training --nodes-min=1 --nodes=3 --nodes-max=8 "
        "--color=false"
    )


@pytest.mark.parametrize(
    ("how", "flags"),
    [
        ({}, ""),
        ({"evict": False}, " --disable-nodegroup-eviction"),
        ({"evict": False, "force": True}, " --disable-nodegroup-eviction --force"),
    ],
)
def test_a_deletion_waits_until_everything_is_gone(programs, eksctl, config, how, flags):
    eksctl.create_cluster(config, lambda _: None)
    eksctl.delete_cluster("llm", "us-east-2", lambda _: None, **how)
    assert programs.said("eksctl")[-1] == (
        f"eksctl delete cluster --name=llm --region=us-east-2 --wait --timeout=60m{flags} --color=false"
    )


def test_a_failure_is_told_in_the_words_of_eksctl(programs, eksctl, config):
    programs.eksctl.fails_at = ("nodegroup-training", "no capacity for p5.48xlarge")
    with pytest.raises(
        EksctlRefusedError, match=r'eksctl create cluster failed: "no capacity for p5.48xlarge"'
    ) as raised:
        eksctl.create_cluster(config, lambda _: None)
    assert raised.value.hint


def test_a_killed_eksctl_is_an_error_that_says_how_far_it_came(programs, eksctl, config):
    programs.eksctl.dies_after = 1
    said = 'eksctl create cluster failed: it was ended by SIGKILL; the last that it said: "deploying stack'
    with pytest.raises(EksctlRefusedError, match=said):
        eksctl.create_cluster(config, lambda _: None)


def test_of_a_crash_the_line_is_told_that_says_why(programs, eksctl, config):
    programs.eksctl.crashes_after = 1
    with pytest.raises(EksctlRefusedError, match='failed: "panic: runtime error: invalid memory address'):
        eksctl.create_cluster(config, lambda _: None)


def test_it_is_asked_for_its_version_once(programs, eksctl):
    del eksctl
    eksctl_of(programs.eksctl.account)
    assert [call.words[0] for call in programs.calls] == ["version"]


def test_a_missing_eksctl_says_where_to_get_it(programs):
    programs.remove("eksctl")
    with pytest.raises(TrainyardError, match="no program eksctl") as raised:
        eksctl_of(programs.eksctl.account)
    assert "https://docs.aws.amazon.com" in str(raised.value.hint)


@pytest.mark.parametrize("version", ["", "latest", "0.1"])
def test_an_eksctl_that_is_something_else_is_refused(programs, version):
    programs.eksctl.version = version
    with pytest.raises(TrainyardError, match="does not say which version"):
        eksctl_of(programs.eksctl.account)


@pytest.mark.parametrize(("other", "older"), [("0.230.0", True), ("0.229.0", False), ("0.99.9", False)])
def test_versions_are_compared_by_their_numbers(eksctl, other, older):
    assert eksctl.program.is_older_than(other) is older
