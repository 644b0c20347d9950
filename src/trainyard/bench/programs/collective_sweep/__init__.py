"""An all-reduce over growing sizes, with or without GPUs, printed as nccl-tests prints it.

Runs on nodes as ``python3 -m collective_sweep``, one process a rank.
"""
