"""``trainyard monitor digest``."""

from __future__ import annotations

from pathlib import Path

import click

from trainyard.cli.options import account_options, cluster_argument
from trainyard.cli.output import json_option, print_json, print_lines, print_text, reporter

_MOST_DAYS = 92


@click.command()
@cluster_argument(required=False)
@click.option("--prometheus", metavar="URL", help="Where Prometheus answers: a forwarded port, or a workspace of AMP.")
@account_options
@click.option(
    "--days", type=click.IntRange(1, _MOST_DAYS), default=7, show_default=True, help="How many days it is about."
)
@click.option("-o", "--output", "page", metavar="HTML", type=click.Path(path_type=Path), help="Write a page, too.")
@click.option("--force", is_flag=True, help="Replace HTML if it exists.")
@click.option(
    "--send", "sends", is_flag=True, help="Send the text to whoever gets the alerts of NAME, such as by mail."
)
@json_option
def command(  # noqa: PLR0913  one for each option
    name: str | None,
    *,
    prometheus: str | None,
    region: str | None,
    profile: str | None,
    days: int,
    page: Path | None,
    force: bool,
    sends: bool,
    as_json: bool,
) -> None:
    """Say what the cluster NAME did in the last days: use, idle money, failures, slow nodes, alerts.

    It is asked of the metrics that the cluster keeps, in Amazon Managed Prometheus or, with --prometheus, anywhere.
    Without NAME it is about all clusters there, and without a region no prices are known. Money is list prices.
    --send publishes the text to the topic of SNS of the cluster's alerts; it needs sns:Publish on that topic. Nothing
    sends it by itself: a weekly line of cron does, as docs/monitoring.md shows.

    \b
    Exit status: 0 fine; 1 the metrics could not be asked, or the digest not be
    sent; 2 the command line is wrong.

    \b
    Example:
      trainyard monitor digest llm-p5 --region us-east-2 -o digest.html
      trainyard monitor digest llm-p5 --region us-east-2 --send
      trainyard monitor digest --prometheus http://localhost:9090 --days 30
    """
    from trainyard.api.monitor_digest import digest_source, digest_text, read_digest, send_digest, write_digest

    if force and page is None:
        raise click.UsageError("--force has no meaning without --output.")
    if sends and name is None:
        raise click.UsageError("--send needs NAME, whose stack has the topic of its alerts.")
    source = digest_source(name, prometheus, region=region, profile=profile)
    reporter()(f"asking {source.metrics.url}")
    values = read_digest(source, days)
    if page is not None:
        write_digest(values, page, force=force)
    sent = send_digest(values, source) if sends else None
    if as_json:
        print_json({"written": None if page is None else str(page), "sent": sent, **values})
        return
    print_lines(digest_text(values))
    if page is not None:
        print_text(f"written: {page}", err=True)
    if sent is not None:
        print_text(f"sent: {sent}", err=True)
