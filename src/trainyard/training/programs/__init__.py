"""What runs within the jobs of a training run, on nodes that do not have trainyard."""
