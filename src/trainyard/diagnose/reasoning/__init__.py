"""From lines that signatures found to causes: what explains what, which comes first, and how sure that is.

How it decides stands in docs/diagnose.md, and its numbers in link_weights.yaml.
"""
