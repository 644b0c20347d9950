"""Texts of others to test against, which lie beside a working copy and must not be copied into it."""

from __future__ import annotations

from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "shared"
EKSCTL_SCHEMA = FOLDER / "schemas" / "eksctl-v1alpha5.schema.json"
PUBLISHED_CONFIGS = FOLDER / "corpus" / "config"
BATCH_DOCUMENT = FOLDER / "seeds" / "aws-batch-architecture.md"


def needs(oracle: Path) -> pytest.MarkDecorator:
    """Skip where it is not there: a clone alone has none of them."""
    place = oracle.relative_to(FOLDER.parent)
    return pytest.mark.skipif(not oracle.exists(), reason=f"oracle: {place} lies beside a working copy and not in it")
