"""NCCL benchmarks: parsing, judging and plotting results. Nothing here yet but its place."""
