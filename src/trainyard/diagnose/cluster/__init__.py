"""The logs of a cluster in an account, the most telling ones first, until the root cause is certain."""
