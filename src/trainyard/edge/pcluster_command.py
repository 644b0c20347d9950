"""The real ParallelCluster's command line, on an account: creates, describes, updates and deletes clusters.

The interface, for those who deploy::

    with Pcluster(environment(version, report), account) as pcluster:
        verdict = pcluster.dry_run("llm", config_text)      # Verdict(accepted, problem, messages, changes)
        pcluster.create("llm", config_text, rollback=False) # or PclusterRefusedError, which carries the messages
        cluster = pcluster.describe("llm")                  # None once it is gone; clusterStatus, headNode, …
        pcluster.update("llm", config_text)
        pcluster.delete("llm")                              # returns at once, like create: follow with describe

Answers are pcluster's own, as documented in its API. One process is kept for all commands of a ``Pcluster``; it starts
with the first and ends with ``close``. A ``Pcluster`` runs one command at a time, also when threads share it.
"""

from __future__ import annotations

import errno
import hashlib
import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from trainyard.edge.aws.account import Account, program_variables
from trainyard.edge.pcluster_answers import ClassifiedChange, Verdict, classified_change, verdict_of
from trainyard.edge.pcluster_environment import PclusterEnvironment
from trainyard.edge.pcluster_process import PclusterProcess
from trainyard.edge.temporary_disk import refuse_full_disk
from trainyard.errors import TrainyardError
from trainyard.foreign_text import quoted

# Validators ask AWS about every instance type and subnet, and uploads take their time.
_CHANGE_TIMEOUT_S = 900.0
_LOOK_TIMEOUT_S = 180.0
_LONGEST = 1000


class PclusterRefusedError(TrainyardError):
    """ParallelCluster would not do it. ``verdict`` has its messages."""

    def __init__(self, verdict: Verdict, *, where: str) -> None:
        """Put the first error into the words of the error itself."""
        errors = [message for message in verdict.messages if message.level == "ERROR"]
        unchangeable = [change for change in verdict.changes if change.problem]
        details = [error.message for error in errors] + [
            f"{change.parameter}: {change.problem}" for change in unchangeable
        ]
        more = f" (and {len(details) - 1} more)" if len(details) > 1 else ""
        reason = f"{verdict.problem.rstrip('.:')}: {details[0]}{more}" if details else verdict.problem
        super().__init__(
            f"ParallelCluster refuses: {quoted(reason, _LONGEST)}", where=where, hint="change the spec and try again"
        )
        self.verdict = verdict


