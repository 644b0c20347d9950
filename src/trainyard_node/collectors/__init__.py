"""What is read for Prometheus, one subject a file, with its metrics as data beside it."""
