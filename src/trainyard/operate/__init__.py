"""Operating a running cluster: status, connect, logs, nodes. Nothing here yet but its place."""
