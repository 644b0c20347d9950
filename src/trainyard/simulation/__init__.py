"""What the exporters of a cluster's nodes would say over time: pure, and the same for the same seed.

A node is given by its instance type, what it does and when, and what ails it and when. Each of its series is a curve,
which has a value at any time, past or to come: to be written as samples of hours, or to be served as it is now.
"""

from __future__ import annotations
