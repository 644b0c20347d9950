"""What a spec launches: every kind of instance with its types, counts, capacity and hardware, resolved once."""
