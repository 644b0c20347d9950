"""NCCL benchmarks: results, parsed and judged."""
