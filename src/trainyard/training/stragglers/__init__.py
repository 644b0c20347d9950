"""What makes a run slow: which rank, GPU, node or stage, and what the run would gain without it."""
