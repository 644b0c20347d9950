"""Checking: runs rules and outside validators over files, and turns their paths into lines."""
