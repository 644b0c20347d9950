"""Jobs on a cluster: submitted to whatever runs its jobs, followed, and what they wrote fetched."""
