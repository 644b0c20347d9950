"""Secrets taken out of what is handed on."""
