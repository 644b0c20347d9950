"""Explaining ids."""

from trainyard.checking.explanation import Explanation, explain_id, explanations

__all__ = ["Explanation", "explain_id", "explanations"]
