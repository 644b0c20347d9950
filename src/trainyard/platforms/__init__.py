"""Platforms: one folder each, with the same inner names. They do not know each other."""