class Pcluster:
    """One version of ParallelCluster on one account. Close it, or use it in a ``with``."""

    def __init__(self, environment: PclusterEnvironment, account: Account, *, log: Path | None = None) -> None:
        """Take the environment and the account. ``log`` is the file that pcluster writes; by default it is not kept."""
        self._made = environment
        self._account = account
        self._folder = tempfile.TemporaryDirectory(prefix="trainyard-pcluster-", ignore_cleanup_errors=True)
        self.log = log or Path(self._folder.name) / "pcluster.log"
        # What jsii unpacks goes with the folder, although the process is killed.
        variables = {**_variables(environment, account, self.log), "TMPDIR": self._folder.name}
        self._process = PclusterProcess(environment, variables)

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the process."""
        self.close()

    def close(self) -> None:
        """End the process, and a command that it is running."""
        self._process.close()
        self._folder.cleanup()

    def start(self) -> None:
        """Start the process now, so that the first command need not wait for it."""
        self._process.start()

    def dry_run(self, name: str, config_text: str, *, update: bool = False) -> Verdict:
        """Let every validator look at a config, for a new cluster or for one that exists. Makes nothing."""
        status, answer = self._with_config(
            name, config_text, f"{'update' if update else 'create'}-cluster", "--dryrun", "true"
        )
        return verdict_of(status, answer)

    def classify(self, name: str, config_text: str) -> tuple[ClassifiedChange, ...]:
        """Return what a config changes of a cluster, by the update policies. Asks no validator, and makes nothing."""
        answer = self._succeeded("classify-update", *self._with_config(name, config_text, "classify-update"))
        return tuple(classified_change(change) for change in answer["changes"])

    def create(self, name: str, config_text: str, *, rollback: bool = False) -> dict[str, Any]:
        """Begin to create a cluster. Without ``rollback`` a failed one stays, to be looked at and then deleted.

        https://docs.aws.amazon.com/parallelcluster/latest/ug/pcluster.create-cluster-v3.html
        """
        return self._changed(name, config_text, "create-cluster", "--rollback-on-failure", str(rollback).lower())

    def update(self, name: str, config_text: str, *, force: bool = False) -> dict[str, Any]:
        """Begin to update a cluster. ``force`` leaves out the check of whether nodes have to be stopped first."""
        return self._changed(name, config_text, "update-cluster", "--force-update", str(force).lower())

    def delete(self, name: str) -> dict[str, Any] | None:
        """Begin to delete a cluster; None where there is none."""
        return self._found("delete-cluster", name, timeout_s=_CHANGE_TIMEOUT_S)

    def describe(self, name: str) -> dict[str, Any] | None:
        """Describe a cluster; None where there is none, or none any more."""
        return self._found("describe-cluster", name)

    def clusters(self) -> list[dict[str, Any]]:
        """Return the clusters of the region."""
        return self._pages("clusters", "list-clusters")

    def instances(self, name: str) -> list[dict[str, Any]]:
        """Return the instances of a cluster."""
        return self._pages("instances", "describe-cluster-instances", *_named(name))

    def stack_events(self, name: str) -> list[dict[str, Any]]:
        """Return what happened to the resources of a cluster, the latest first."""
        return self._pages("events", "get-cluster-stack-events", *_named(name))

    def log_streams(self, name: str) -> list[dict[str, Any]]:
        """Return the log streams of a cluster."""
        return self._pages("logStreams", "list-cluster-log-streams", *_named(name))

    def export_logs(
        self, name: str, bucket: str | None, file: Path, since: datetime | None = None, until: datetime | None = None
    ) -> None:
        """Write an archive of a cluster's logs. They go through a bucket, which must let CloudWatch Logs write.

        Without a bucket through ParallelCluster's own, which does.
        """
        times = [("--start-time", since), ("--end-time", until)]
        where = ["--bucket", bucket] if bucket is not None else []
        where += ["--output-file", str(file)]
        where += [word for option, at in times if at for word in (option, f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}")]
        self._done("export-cluster-logs", *_named(name), *where, timeout_s=_CHANGE_TIMEOUT_S)

    def fleet(self, name: str) -> dict[str, Any]:
        """Return the status of a cluster's compute fleet."""
        return self._done("describe-compute-fleet", *_named(name))

    def set_fleet(self, name: str, status: Literal["START_REQUESTED", "STOP_REQUESTED"]) -> dict[str, Any]:
        """Start or stop a cluster's compute fleet.

        The status is written on condition that nobody else has: where the answer to that was lost, ParallelCluster's
        own second try takes the first one for somebody else's: pcluster/models/compute_fleet_status_manager.py.
        """
        words = ("update-compute-fleet", *_named(name), "--status", status)
        for is_last in (False, False, True):
            ended, answer = self._ask(*words, timeout_s=_LOOK_TIMEOUT_S)
            if not ended or is_last or _CONCURRENT not in str(answer.get("message")):
                break
            fleet = self.fleet(name)
            if fleet.get("status") in _ON_THE_WAY[status]:
                return fleet
        return self._succeeded("update-compute-fleet", ended, answer)

    def _changed(self, name: str, config_text: str, command: str, *options: str) -> dict[str, Any]:
        status, answer = self._with_config(name, config_text, command, *options)
        if status:
            raise PclusterRefusedError(verdict_of(status, answer), where=name)
        return answer

    def _with_config(self, name: str, config_text: str, command: str, *options: str) -> tuple[int, dict[str, Any]]:
        file = Path(self._folder.name) / "cluster.yaml"
        file.write_text(config_text, encoding="utf-8")
        arguments = [*_named(name), "--cluster-configuration", str(file), *options]
        return self._ask(command, *arguments, timeout_s=_CHANGE_TIMEOUT_S)

    def _found(self, command: str, name: str, timeout_s: float = _LOOK_TIMEOUT_S) -> dict[str, Any] | None:
        status, answer = self._ask(command, *_named(name), timeout_s=timeout_s)
        if status and "does not exist" in str(answer.get("message")):
            return None
        return self._succeeded(command, status, answer)

    def _pages(self, key: str, command: str, *arguments: str) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = []
        token: list[str] = []
        while True:
            answer = self._done(command, *arguments, *token)
            items += answer.get(key, [])
            if not answer.get("nextToken"):
                return items
            token = ["--next-token", answer["nextToken"]]

    def _done(self, command: str, *arguments: str, timeout_s: float = _LOOK_TIMEOUT_S) -> dict[str, Any]:
        return self._succeeded(command, *self._ask(command, *arguments, timeout_s=timeout_s))

    def _succeeded(self, command: str, status: int, answer: dict[str, Any]) -> dict[str, Any]:
        if status:
            raise TrainyardError(
                f"pcluster {command} failed: {answer.get('message') or f'it ended with status {status}'}",
                where=str(self.log) if self.log.exists() else None,
                hint="if it may pass, try again; the log of pcluster says more",
            )
        return answer

    def _ask(self, command: str, *arguments: str, timeout_s: float) -> tuple[int, dict[str, Any]]:
        status, answer = self._process.ask([command, "--region", self._account.region, *arguments], timeout_s)
        if status and (not answer.get("message") or os.strerror(errno.ENOSPC) in str(answer)):
            refuse_full_disk(f"pcluster {command}")
        return status, answer


def artifact_bucket(account_id: str, region: str) -> str:
    """Return the name of the bucket that pcluster makes for itself, one for all clusters of a region, and leaves.

    The form of the name: get_bucket_name in pcluster/models/s3_bucket.py.
    """
    digest = hashlib.sha256(f"{account_id}{region}".encode()).hexdigest()[:16]
    return f"parallelcluster-{digest}-v1-do-not-delete"


_CONCURRENT = "due to a concurrent update of the status"
_ON_THE_WAY = {
    "START_REQUESTED": ("START_REQUESTED", "STARTING", "RUNNING"),
    "STOP_REQUESTED": ("STOP_REQUESTED", "STOPPING", "STOPPED"),
}


def _named(name: str) -> list[str]:
    return ["--cluster-name", name]


def _variables(environment: PclusterEnvironment, account: Account, log: Path) -> dict[str, str]:
    """Return the environment of the process.

    PCLUSTER_LOG_FILE is read in pcluster/utils.py; without it pcluster writes to the home folder. The others are read
    in packages/@jsii/kernel/src/tar-cache/default-cache-root.ts and kernel.ts of https://github.com/aws/jsii; without
    them each synthesis unpacks the packages of the CDK, 64 MB, anew.
    """
    variables = program_variables(account)
    variables.pop("PCLUSTER_LOG_TO_STDOUT", None)
    return {
        **variables,
        "PATH": os.pathsep.join([str(environment.node_folder), os.environ.get("PATH", os.defpath)]),
        "PCLUSTER_LOG_FILE": str(log),
        "JSII_RUNTIME_PACKAGE_CACHE": "enabled",
        "JSII_RUNTIME_PACKAGE_CACHE_ROOT": str(environment.folder / "jsii-packages"),
    }
