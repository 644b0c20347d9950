"""``trainyard assets``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trainyard.cli import suggestions
from trainyard.cli.output import finding_text, json_option, print_json, print_text, reporter, severity_counts
from trainyard.counts import count_text

if TYPE_CHECKING:
    from trainyard.api.assets import FileLock, LockComparison, LockedAsset


@click.group()
def command() -> None:
    """Lock what nodes install: versions, addresses and checksums.

    \b
    Example:
      trainyard assets lock cluster.yaml
    """


@command.command()
@click.argument("spec", metavar="SPEC", shell_complete=suggestions.files)
@click.option(
    "-o", "--output", metavar="FILE", type=click.Path(path_type=Path), help="Default: assets.lock.json beside SPEC."
)
@click.option("--check", is_flag=True, help="Download and write nothing; say whether the lock has what the spec needs.")
@click.option("--update", metavar="NAME", multiple=True, help="Download NAME anew, such as docker; may be repeated.")
@json_option
def lock(spec: str, output: Path | None, update: tuple[str, ...], *, check: bool, as_json: bool) -> None:
    """Download what the nodes of SPEC install, verify it, and write down what it is.

    Nodes fetch nothing from the internet: `trainyard deploy` uploads the locked files to the bucket, and nodes take a
    file only where its SHA-256 is that of the lock. Keep the lock with the spec.

    Where a publisher has checksums, the download is compared with them. Where he has none, the lock pins what came, and
    verified_by is null. What is locked stays locked, and is downloaded again only where the spec names another version
    or with --update. Downloads that were cut short go on where they stopped.

    \b
    Exit status: 0 fine; 1 the spec has errors, a download failed, or with --check
    the lock is not what the spec needs; 2 SPEC or the lock could not be read.

    \b
    Example:
      trainyard assets lock cluster.yaml
      trainyard assets lock cluster.yaml --update docker --update node-exporter
      trainyard assets lock cluster.yaml --check
    """
    from trainyard.api.assets import check_assets, lock_assets
    from trainyard.edge.asset_cache import AssetCache
    from trainyard.edge.downloads import Downloader

    if check and update:
        raise click.BadParameter("--check downloads nothing, so it cannot update", param_hint="--update")
    if check:
        locked = check_assets(spec, output)
    else:
        locked = lock_assets(spec, output, update=update, cache=AssetCache(downloader=Downloader(reporter())))
    if as_json:
        _print_json(locked, check=check)
    else:
        _print(locked, check=check)
    sys.exit(0 if locked.lock is not None and (not check or locked.comparison.up_to_date) else 1)


def _print(locked: FileLock, *, check: bool) -> None:
    for finding in locked.checked.findings:
        print_text(finding_text(finding), err=True)
    if locked.lock is None:
        print_text(f"nothing was locked: {severity_counts(locked.checked.findings)}", err=True)
        return
    file = locked.file
    if check:
        for line in _differences(locked.comparison):
            print_text(line)
        print_text(f"{file}: {'up to date' if locked.comparison.up_to_date else 'not what the spec needs'}")
        return
    for asset in locked.lock.assets:
        print_text(_line(asset))
    unverified = sum(asset.verified_by is None for asset in locked.lock.assets)
    count = len(locked.lock.assets)
    print_text(f"{file} written: {count_text(count, 'file')}, {unverified} without a published checksum")


def _line(asset: LockedAsset) -> str:
    place = " ".join(part for part in (asset.os, asset.arch) if part) or "all nodes"
    by = "verified" if asset.verified_by else "pinned"
    return f"{asset.name:<25}{asset.version:<12}{place:<20}{asset.size_bytes / 1e6:9,.1f} MB  {by:<9} {asset.file}"


def _differences(comparison: LockComparison) -> list[str]:
    in_part = {gap.asset for gap in comparison.incomplete}
    return [
        *(f"missing: {asset_needed}" for asset_needed in comparison.missing if asset_needed not in in_part),
        *(f"incomplete: {gap}" for gap in comparison.incomplete),
        *(f"another version is locked: {asset_needed}" for asset_needed in comparison.stale),
        *(f"no longer needed: {surplu.file}" for surplu in comparison.surplus),
    ]


def _print_json(locked: FileLock, *, check: bool) -> None:
    assets = [] if locked.lock is None else [asset._asdict() for asset in locked.lock.assets]
    comparison = locked.comparison
    values: dict[str, Any] = {
        "file": str(locked.file),
        "written": not check and locked.lock is not None,
        "up_to_date": locked.lock is not None and (not check or comparison.up_to_date),
        "assets": assets,
        "missing": [asset_needed._asdict() for asset_needed in comparison.missing],
        "incomplete": [{**gap.asset._asdict(), "lacks": list(gap.lacks)} for gap in comparison.incomplete],
        "stale": [asset_needed._asdict() for asset_needed in comparison.stale],
        "surplus": [surplu._asdict() for surplu in comparison.surplus],
        "findings": [finding.as_json() for finding in locked.checked.findings],
    }
    print_json(values)
