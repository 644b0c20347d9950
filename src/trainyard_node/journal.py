"""Says what happens on the node where it outlives the node: in the record, the system log and the cluster's bucket.

Nothing here fails a node, and nothing takes long.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from trainyard_node.atomic_write import write_whole
from trainyard_node.machine import World
from trainyard_node.output import err
from trainyard_node.record import StatusRecord, StepRecord

UPLOAD_S = 8.0
LOG_S = 5.0
# Each upload starts the AWS command line, about a second: not after every short step.
PAUSE_S = 20.0
PAUSE_AFTER_FAILURE_S = 60.0
LINES_OF_A_LOG = 100
# logger(1) cuts messages at 1 KiB unless told otherwise: https://man7.org/linux/man-pages/man1/logger.1.html
LONGEST_LOGGED_BYTES = 1000


class Journal:
    """The record of one run, and where it goes."""

    def __init__(self, record: StatusRecord, folder: str, region: str, world: World) -> None:
        """Go on with a record, which is uploaded to a folder of a bucket in a region."""
        self.record = record
        self._folder, self._region = folder, region
        self._places, self._clock, self._processes = world
        self._began = self._clock.seconds() - record.seconds
        self._next_upload = self._clock.seconds()
        self._disk_works = True

    def changed(self, step: StepRecord | None = None) -> None:
        """Write down a change; upload it where the last upload was long enough ago."""
        self._save()
        self._log(step)
        if self._clock.seconds() >= self._next_upload:
            worked = self._upload_record()
            self._next_upload = self._clock.seconds() + (PAUSE_S if worked else PAUSE_AFTER_FAILURE_S)

    def ended(self) -> None:
        """Write down a change that is followed by the end: the upload is tried twice."""
        self._save()
        self._log(None)
        if not self._upload_record() and not self._upload_record():
            self.warn(f"the record could not be uploaded to {self._folder}: it is in {self._places.record}")

    def keep_log(self, log: Path) -> None:
        """Upload the end of a step's log."""
        text = "\n".join(_last_lines(log)) + "\n"
        self._upload(text, f"/{log.name}")

    def warn(self, text: str) -> None:
        """Say something on standard error."""
        err(text)

    def _save(self) -> None:
        self.record.seconds = round(self._clock.seconds() - self._began, 1)
        try:
            write_whole(self._places.record, self.record.as_text())
            self._disk_works = True
        except OSError as error:
            if self._disk_works:
                self.warn(f"cannot write {self._places.record} ({error.strerror}): going on without it")
            self._disk_works = False

    def _log(self, step: StepRecord | None) -> None:
        """Write a line to the system log, which ParallelCluster's CloudWatch agent collects."""
        record = self.record
        line: dict[str, Any] = {"instance_id": record.instance_id, "role": record.role, "queue": record.queue}
        line["node"] = record.status
        if step is not None:
            line.update(step=step.name, status=step.status, attempts=step.attempts, seconds=step.seconds)
            line["exit_status"] = step.exit_status
        message = record.message if step is None else step.message
        self._processes.run(["logger", "-t", "trainyard", "--", _short(line, message)], LOG_S)

    def _upload_record(self) -> bool:
        return self._upload(self.record.as_text(), ".json")

    def _upload(self, text: str, ending: str) -> bool:
        """Upload a text to the instance's own place, without a file, so that a full disk does not matter.

        A lone - is standard input: https://docs.aws.amazon.com/cli/latest/reference/s3/cp.html
        """
        if self.record.instance_arn is None:
            return False
        place = f"{self._folder}/nodes/{self.record.instance_arn}{ending}"
        limits = ["--cli-connect-timeout", "3", "--cli-read-timeout", "5"]
        command = ["aws", "s3", "cp", "--only-show-errors", "--region", self._region, *limits]
        return self._processes.run([*command, "-", place], UPLOAD_S, text).status == 0


def _short(line: dict[str, Any], message: str) -> str:
    """Return a line that the system log takes whole: JSON that is cut is none."""
    while True:
        text = json.dumps({**line, "message": message})
        if len(text) <= LONGEST_LOGGED_BYTES or not message:
            return text
        message = message[: len(message) // 2]


def _last_lines(log: Path) -> list[str]:
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - 256 * 1024))
            return file.read().decode(errors="replace").splitlines()[-LINES_OF_A_LOG:]
    except OSError as error:
        return [f"(the log cannot be read: {error.strerror})"]
