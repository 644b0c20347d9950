"""Programs that pods run, where trainyard is not: the standard library, and torch."""
