"""The nodes of a cluster: what they wrote about their bootstrap, against what EC2 says and what the spec wants."""
