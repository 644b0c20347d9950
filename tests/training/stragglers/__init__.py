"""What makes runs slow."""
