"""What a cluster measures: shown, and verified."""
