"""Shells on nodes, and tunnels to them: with which instance, as whom, and by which way."""
