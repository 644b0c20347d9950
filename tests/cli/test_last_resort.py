"""What commands raise in the end: errors of the world in words, and bugs as they are."""

from __future__ import annotations

import errno

import pytest
from botocore.exceptions import EndpointConnectionError

from trainyard.cli import main


def status_of(error: Exception, monkeypatch: pytest.MonkeyPatch) -> int:
    """Run a command that fails like this in the middle of its work."""

    def fail(*_arguments: object, **_named: object) -> None:
        raise error

    monkeypatch.setattr("trainyard.api.status.status", fail)
    monkeypatch.setattr("sys.argv", ["trainyard", "status", "llm", "--region", "us-east-2"])
    return main()


def test_a_full_disk_is_an_error_that_says_what_to_do(monkeypatch, capsys):
    assert status_of(OSError(errno.ENOSPC, "No space left on device", "/tmp/cluster.yaml"), monkeypatch) == 1
    assert "/tmp/cluster.yaml: error: no space left on the disk; free some space" in capsys.readouterr().err


def test_a_network_that_goes_away_is_an_error_that_says_so(monkeypatch, capsys):
    assert status_of(EndpointConnectionError(endpoint_url="https://sts"), monkeypatch) == 1
    assert "AWS does not answer" in capsys.readouterr().err


def test_a_bug_keeps_its_traceback(monkeypatch):
    with pytest.raises(ZeroDivisionError):
        status_of(ZeroDivisionError(), monkeypatch)
    with pytest.raises(PermissionError):
        status_of(PermissionError(errno.EACCES, "Permission denied"), monkeypatch)
