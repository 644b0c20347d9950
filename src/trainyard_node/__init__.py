"""What runs on the nodes: how they come up, what is installed on them, and what they say about it.

Standard library and the libraries in `_vendor` only, Python 3.9 syntax, and nothing of trainyard, which nodes do not
have. `trainyard.bootstrap.pyz` makes one file of it, trainyard-node.pyz.
"""
