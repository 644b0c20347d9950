"""Why something failed: readers of logs, signatures, reasoning. Nothing here yet but its place."""
