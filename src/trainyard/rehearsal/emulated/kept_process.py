"""What the process of a kept rehearsal does beside answering: it writes down that it is there, and ends in time."""

from __future__ import annotations

import os
import shutil
import threading
import time
from pathlib import Path

from trainyard.rehearsal.emulated.key_check import KeyCheck
from trainyard.rehearsal.kept_record import KeptRecord, read_record, write_record

_EVERY_S = 2.0
_LONGEST_SILENCE_S = 24 * 3600.0


def stay_kept(folder: Path, port: int) -> None:
    """Write the record of this process into the folder, and from now on end it when nobody needs it any more.

    Raises OSError where the record cannot be written.
    """
    record = KeptRecord.of_this_process(port)
    write_record(folder, record)
    threading.Thread(target=_end_in_time, args=(folder, record), daemon=True).start()


def _end_in_time(folder: Path, record: KeptRecord) -> None:
    """End when the folder is gone or another's, or after a day without a call; then the folder goes too."""
    while read_record(folder) == record:
        if time.monotonic() - KeyCheck.last_call_s > _LONGEST_SILENCE_S:
            shutil.rmtree(folder, ignore_errors=True)
            break
        time.sleep(_EVERY_S)
    os._exit(0)
