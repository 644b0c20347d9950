"""Turns a spec into the files of its platform. Pure: the same spec and outputs give the same documents."""
