"""Programs that jobs run on compute nodes, where trainyard is not: the standard library of Python 3.9, and torch."""
