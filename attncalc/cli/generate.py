"""`attncalc generate`"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import click

from ..errors import AttncalcError, did_you_mean, shorten
from ..safe_files import as_json, write_file, write_folder
from .document_options import ENDINGS as PAGE_ENDINGS
from .document_options import PAGES, CommandFunction, Page, select_page, template_option
from .progress import track_progress
from .shared_options import ANY, JOBS, DecimalNumber, WholeNumber, WordChoice, emit, force_option, write_requirements

if TYPE_CHECKING:
    from ..generator.rejection_search import Search
    from ..generator.search_result import DrawnVariant

FORMATS = ("yaml", "json", "terminal", *PAGES)
ENDINGS = {".yaml": "yaml", ".yml": "yaml"} | {
    ending: target for ending, target in PAGE_ENDINGS.items() if target in FORMATS
}
MOST = 1_000_000
SIZES = {
    "tokens": "Number of tokens.",
    "asking": "Number of queries, if the queries do not come from the tokens.",
    "d_model": "Model dimension d_model.",
    "d_k": "Dimension d_k of the queries and keys.",
    "d_v": "Dimension d_v of the values (default: the same as d_k).",
    "heads": "Number of heads; d_model must be divisible by it.",
    "d_ff": "Hidden dimension d_ff of the feed-forward network.",
    "words": "Number of words in the vocabulary.",
    "steps": "Number of training steps (learning_rate).",
    "rank": "Rank of the adapter (lora).",
    "pixels": "Width and height of the image in pixels (patch_embedding).",
    "patch": "Width and height of a patch in pixels (patch_embedding).",
}


def _sizes(command: CommandFunction) -> CommandFunction:
    for name, description in reversed(SIZES.items()):
        command = click.option(_option_of(name), name, type=WholeNumber(-ANY, ANY), help=description)(command)
    return command


def _option_of(size: str) -> str:
    return "--" + size.replace("_", "-")


class _Listing(click.Command):
    """A command whose help ends with tables of lessons, families and requirements. They are made only for --help."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from ..generator.lesson_recipes import RECIPES, drawn_lessons
        from ..generator.request import FAMILIES, REQUIREMENTS

        with formatter.section("Lessons, with their sizes and defaults"):
            formatter.write_dl([(name, _sizes_of(recipe.sizes)) for name, recipe in RECIPES.items()])
        with formatter.section("Lessons of a fixed size"):
            formatter.write_text(", ".join(drawn_lessons()))
        with formatter.section("Families (--family)"):
            formatter.write_dl([(n, f"{family.says} ({', '.join(family.lessons)})") for n, family in FAMILIES.items()])
        write_requirements(formatter, REQUIREMENTS)


def _sizes_of(sizes: dict[str, int]) -> str:
    """Return sizes as options: `--tokens 3 --d-k 3 --d-v 3`. If d_v is 0, it equals d_k."""
    return " ".join(f"{_option_of(name)} {size or sizes['d_k']}" for name, size in sizes.items())


@click.command("generate", cls=_Listing)
@click.argument("lesson")
@click.option(
    "--seed",
    default="1",
    metavar="TEXT",
    help="Random seed: the same seed gives the same problems on every machine (default: 1).",
)
@click.option("-n", "count", type=WholeNumber(1, MOST), default=1, help="Number of variants (default: 1).")
@click.option(
    "--from",
    "first",
    type=WholeNumber(1, MOST),
    default=1,
    help="Number of the first variant, to continue a run or to distribute it over several machines (default: 1).",
)
@_sizes
@click.option("--mask", help="Mask of an attention lesson, such as causal; short for --set mask=...")
@click.option(
    "--set",
    "options",
    multiple=True,
    metavar="OPTION=VALUE",
    help="Set an option of the lesson (repeatable); `attncalc lessons LESSON` lists them.",
)
@click.option(
    "--entries",
    default="",
    help="Distribution of the entries: integers -2..2 (the default of most lessons), halves, tenths, sparse -1..1, "
    "rising 1..9, logarithms 1..6, one-hot, choices 1 2.",
)
@click.option("--digits", type=WholeNumber(0, 8), help="Decimals of the answers (default: 2 for most lessons).")
@click.option(
    "--family",
    default="",
    metavar="NAME",
    help="Generate problems from one of the families below, such as `fractions`.",
)
@click.option("--relax", multiple=True, metavar="CODE", help="Drop one of the requirements below (repeatable).")
@click.option(
    "--margin",
    type=DecimalNumber(0, 10),
    default=0.1,
    metavar="NUMBER",
    help="Allowed relative deviation of a variant's work from the median (default: 0.1).",
)
@click.option(
    "--choices",
    type=WholeNumber(2, 8),
    help="Add a multiple-choice question on the last step with this number of options; "
    "the wrong options are results of known mistakes.",
)
@click.option(
    "--to",
    "target",
    type=WordChoice(FORMATS),
    help="Output format: yaml and json contain the problem, the other formats also its solution (default: by the "
    "file extension of -o; without -o, yaml).",
)
@template_option
@click.option("--jobs", type=WholeNumber(1, 256), help=JOBS)
@click.option(
    "-o", "--output", metavar="PATH", help="Write to this file, or to this folder if there are several variants."
)
@force_option
def command(
    lesson: str,
    seed: str,
    count: int,
    first: int,
    mask: str | None,
    options: tuple[str, ...],
    entries: str,
    digits: int | None,
    family: str,
    relax: tuple[str, ...],
    margin: float,
    choices: int | None,
    target: str | None,
    template: str | None,
    jobs: int | None,
    output: str | None,
    force: bool,
    **sizes: int | None,
) -> None:
    """Generate random problems for LESSON, or from a problem file with draw:. Each problem meets the requirements
    below; for example, every known mistake that changes a number also changes a printed number. Each file lists the
    mistakes that its numbers can reveal.

    \b
    attncalc generate self_attention --seed 7
    attncalc generate self_attention --seed 7 --to latex -o paper.tex
    attncalc generate self_attention --mask causal -n 30 -o variants/
    attncalc generate my-problem.yaml -n 30 -o variants/
    """
    from ..generator.generate import make_search, variant_texts
    from ..generator.request import Request

    chosen = dict(_option(text) for text in options)
    target = _target(target, output, count, choices)
    page = select_page(target, output, force, FORMATS, template=template)
    if mask is not None:
        chosen["mask"] = mask
    asked = Request(lesson, sizes, chosen, entries, digits, seed, relax, margin, family)
    search = make_search(asked)
    numbers = range(first, first + count)
    text_of = partial(variant_text, page=page, choices=choices, alone=count == 1)
    texts = track_progress(variant_texts(search, asked, numbers, text_of, jobs), count, "variants")
    if count == 1:
        emit(next(texts), output, force)
    elif target == "json" and (output is None or not output.endswith("/")):
        _write_stream(search, texts, output, force)
    elif output is None:
        raise AttncalcError(
            "expected -o FOLDER for several variants (or --to json, which writes all of them into one file)"
        )
    else:
        _write_folder(search, zip(numbers, texts, strict=True), target, output, force)


