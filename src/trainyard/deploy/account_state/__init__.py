"""What the account has of what a spec wants, as several preflights ask for it."""
