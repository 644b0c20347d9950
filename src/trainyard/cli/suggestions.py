"""What a shell completes besides commands and options: files, architectures, instance types and ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from click import Context, Parameter
    from click.shell_completion import CompletionItem


def files(_context: Context, _parameter: Parameter, incomplete: str) -> list[CompletionItem]:
    """Leave files to the shell."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def architectures(_context: Context, _parameter: Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the reference architectures."""
    from trainyard.api.architectures import reference_architectures

    return _beginning_with(
        incomplete, ((architecture.name, architecture.summary) for architecture in reference_architectures())
    )


def instance_types(_context: Context, _parameter: Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the instance types that anything is known about."""
    from trainyard.catalog.instances import names

    return _beginning_with(incomplete, ((name, None) for name in names()))


def ids(_context: Context, _parameter: Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the ids that can be explained."""
    from trainyard.api.explain import explanations

    return _beginning_with(incomplete, ((explanation.id, explanation.title) for explanation in explanations()))


def batch_jobs(_context: Context, _parameter: Parameter, incomplete: str) -> list[CompletionItem]:
    """Return what the job definitions of a cluster of AWS Batch run."""
    from trainyard.platforms.batch.rendering.names import OUTPUTS

    return _beginning_with(incomplete, ((name, None) for name in OUTPUTS))


def _beginning_with(incomplete: str, candidates: Iterable[tuple[str, str | None]]) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem  # every command imports this module

    return [CompletionItem(name, help=words) for name, words in candidates if name.startswith(incomplete)]
