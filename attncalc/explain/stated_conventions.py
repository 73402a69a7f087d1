"""The conventions of a part in readable words. Options have the same names as in the problem file."""

from __future__ import annotations

from ..errors import FormulaError
from ..formula.index_base import first_place
from ..formula.parser import parse
from ..formula.syntax_tree import Binary, Call, Name, Tree, names, rewrite, walk
from ..solution import Solution
from . import solution_messages as messages
from .document import Choice, Choices
from .part_scope import FAILURES, Scope

OF_WORDS = ("lookup", "pick", "one_hot", "argmax_rows")  # functions whose arguments or results are numbers of words
SETTINGS = ("fill", "ddof", "start", "ties", "ended")  # options that are shown only by their words
PAIRS = ("links", "global_tokens")  # 1-3 is a link, not a difference
FEWEST_SHARED = 4  # conventions in common with an earlier part, from which on the list is abbreviated
# Options with text, which are printed unchanged
WORDS = ("words", "candidate", "reference", "text", "sentence")


def choices(solution: Solution, scope: Scope) -> Choices:
    """Return all conventions of this part, including defaults."""
    stated = {(c.option, c.value): c.doc for c in scope.part.part.plan.conventions}
    if solution.problem.columns:
        stated["vectors", "columns"] = ""
    if ("eps", "0") in stated:
        stated = {pair: doc for pair, doc in stated.items() if pair[0] != "eps_in"}
    items = dict.fromkeys(_choice(scope, *pair)._replace(doc=doc) for pair, doc in stated.items())
    if first_place() and any(_has_words(step.tree) for step in scope.part.part.plan.steps):
        items[Choice(messages.WORDS, messages.FROM_0, messages.CONVENTIONS[f"{messages.WORDS} {messages.FROM_0}"])] = (
            None
        )
    how = scope.rounding
    return Choices((*items, Choice("decimals", messages.decimals(how.digits, how.mode))))


def without_program_names(conventions: Choices) -> Choices:
    """Return the conventions. An option such as mask_at, which is only a name in files, is shown by its words."""
    return Choices(
        tuple(
            choice._replace(option="")
            if choice.words and ("_" in choice.option or choice.option in SETTINGS)
            else choice
            for choice in conventions.items
        )
    )


def _has_words(tree: Tree) -> bool:
    """Return whether a formula looks up words, or returns the number of a word."""
    return any(isinstance(part, Call) and part.function in OF_WORDS for part in walk(tree))


def abbreviate(conventions: Choices, name: str, stated: dict[str, Choices]) -> Choices:
    """Return the conventions of a part, shortened if most of them equal those of an earlier part: `norm before · all
    else as in “after”`.

    `stated` maps the titles of earlier parts to their conventions. This part is added to it.
    """
    for before, other in stated.items():
        differences = tuple(choice for choice in conventions.items if choice not in other.items)
        kept = len(conventions.items) - len(differences)
        if kept >= FEWEST_SHARED and {choice.option for choice in other.items} <= {
            choice.option for choice in conventions.items
        }:
            rest = messages.ALL_ELSE if differences else messages.ALL
            return Choices((*differences, Choice(rest, messages.SAME_AS_PART.format(part=before))))
    stated.setdefault(name, conventions)
    return conventions


def _choice(scope: Scope, option: str, value: str) -> Choice:
    if option in WORDS:
        return Choice(option, value)
    value = value.strip("\"'")
    lessons = sorted({step.lesson or "" for step in scope.part.part.plan.steps})
    meanings = (messages.CONVENTIONS.get(f"{lesson} {option} {value}") for lesson in lessons)
    words = next(
        filter(None, meanings), messages.CONVENTIONS.get(f"{option} {value}", messages.CONVENTIONS.get(option, ""))
    )
    if option in PAIRS:
        return Choice(option, value, words)
    try:
        tree = parse(value)
    except FormulaError:
        return Choice(option, value, words)
    if isinstance(tree, Name) and len(tree.name) > 1 and tree.name not in scope.entries:
        return Choice(option, value, words)  # the value is a word, such as as_1, not a name with an index
    tree, values_text = _scale_in_words(scope, tree) if option == "scale" else (tree, "")
    return Choice(option, tree, words or values_text)


def _scale_in_words(scope: Scope, tree: Tree) -> tuple[Tree, str]:
    """Return the scale, with √d_k for the root of the number of columns of K, and a sentence with the value of d_k."""
    tree = _divisor(scope) or tree
    scalars = [(name, scope.shown(name)) for name in sorted(names(tree)) if _is_scalar(scope, name)]
    equations = [messages.value_of(name, shown.text(0, 0), shown.equals_print(0, 0)) for name, shown in scalars]

    def short(part: Tree) -> Tree | None:
        if (
            not isinstance(part, Call)
            or part.function not in ("rows", "cols")
            or not isinstance(part.arguments[0], Name)
        ):
            return None
        count = str(scope.node(part).static)
        equation = messages.COLUMNS_OF if part.function == "cols" else messages.ROWS_OF
        equations.append(equation.format(name=part.arguments[0].name.rpartition(".")[2], count=count))
        return Name("d_k")

    try:
        return rewrite(tree, short), ", ".join(equations)
    except FAILURES:
        return tree, ""


def _divisor(scope: Scope) -> Tree | None:
    """Return the divisor of the scores in this part, with the names of its steps."""
    scaled = (step.tree for step in scope.part.part.plan.steps if step.base == "S_scaled" and not step.given)
    return next((tree.right for tree in scaled if isinstance(tree, Binary) and tree.operator == "/"), None)


def scale_names(scope: Scope) -> set[str]:
    """Return the names of given numbers whose values are printed with the conventions."""
    scales = (c.value for c in scope.part.part.plan.conventions if c.option == "scale")
    return {name for value in scales for name in names(parse(value))}


def _is_scalar(scope: Scope, name: str) -> bool:
    return name in scope.entries and scope.entries[name].shape == (1, 1)
