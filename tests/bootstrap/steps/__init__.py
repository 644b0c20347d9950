"""The steps of a node's bootstrap, run in a real shell on a node that is a folder."""
