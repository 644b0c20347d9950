"""Training runs: what their files say, what is wrong with them, and the jobs that they become."""
