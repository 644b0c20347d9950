"""Which lines of logs signatures find: blocks of many lines first, and single lines only where something is."""

from trainyard.diagnose.scanning.result import Progress, Scan, Seen
from trainyard.diagnose.scanning.scan import scan

__all__ = ["Progress", "Scan", "Seen", "scan"]
