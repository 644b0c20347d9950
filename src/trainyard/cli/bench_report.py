"""``trainyard bench report``."""

from __future__ import annotations

from pathlib import Path

import click

from trainyard.cli.output import json_option, print_json, print_lines, print_text


@click.command()
@click.argument("files", metavar="FILE…", nargs=-1, required=True)
@click.option(
    "-o", "--output", "page", metavar="HTML", type=click.Path(path_type=Path), help="Write the page into this file."
)
@click.option(
    "--svg", "folder", metavar="DIR", type=click.Path(path_type=Path), help="Write each plot as an SVG file, too."
)
@click.option(
    "--metrics", metavar="PROM", type=click.Path(path_type=Path), help="Write metrics for Prometheus, too; replaced."
)
@click.option("--instance-type", metavar="TYPE", help="Where it ran, such as p5.48xlarge, if the file does not say.")
@click.option("--nodes", metavar="NUMBER", type=click.IntRange(min=1), help="On how many, if the file does not say.")
@click.option("--baseline", metavar="FILE", help="An earlier run, or a folder of them, to compare with.")
@click.option("--cluster", metavar="NAME", help="Which cluster it was, if the folder is not one of `bench submit`.")
@click.option("--with-host-names", is_flag=True, help="Name hosts as they are called, and not node-1 and so on.")
@click.option("--force", is_flag=True, help="Replace files that are there.")
@json_option
def command(  # noqa: PLR0913  every option is its own
    files: tuple[str, ...],
    page: Path | None,
    folder: Path | None,
    metrics: Path | None,
    instance_type: str | None,
    *,
    nodes: int | None,
    baseline: str | None,
    cluster: str | None,
    with_host_names: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Make one page of bandwidth tests that can be sent to somebody else, and print the same as text.

    FILE is what `bench judge` reads. The page has plots of bandwidth and latency against what is expected and
    possible, scaling with a forecast for up to 1,024 nodes, slow nodes, versions, settings, and what to do. It needs
    no script and loads nothing. Names of hosts and users and addresses are replaced.

    Plots are drawn as SVG; there is no PNG, as that would need a large library: `rsvg-convert -o plot.png plot.svg`
    or any browser makes one.

    \b
    Exit status: 0 the report is made, whatever the verdict is; 2 a file has no
    results. Gates use `bench judge`.

    \b
    Example:
      trainyard bench report --instance-type p5.48xlarge results/ -o report.html
      trainyard bench report --instance-type p5.48xlarge results/ --svg plots/
      sudo trainyard bench report results/ --metrics /var/lib/node_exporter/textfile/bench.prom
    """
    from trainyard.api.bench_report import report_files, report_text, write_metrics, write_page, write_plots

    values = report_files(
        files, instance_type=instance_type, nodes=nodes, baseline=baseline, cluster=cluster,
        with_host_names=with_host_names,
    )  # fmt: skip
    if page is not None:
        write_page(values, page, force=force)
    plots = [] if folder is None else write_plots(values, folder, force=force)
    if metrics is not None:
        write_metrics(values, metrics)
    written = [str(path) for path in (page, *plots, metrics) if path is not None]
    if as_json:
        print_json({"written": written, **values})
        return
    print_lines(report_text(values))
    for file in written:
        print_text(f"written: {file}", err=True)
