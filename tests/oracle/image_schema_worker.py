"""Loads configurations of images with ParallelCluster's own schema. Run by the Python of its environment.

Standard input: a JSON list of texts. Standard output: a JSON list with what is wrong with each, null where nothing is.
Python 3.9 syntax.
"""

from __future__ import annotations

import json
import os
import sys


def wrong(text: str) -> str | None:
    """Return what is wrong with a configuration."""
    # Only the environment of pcluster has these.
    from marshmallow import ValidationError  # type: ignore[import-not-found]  # noqa: PLC0415
    from pcluster.models.common import parse_config  # type: ignore[import-not-found]  # noqa: PLC0415
    from pcluster.schemas.imagebuilder_schema import (  # type: ignore[import-not-found]  # noqa: PLC0415
        ImageBuilderSchema,
    )

    try:
        ImageBuilderSchema().load(parse_config(text))
    except ValidationError as error:
        return json.dumps(error.messages, sort_keys=True)
    return None


if __name__ == "__main__":
    os.environ["AWS_DEFAULT_REGION"] = "us-east-2"
    json.dump([wrong(text) for text in json.load(sys.stdin)], sys.stdout)
