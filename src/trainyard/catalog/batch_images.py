"""What the image lacks that AWS Batch picks by itself for instances with NVIDIA GPUs."""

from __future__ import annotations

from functools import cache

from trainyard.catalog import catalog_file
from trainyard.catalog.source import merge_facts

_PATH = catalog_file.FOLDER / "batch_images.yaml"


@cache
def families_without_driver() -> tuple[str, ...]:
    """Return the families of instance types with GPUs that its driver does not know."""
    return tuple(
        merge_facts(catalog_file.content(_PATH)["facts"], "catalog/batch_images.yaml")["families_without_driver"]
    )
