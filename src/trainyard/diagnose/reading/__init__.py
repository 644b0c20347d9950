"""Logs one after another, wherever they lie: a file, a folder, an archive, standard input."""

from trainyard.diagnose.log_file import UnreadList
from trainyard.diagnose.reading.source import LogSource, log_files
from trainyard.edge.archive_limits import LIMITS, ArchiveLimits

__all__ = ["LIMITS", "ArchiveLimits", "LogSource", "UnreadList", "log_files"]
