"""Whether a cluster is up, and if not, why: what AWS and the bucket say of it, on one screen."""
