from __future__ import annotations

import pytest

from trainyard.edge.pcluster import ClusterConfig, Complaint, PclusterEnvironment, schema_complaints
from trainyard.errors import TrainyardError

CONFIG = ClusterConfig("Region: us-east-2", "llm", "us-east-2")


@pytest.fixture
def environment_with(tmp_path):
    """Return an environment whose Python is this shell script."""

    def make(script):
        made = PclusterEnvironment("3.16.1", tmp_path)
        made.bin_folder.mkdir()
        made.python.write_text(f"#!/bin/sh\n{script}\n")
        made.python.chmod(0o755)
        return made

    return make


def test_the_worker_is_asked_in_isolation_and_without_credentials(environment_with, tmp_path, monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
    script = f'cat > "{tmp_path}/asked"; env > "{tmp_path}/variables"; echo "$*" > "{tmp_path}/arguments"; echo "[[]]"'
    assert schema_complaints(environment_with(script), [CONFIG]) == [()]
    assert (tmp_path / "asked").read_text() == (
        '[{"text": "Region: us-east-2", "cluster_name": "llm", "region": "us-east-2"}]'
    )
    assert (tmp_path / "arguments").read_text().startswith("-I -X utf8 ")
    variables = (tmp_path / "variables").read_text()
    assert "AWS_EC2_METADATA_DISABLED=true" in variables
    assert "AKIA" not in variables


def test_complaints_come_sorted_by_path(environment_with):
    answer = """[[
      {"path": ["B", 10], "message": "later"}, {"path": ["B", 2], "message": "earlier"},
      {"path": ["B", "C"], "message": "a key"}, {"path": [], "message": "the whole"}
    ]]"""
    (complaints,) = schema_complaints(environment_with(f"cat > /dev/null; echo '{answer}'"), [CONFIG])
    assert complaints == (
        Complaint((), "the whole"),
        Complaint(("B", 2), "earlier"),
        Complaint(("B", 10), "later"),
        Complaint(("B", "C"), "a key"),
    )


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        pytest.param("exec tail -f /dev/null", "it did not answer within 0 s", id="it hangs"),
        pytest.param("echo 'ImportError: no pcluster' >&2; exit 1", "ImportError: no pcluster", id="it is damaged"),
    ],
)
def test_an_environment_that_does_not_answer_is_named(environment_with, script, reason):
    made = environment_with(script)
    with pytest.raises(TrainyardError) as raised:
        schema_complaints(made, [], timeout_s=0.3)
    assert raised.value.problem == f"ParallelCluster 3.16.1 could not be asked: {reason}"
    assert raised.value.where == str(made.folder)
    assert raised.value.hint == "remove this folder; it is made anew on the next use"
