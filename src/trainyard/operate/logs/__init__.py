"""The logs of a cluster in CloudWatch: which there are, what is in them, as it comes, and all of it as an archive."""
