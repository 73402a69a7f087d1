"""`python -m tests.frozen`: computes the frozen behaviour again, writes it, and prints the lines that changed."""

from __future__ import annotations

import argparse
import json
import lzma
import random
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path
from typing import Any

import yaml

from .behaviour import MARKS, PAGES, SCRIPTS, TESTS, kept_scripts, mark_line, ordered_map, page_lines, pages

EXAMINED = ("marking_cases", "more_marking_cases", "fresh_marking_cases")
DRAWN, SEED = 1000, 20261124


def draw_scripts() -> Iterator[dict[str, str]]:
    """Yield the examined scripts, then 1,000 honest and 1,000 mistaken ones of the second simulator."""
    from tests.support import second_simulator as simulator

    from ..bench.second import honest_scripts, wrong_scripts

    for file in EXAMINED:
        cases = yaml.load((TESTS / "data" / f"{file}.yaml").read_text(encoding="utf-8"), yaml.BaseLoader)
        for number, case in enumerate(cases):
            yield _script(f"{file}-{number}-{case['kind']}", yaml_text(case["problem"]), case["answers"])
    for folder in sorted((TESTS / "data" / "examiner").iterdir()):
        (answers,) = folder.glob("answers.*")
        texts = ((folder / "problem.yaml").read_text(encoding="utf-8"), answers.read_text(encoding="utf-8"))
        yield {
            "name": f"examiner-{folder.name}",
            "problem": texts[0],
            "ending": answers.suffix[1:],
            "answers": texts[1],
        }
    honest, wrong = honest_scripts(random.Random(SEED)), wrong_scripts(random.Random(SEED))
    for number in range(DRAWN):
        task, student, _, _, script = next(honest)
        ending, text = simulator.written(script, student.form)
        yield {"name": f"honest-{number}", "problem": task.text(), "ending": ending, "answers": text}
    for number in range(DRAWN):
        task, student, mistake, first, script = next(wrong)
        ending, text = simulator.written(script, student.form)
        name = f"wrong-{number}-{'-'.join(mistake.name.split())}-in-{first}"
        yield {"name": name, "problem": task.text(), "ending": ending, "answers": text}


def _script(name: str, problem: str, answers: Any) -> dict[str, str]:
    if isinstance(answers, str):
        return {"name": name, "problem": problem, "ending": "txt", "answers": answers}
    return {"name": name, "problem": problem, "ending": "yaml", "answers": yaml_text({"answers": answers})}


def yaml_text(value: Any) -> str:
    return yaml.safe_dump(value, allow_unicode=True, sort_keys=False)


def renew(path: Path, lines: list[str]) -> None:
    """Write the lines and print those that changed."""
    before = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    changed = [line for line in unified_diff(before, lines, lineterm="", n=0) if line[0] in "+-"][2:]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    print(f"{path.name}: {len(lines)} lines, {sum(line[0] == '+' for line in changed)} new or changed")
    if before:
        print("\n".join(changed))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.frozen", description=__doc__)
    parser.add_argument("--draw", action="store_true", help="draw the simulated scripts again")
    parser.add_argument("--only", choices=["marks", "pages"], help="renew one file alone")
    options = parser.parse_args()
    if options.draw:
        texts = "".join(json.dumps(script, ensure_ascii=False) + "\n" for script in draw_scripts())
        SCRIPTS.write_bytes(lzma.compress(texts.encode("utf-8"), preset=9))
    if options.only != "pages":
        renew(MARKS, [*ordered_map(mark_line, kept_scripts())])
    if options.only != "marks":
        renew(PAGES, [line for lines in ordered_map(page_lines, pages()) for line in lines])


if __name__ == "__main__":
    main()
