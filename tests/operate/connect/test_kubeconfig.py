"""A context in the user's kubeconfig, on demand."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.operate.eks_cluster import ARN, EksCluster, described_cluster
from trainyard.errors import TrainyardError
from trainyard.operate.connect.kubeconfig import write_kubeconfig

WELL = EksCluster()


def test_the_context_is_added_once_and_leads_to_the_cluster(tmp_path: Path):
    file = tmp_path / "config"
    first = write_kubeconfig(WELL.account(), "llm", file)
    assert (first.file, first.context, first.added) == (file, ARN, True)
    written = yaml.safe_load(file.read_text())
    assert written["clusters"][0]["cluster"]["server"] == "https://abc.gr7.us-east-2.eks.amazonaws.com"
    assert not written["current-context"]
    assert not write_kubeconfig(WELL.account(), "llm", file).added


def test_without_a_file_it_is_the_one_that_kubectl_would_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("KUBECONFIG", f"{tmp_path / 'first'}:{tmp_path / 'second'}")
    assert write_kubeconfig(WELL.account(), "llm", None).file == tmp_path / "first"


@pytest.mark.parametrize(
    ("of", "said"),
    [
        (WELL.but(cluster=None), "there is no EKS cluster llm in us-east-2"),
        (
            WELL.but(cluster=described_cluster(status="CREATING", endpoint="")),
            "llm is CREATING and has no endpoint yet",
        ),
    ],
    ids=["no cluster", "no endpoint"],
)
def test_what_cannot_be_reached_gets_no_context(tmp_path: Path, of: EksCluster, said: str):
    with pytest.raises(TrainyardError, match=said):
        write_kubeconfig(of.account(), "llm", tmp_path / "config")
    assert not (tmp_path / "config").exists()
