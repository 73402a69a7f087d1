"""The formula sheet of an exam: each step of the questions' lessons as a lecture writes it, and what its signs mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..explain.document import Block, Formula, Paragraph, Section
from ..explain.list_texts import SYMBOLS
from ..explain.outline import group_steps
from ..explain.scope import Scope
from ..explain.sections import Sections
from ..explain.taught import SIGNS, defining_function, definition, textbook_formulas
from ..formula.functions import functions, internal_functions
from ..formula.tree import Call, Name, Tree, children, names, unparse, walk
from ..solution import PartSolution, Solution, StepResult
from .parts import as_written
from .words import Words

DEEPEST = 99  # lessons inside lessons are never folded here
# Functions that every reader knows, and those that are set as signs: |x|, [Z_1 | Z_2], S where j ≤ i, E[ids].
KNOWN = SIGNS | {
    "exp", "log", "ln", "sqrt", "sin", "cos", "tanh", "abs", "ceil", "maximum", "minimum", "max", "min",
    "hstack", "vstack", "identity", "keep", "where", "lookup",
}  # fmt: skip
MASKS = {"causal", "causal_strict", "band"}  # in keep they are set as what holds between i and j
_SHAPES = re.compile(r", \(n, m\) → .*")


def formula_sheet(solution: Solution, parts: Sequence[tuple[str, str, PartSolution]], words: Words) -> list[Block]:
    """The formulas of each part under its heading and title, where there are several, and what their signs mean."""
    told = [Section(heading, title, tuple(formulas(solution, part))) for heading, title, part in parts]
    plans = [solution.problem.plan, *(part.part.plan for part in solution.parts)]
    givens = {given.name for plan in plans for given in plan.givens}
    sections = list(_once([section for section in told if section.blocks], [], words))
    blocks = list(sections[0].blocks) if len(sections) == 1 else list[Block](sections)
    return blocks + list(_legend(told, givens, words))


def formulas(solution: Solution, part: PartSolution) -> Iterator[Block]:
    """The steps of a part's lessons; those of a lesson inside a lesson stand in a section of its own."""
    steps = [result for result in part.steps if result.step.lesson and not result.given]
    return Sections(Scope(solution, part), group_steps(steps, DEEPEST), _taught, _taught, mapped=False).blocks()


def _taught(result: StepResult) -> Iterator[Block]:
    for name, stages, *_ in textbook_formulas(result.step):
        yield Formula(as_written(name), tuple(stage._replace(tree=as_written(stage.tree)) for stage in stages))


# -- each lesson once --------------------------------------------------------------------------------------------------


class Whole(NamedTuple):
    """A section whose formulas all stand on the sheet, and the heading of the part that it is in."""

    section: Section
    inside: str

    def name(self, inside: str) -> str:
        """How a section of some part refers to it: `norm1`, or `norm1, Question 1` from another."""
        return ", ".join(filter(None, (self.section.title, self.inside if self.inside != inside else "")))


def _once(sections: Iterable[Section], whole: list[Whole], words: Words, inside: str = "") -> Iterator[Section]:
    """Each section; of one that is like one before, which stands there as a whole, only what is another."""
    for section in sections:
        like = max(whole, key=lambda one: len(_same(one.section, section)), default=None)
        same = _same(like.section, section) if like else []
        blocks = [block for block in section.blocks if len(same) < 2 or block not in same]
        if like is None or len(same) < 2:
            whole.append(Whole(section, inside))
        else:
            own = sum(isinstance(block, Formula) for block in blocks)
            said = words.filled("others_as_in" if own else "all_as_in", name=like.name(inside))
            blocks.insert(own, Paragraph(said, "note"))
        nested = [block for block in blocks if isinstance(block, Section)]
        inner = _once(nested, whole, words, inside or section.title)
        doc = words.sentence(section.doc, "") if inside else section.doc
        yield section._replace(doc=doc, blocks=tuple(next(inner) if block in nested else block for block in blocks))


def _same(one: Section, other: Section) -> list[Block]:
    """The formulas that both have; none where the first has a step that the other lacks."""
    ours, theirs = ([block for block in section.blocks if isinstance(block, Formula)] for section in (one, other))
    if {unparse(block.name) for block in ours} - {unparse(block.name) for block in theirs}:
        return []
    return [block for block in theirs if block in ours]


# -- signs -------------------------------------------------------------------------------------------------------------


def _legend(sections: Iterable[Section], givens: set[str], words: Words) -> Iterator[Formula]:
    """The functions and the counts that no line of the sheet defines, and no question gives."""
    lines = [line for section in sections for line in _lines(section)]
    trees = [stage.tree for line in lines for stage in line.stages]
    told = set(filter(None, map(defining_function, trees)))
    for function in dict.fromkeys(
        part.function for tree in trees for part in walk(tree, _seen) if isinstance(part, Call)
    ):
        if function not in KNOWN | told:
            yield definition(function) or _meaning(function, words)
    used = set().union(*map(names, trees)) - {unparse(line.name) for line in lines} - givens
    yield from (Formula(Name(name), (), words.sentence(doc)) for name, doc in SYMBOLS.items() if name in used)


def _seen(tree: Tree) -> list[Tree]:
    """What a formula consists of, but no mask that is set as a comparison of i and j."""
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
    """A function with its parameters, and what it is in words."""
    known = (functions() | internal_functions())[function]
    needed = tuple(Name(one.name) for one in known.parameters if one.default is None)
    return Formula(Call(function, needed), (), words.sentence(_SHAPES.sub("", known.doc)))
