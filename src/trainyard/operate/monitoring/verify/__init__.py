"""Whether a cluster's metrics arrive, whole and where they are looked for. One subject a file, in checks.py's order."""
