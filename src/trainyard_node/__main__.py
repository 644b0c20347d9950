"""`python -m trainyard_node`."""

from __future__ import annotations

import sys

from trainyard_node.cli import main

sys.exit(main())
