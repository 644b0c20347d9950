"""Looking after clusters that run: what state they are in."""
