"""What runs on the nodes: standard library only, Python 3.9 syntax, no trainyard. Nothing here yet but its place."""
