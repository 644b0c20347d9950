"""Kubernetes, as the user's own kubectl sees it."""
