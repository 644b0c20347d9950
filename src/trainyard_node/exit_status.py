"""What the exit statuses of steps and of `asset` mean. common.sh has the same, docs/bootstrap.md explains them."""

from __future__ import annotations

DONE = 0
FAILED = 1
SETTING = 64
DAMAGED = 65
HARDWARE = 66
UNREACHABLE = 69
NO_SPACE = 73
LATER = 75
