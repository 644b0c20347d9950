"""A cluster of AWS Batch as logs: what AWS says of its parts, and what only shows when its parts are compared."""
