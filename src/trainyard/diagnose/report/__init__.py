"""A diagnosis on a page: what is shown in a terminal is made in cli, from the same values."""
