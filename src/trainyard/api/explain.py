"""Explaining ids."""

from trainyard.checking.explanation import Explanation, explain, explanations

__all__ = ["Explanation", "explain", "explanations"]
