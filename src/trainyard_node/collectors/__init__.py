"""Empty: what is measured on a node, one collector a file."""
