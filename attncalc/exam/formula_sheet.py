"""The formula sheet of an exam: the lecture's formula of each step of the questions' lessons, and a legend of
symbols.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..explain.document import Block, Formula, Paragraph, Section
from ..explain.listings import SYMBOLS
from ..explain.outline import group_steps
from ..explain.part_scope import Scope
from ..explain.sections import Sections
from ..explain.textbook_formulas import SIGNS, defining_function, definition, textbook_formulas
from ..formula.functions import functions, internal_functions
from ..formula.syntax_tree import Call, Name, Tree, children, names, unparse, walk
from ..solution import PartSolution, Solution, StepResult
from .problem_assembly import with_author_names
from .translations import Words

DEEPEST = 99  # lessons inside lessons are never folded here
# Functions that every reader knows, and those that are set as signs: |x|, [Z_1 | Z_2], S where j ≤ i, E[ids].
KNOWN = SIGNS | {
    "exp", "log", "ln", "sqrt", "sin", "cos", "tanh", "abs", "ceil", "maximum", "minimum", "max", "min",
    "hstack", "vstack", "identity", "keep", "where", "lookup",
}  # fmt: skip
MASKS = {"causal", "causal_strict", "band"}  # in keep they are set as what holds between i and j
_SHAPES = re.compile(r", \(n, m\) → .*")


def formula_sheet(solution: Solution, parts: Sequence[tuple[str, str, PartSolution]], words: Words) -> list[Block]:
    """Return the formulas of each part, under headings if there are several parts, and a legend of their symbols."""
    sections_of_parts = [Section(heading, title, tuple(formulas(solution, part))) for heading, title, part in parts]
    plans = [solution.problem.plan, *(part.part.plan for part in solution.parts)]
    givens = {given.name for plan in plans for given in plan.givens}
    sections = list(_without_repeats([section for section in sections_of_parts if section.blocks], [], words))
    blocks = list(sections[0].blocks) if len(sections) == 1 else list[Block](sections)
    return blocks + list(_legend(sections_of_parts, givens, words))


def formulas(solution: Solution, part: PartSolution) -> Iterator[Block]:
    """Yield the formulas of a part's lessons; a nested lesson has a section of its own."""
    steps = [result for result in part.steps if result.step.lesson and not result.given]
    return Sections(
        Scope(solution, part), group_steps(steps, DEEPEST), _lecture_formulas, _lecture_formulas, mapped=False
    ).blocks()


def _lecture_formulas(result: StepResult) -> Iterator[Block]:
    for name, stages, *_ in textbook_formulas(result.step):
        yield Formula(
            with_author_names(name), tuple(stage._replace(tree=with_author_names(stage.tree)) for stage in stages)
        )


# -- each lesson once --------------------------------------------------------------------------------------------------


class CompleteSection(NamedTuple):
    """A section whose formulas are all printed, and the heading of its part."""

    section: Section
    heading: str

    def name(self, inside: str) -> str:
        """Return the name by which a section of some part refers to it: `norm1`, or `norm1, Question 1` from another
        part.
        """
        return ", ".join(filter(None, (self.section.title, self.heading if self.heading != inside else "")))


def _without_repeats(
    sections: Iterable[Section], complete_sections: list[CompleteSection], words: Words, inside: str = ""
) -> Iterator[Section]:
    """Yield each section; a section that resembles a complete earlier one keeps only the formulas that differ."""
    for section in sections:
        similar = max(
            complete_sections, key=lambda complete: len(_common_formulas(complete.section, section)), default=None
        )
        common_formulas = _common_formulas(similar.section, section) if similar else []
        blocks = [block for block in section.blocks if len(common_formulas) < 2 or block not in common_formulas]
        if similar is None or len(common_formulas) < 2:
            complete_sections.append(CompleteSection(section, inside))
        else:
            new_formulas = sum(isinstance(block, Formula) for block in blocks)
            note = words.fill("others_as_in" if new_formulas else "all_as_in", name=similar.name(inside))
            blocks.insert(new_formulas, Paragraph(note, "note"))
        nested = [block for block in blocks if isinstance(block, Section)]
        inner = _without_repeats(nested, complete_sections, words, inside or section.title)
        doc = words.sentence(section.doc, "") if inside else section.doc
        yield section._replace(doc=doc, blocks=tuple(next(inner) if block in nested else block for block in blocks))


def _common_formulas(section: Section, other: Section) -> list[Block]:
    """Return the formulas of both sections; none if the first has a step that the other lacks."""
    these, theirs = ([block for block in section.blocks if isinstance(block, Formula)] for section in (section, other))
    if {unparse(block.name) for block in these} - {unparse(block.name) for block in theirs}:
        return []
    return [block for block in theirs if block in these]


# -- signs -------------------------------------------------------------------------------------------------------------


def _legend(sections: Iterable[Section], givens: set[str], words: Words) -> Iterator[Formula]:
    """Yield the functions and counts that no line of the sheet defines and no question gives."""
    lines = [line for section in sections for line in _lines(section)]
    trees = [stage.tree for line in lines for stage in line.stages]
    defined_functions = set(filter(None, map(defining_function, trees)))
    for function in dict.fromkeys(
        part.function for tree in trees for part in walk(tree, _printed_parts) if isinstance(part, Call)
    ):
        if function not in KNOWN | defined_functions:
            yield definition(function) or _meaning(function, words)
    used = set().union(*map(names, trees)) - {unparse(line.name) for line in lines} - givens
    yield from (Formula(Name(name), (), words.sentence(doc)) for name, doc in SYMBOLS.items() if name in used)


def _printed_parts(tree: Tree) -> list[Tree]:
    """Return the children of a formula, without masks that are printed as comparisons of i and j."""
    parts = children(tree)
    if isinstance(tree, Call) and tree.function == "keep":
        return [part for part in parts if not (isinstance(part, Call) and part.function in MASKS)]
    return parts


def _lines(section: Section) -> Iterator[Formula]:
    for block in section.blocks:
        if isinstance(block, Section):
            yield from _lines(block)
        elif isinstance(block, Formula):
            yield block


def _meaning(function: str, words: Words) -> Formula:
    """Return a function with its parameters and its description."""
    known = (functions() | internal_functions())[function]
    needed = tuple(Name(parameter.name) for parameter in known.parameters if parameter.default is None)
    return Formula(Call(function, needed), (), words.sentence(_SHAPES.sub("", known.doc)))
