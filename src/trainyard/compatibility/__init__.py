"""Whether versions of drivers, libraries and plugins go together, and which complete a set of them."""
