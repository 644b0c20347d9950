"""What tells a sick node from a sound one, one check a file."""
