"""`attncalc scan`"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from ..errors import AttncalcError
from .document_options import select_page
from .output_checks import FOLDER, Output, require_outputs
from .progress import progress
from .shared_options import JOBS, WholeNumber, force_option, text_or_json

MOST_JOBS = 64
PACKAGES = ("zxingcpp", "pypdfium2", "cv2", "PIL")
TRIAL = Path(__file__).parents[1] / "scan" / "trial.yaml"


@click.command("scan")
@click.argument("key", required=False)
@click.argument("files", nargs=-1)
@click.option("-o", "--output", metavar="FOLDER", required=True, help="Folder for the pages and the fields.")
@click.option("--try", "is_trial", is_flag=True, help="Write a trial paper into FOLDER, to print, fill in and scan.")
@click.option("--jobs", type=WholeNumber(1, MOST_JOBS), help=JOBS)
@text_or_json
@force_option
def command(
    key: str | None, files: tuple[str, ...], output: str, is_trial: bool, jobs: int | None, target: str, force: bool
) -> None:
    """Read the scanned papers of an exam. FILES are PDFs or pictures (PNG, JPEG, TIFF) with pages in any order.

    KEY is the key.json of an exam with `scan: true`. The code on each page identifies its paper. A page without
    a readable code is reported with its picture. FOLDER gets the straightened pages, a picture of each field, and
    scan.json. Nothing is marked. The exit code is 1 if a person should check a page.

    \b
    attncalc scan key.json scans.pdf -o class/
    attncalc scan key.json scans.pdf -o class/ --to json
    attncalc scan --try -o trial/
    """
    from importlib.util import find_spec

    if any(find_spec(package) is None for package in PACKAGES):
        from ..exam.scan_layout import MISSING

        raise AttncalcError(MISSING)
    if is_trial:
        if key is not None:
            raise AttncalcError("--try writes a trial paper; expected only -o FOLDER, found a key or scans")
        _write_trial(output, force)
        return
    if key is None or not files:
        raise AttncalcError("expected key.json and scans; `attncalc scan --try -o FOLDER` writes a trial paper")
    require_outputs([Output("-o", output, FOLDER)], force)
    from tempfile import TemporaryDirectory

    from ..scan.class_scan import as_data, document, scan, write
    from ..scan.positions import read_positions

    scan_key = read_positions(key)
    with TemporaryDirectory() as staged, progress("pages") as start:
        result = scan(scan_key, files, staged, jobs or max(2, os.cpu_count() or 1), start)
        write(result, staged, output, force)
    select_page("terminal" if target == "text" else "json", None).write(
        lambda: document(result), lambda: as_data(result)
    )
    for problem in result.problems:
        click.echo(str(problem), err=True)
    sys.exit(1 if result.problems else 0)


def _write_trial(folder: str, force: bool) -> None:
    """Write a paper to print, fill in and scan."""
    from ..exam.paper_build import exam

    (variant,) = exam(str(TRIAL), folder, force=force).variants
    key = os.path.join(folder, "key.json")
    click.echo(f"{os.path.join(folder, f'paper-{variant.name}.pdf')}: print this paper, fill it in, and scan it. Then:")
    click.echo(f"  attncalc scan {key} scan.pdf -o {os.path.join(folder, 'scanned')}")
    click.echo(f"  attncalc answers {key} --page --scans {os.path.join(folder, 'scanned')} -o trial.csv")
