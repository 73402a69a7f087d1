"""The conventions of a part in words a reader knows; options keep the names by which they are set."""

from __future__ import annotations

from ..errors import FormulaError
from ..formula.counting import first_place
from ..formula.parse import parse
from ..formula.tree import Binary, Call, Name, Tree, names, rewrite, walk
from ..solution import Solution
from . import texts
from .document import Choice, Choices
from .scope import FAILURES, Scope

OF_WORDS = ("lookup", "pick", "one_hot", "argmax_rows")  # what takes or gives the numbers of words
PAIRS = ("links", "global_tokens")  # 1-3 is a link, and no difference
# What a lesson over words reads, as it stands in the file
FEWEST_SHARED = 4  # conventions that are not said again, but by the part that has them too
WORDS = ("words", "candidate", "reference", "text", "sentence")


def choices(solution: Solution, scope: Scope) -> Choices:
    """What was chosen for this part, whether by the problem or by default."""
    stated = {(c.option, c.value): None for c in scope.part.part.plan.conventions}
    if solution.problem.columns:
        stated[("vectors", "columns")] = None
    if ("eps", "0") in stated:
        stated = {pair: None for pair in stated if pair[0] != "eps_in"}
    items = dict.fromkeys(_choice(scope, option, value) for option, value in stated)
    if first_place() and any(_has_words(step.tree) for step in scope.part.part.plan.steps):
        items[Choice(texts.WORDS, texts.FROM_0, texts.CONVENTIONS[f"{texts.WORDS} {texts.FROM_0}"])] = None
    how = scope.rounding
    return Choices((*items, Choice("decimals", texts.decimals(how.digits, how.mode))))


def with_words_alone(conventions: Choices) -> Choices:
    """The same for readers who set no options: the words alone where the option has a name of programs (mask_at)."""
    return Choices(
        tuple(
            choice._replace(option="") if choice.words and "_" in choice.option else choice
            for choice in conventions.items
        )
    )


def _has_words(tree: Tree) -> bool:
    """Whether a formula looks words up, or says which word it is."""
    return any(isinstance(part, Call) and part.function in OF_WORDS for part in walk(tree))


def abbreviate(conventions: Choices, name: str, stated: dict[str, Choices]) -> Choices:
    """The conventions of a part in short where all but a few are those of a part before it:
    `norm before · all else as in “after”`. `stated` has those parts by name, and takes this one.
    """
    for before, other in stated.items():
        differences = tuple(choice for choice in conventions.items if choice not in other.items)
        kept = len(conventions.items) - len(differences)
        if kept >= FEWEST_SHARED and {choice.option for choice in other.items} <= {
            choice.option for choice in conventions.items
        }:
            return Choices((*differences, Choice(texts.ALL_ELSE if differences else texts.ALL, texts.as_in(before))))
    stated.setdefault(name, conventions)
    return conventions


def _choice(scope: Scope, option: str, value: str) -> Choice:
    if option in WORDS:
        return Choice(option, value)
    value = value.strip("\"'")
    lessons = sorted({step.lesson or "" for step in scope.part.part.plan.steps})
    meanings = (texts.CONVENTIONS.get(f"{lesson} {option} {value}") for lesson in lessons)
    words = next(filter(None, meanings), texts.CONVENTIONS.get(f"{option} {value}", texts.CONVENTIONS.get(option, "")))
    if option in PAIRS:
        return Choice(option, value, words)
    try:
        tree = parse(value)
    except FormulaError:
        return Choice(option, value, words)
    if isinstance(tree, Name) and len(tree.name) > 1 and tree.name not in scope.entries:
        return Choice(option, value, words)  # a word, such as as_1, and no name with an index
    tree, values_text = _scale_in_words(scope, tree) if option == "scale" else (tree, "")
    return Choice(option, tree, words or values_text)


def _scale_in_words(scope: Scope, tree: Tree) -> tuple[Tree, str]:
    """√(the columns of K) as √d_k, with the value of d_k in words."""
    tree = _divisor(scope) or tree
    scalars = [(name, scope.shown(name)) for name in sorted(names(tree)) if _is_scalar(scope, name)]
    equations = [texts.value_of(name, shown.text(0, 0), shown.equals_print(0, 0)) for name, shown in scalars]

    def short(part: Tree) -> Tree | None:
        if (
            not isinstance(part, Call)
            or part.function not in ("rows", "cols")
            or not isinstance(part.arguments[0], Name)
        ):
            return None
        count = str(scope.node(part).static)
        equations.append(
            (texts.columns_of if part.function == "cols" else texts.rows_of)(_local_name(part.arguments[0].name), count)
        )
        return Name("d_k")

    try:
        return rewrite(tree, short), ", ".join(equations)
    except FAILURES:
        return tree, ""


def _local_name(name: str) -> str:
    """`K_1` of `encoder.layer1.attention.K_1`: the keys of one lesson have the width of all."""
    return name.rpartition(".")[2]


def _divisor(scope: Scope) -> Tree | None:
    """What the scores of this part are divided by, in the names of its steps."""
    scaled = (step.tree for step in scope.part.part.plan.steps if step.base == "S_scaled" and not step.given)
    return next((tree.right for tree in scaled if isinstance(tree, Binary) and tree.operator == "/"), None)


def scale_names(scope: Scope) -> set[str]:
    """The given numbers whose values stand beside the conventions already."""
    scales = (c.value for c in scope.part.part.plan.conventions if c.option == "scale")
    return {name for value in scales for name in names(parse(value))}


def _is_scalar(scope: Scope, name: str) -> bool:
    return name in scope.entries and scope.entries[name].shape == (1, 1)
