"""MPIJobs of Kubernetes as bandwidth tests: how they are, which nodes fit, what holds pods up, and their logs."""