def _target(target: str | None, output: str | None, count: int, choices: int | None) -> str:
    """Return the format of --to; otherwise the format of the file's ending."""
    ending = os.path.splitext(output or "")[1].lower()
    target_format = target or ENDINGS.get(ending)
    if choices is not None and target_format not in (None, "json"):
        raise AttncalcError(f"multiple-choice questions need the format JSON, found {target_format}; add --to json")
    if target is None and count > 1 and target_format not in (None, "json") and not os.path.isdir(output or ""):
        raise AttncalcError(
            f"-o: {count} variants need a folder, but {shorten(output or '')!r} is the name of a file; "
            f"to write such files, use --to {target_format} -o FOLDER"
        )
    if target is None and count == 1 and target_format is None and ending:
        known = list(ENDINGS)
        raise AttncalcError(
            f"-o: expected one of {', '.join(known)}, found {shorten(ending)}{did_you_mean(ending, known)}"
        )
    return target_format or ("yaml" if choices is None else "json")


def _option(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or not name.strip():
        raise AttncalcError(f"--set: expected OPTION=VALUE, found {shorten(text)!r}")
    return name.strip(), value.strip()


def variant_text(search: Search, variant: DrawnVariant, page: Page, choices: int | None, alone: bool) -> str | bytes:
    """Return a variant in the output format."""
    from ..generator.problem_writer import as_data, render

    if page.target == "yaml" and choices is None:
        return render(search, variant).rstrip("\n")
    if page.target in ("yaml", "json"):
        return as_json(as_data(search, variant, choices), indent=1 if alone else None)
    return _solution_page(search, variant, page)


def _solution_page(search: Search, variant: DrawnVariant, page: Page) -> str | bytes:
    from ..api import solve
    from ..explain.solution_document import solution_document
    from ..generator.rejection_search import rebuild

    solution = solve(rebuild(search, variant))
    text = page.render(solution_document(solution, solution.parts, None))
    return text.rstrip("\n") if isinstance(text, str) else text


def _write_stream(search: Search, lines: Iterator[str | bytes], output: str | None, force: bool) -> None:
    """Write one JSON object per line, when it is drawn. A file is written at the end as a whole."""
    if output is None or output == "-":
        for line in lines:
            emit(line, None, False)
    else:
        write_file(output, "\n".join(map(str, lines)) + "\n", force)
    _report_draws(search)


def _write_folder(
    search: Search, texts: Iterator[tuple[int, str | bytes]], target: str, output: str, force: bool
) -> None:
    """Write one file for each variant, after all variants are drawn."""
    ending = (PAGES.get(target) or next(ending for ending, what in ENDINGS.items() if what == target))[1:]
    texts_by_number = dict(texts)
    width = len(str(max(texts_by_number)))
    files = {f"{search.spec.lesson}-{number:0{width}}.{ending}": text for number, text in texts_by_number.items()}
    contents = {
        name: text if isinstance(text, bytes) or text.endswith("\n") else text + "\n" for name, text in files.items()
    }
    write_folder(output, contents, force)
    _report_draws(search)


def _report_draws(search: Search) -> None:
    """Print the share of accepted draws, the most frequent unmet requirements, and the givens that were drawn again."""
    tally = search.tally
    phrases = [f"{tally.accepted} of {tally.draws} draws kept ({100 * tally.share:.1f} %)"]
    for what, counts in (("requirements missed", tally.failed), ("givens drawn again", tally.redraws)):
        if counts:
            phrases.append(f"{what}: {', '.join(f'{code} {count}' for code, count in counts.most_common(4))}")
    click.echo("; ".join(phrases), err=True)
