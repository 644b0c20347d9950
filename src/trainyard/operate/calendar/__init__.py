"""Everything of a cluster that has a date."""
