"""The interface of lessons. A lesson is a function that returns formulas, with its inputs and options.

The function takes a Setting (the inputs and options of the problem), and returns recipes: pairs of a step's name and
its formula over inputs and earlier steps. Lessons contain no arithmetic and no output.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Context, Decimal
from fractions import Fraction
from math import inf
from types import MappingProxyType
from typing import NamedTuple

from ..errors import FormulaError, did_you_mean, meant, shorten, size
from ..formula.index_base import counted_place, row_and_column
from ..formula.parser import parse, pasted
from ..formula.syntax_tree import Call, Index, Name, Number, Slice, Text, Tree, rewrite, transposed, unparse
from ..formula.typed_formula import Entry, Labels, Shape
from ..plan import Convention
from .synonyms import synonym_hint

MASK_WORDS = ("causal", "causal_strict")  # masks with the size of the scores
MOST_NUMBERED = 64  # the largest k of numbered inputs such as g_k
FEATURES = "features"  # the shape of a row with an entry for each feature, such as a bias
NUMBER = "number"  # the shape of a single number
CHECKED = "checked"  # instead of a shape: the lesson's function checks the shape
STEP_PREFIX = "own step:"  # marks the name of a lesson's step in an argument


class Input(NamedTuple):
    """A matrix input of a lesson. Its value is the given with its name, or an argument.

    - `numbered`: there may be several inputs, such as `W_Q_1`, `W_Q_2` for heads.
    - `named`: only an argument gives its value, never the given with its name.
    - `demand`: a key of DEMANDS, which is a condition for its numbers.
    - `also`: other names that a file may use.
    - `shape`: FEATURES, NUMBER or CHECKED, or names of inputs. The first of them that exists has the same shape.
    """

    name: str
    doc: str
    optional: bool = False
    numbered: bool = False
    named: bool = False
    demand: str = ""
    also: tuple[str, ...] = ()
    shape: str = ""


class Option(NamedTuple):
    """An option: a formula, a 0/1 mask, an integer up to `largest`, a flag, a text, or one of several words.

    - A formula is a single number, unless its `shape` is empty.
    - `default` is its text.
    - `examples` are further values for editors and tests.
    - `also`: other names that a file may use.
    - `ends`: it may end a trace early. For some numbers, it has no effect.
    """

    name: str
    kind: str
    default: str
    doc: str
    words: tuple[str, ...] = ()
    numbered: bool = False
    demand: str = ""
    largest: int = 64
    examples: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    shape: str = NUMBER
    ends: bool = False

    @property
    def documented_values(self) -> tuple[str, ...]:
        """The values in the documentation: the default, the words or truth values, and the examples."""
        stated = ("true", "false") if self.kind == "flag" else self.words
        return tuple(dict.fromkeys((self.default, *stated, *self.examples)))


# Conditions for the numbers of inputs and options: a description and a test.
DEMANDS: dict[str, tuple[str, Callable[[Entry], bool]]] = {
    "positive": ("a number above 0", lambda x: 0 < x < inf),
    "not negative": ("0 or more", lambda x: 0 <= x < inf),
    "count": ("a whole number of at least 1", lambda x: 0 < x < inf and x == int(x)),
    "steps": ("a whole number of at least 0", lambda x: 0 <= x < inf and x == int(x)),
    "share": ("a number from 0 to 1", lambda x: 0 <= x <= 1),
    "probabilities": ("from 0 to 1", lambda x: 0 <= x <= 1),
    "mask": ("1 where a mask keeps an entry and 0 elsewhere", lambda x: x in (0, 1)),
}


# How words are written in titles
_SPELT = {
    "self attention": "self-attention", "cross attention": "cross-attention", "multi head": "multi-head",
    "feed forward": "feed-forward", "cross entropy": "cross-entropy", "byte pair": "byte-pair", "ngram": "n-gram",
    "rms": "RMS", "bleu": "BLEU", "lora": "LoRA", "llama": "LLaMA", "jacobian": "Jacobian",
}  # fmt: skip


class Lesson(NamedTuple):
    """A list of formulas with names. `steps` describes them by name; the last step is the result.

    - `trace` replaces `recipes` if the number of steps depends on values, as in decoding up to the end token. It is a
      generator that yields recipes, and receives the values that it requests.
    - `zero` contains explanations of a division by zero, by step.
    - `digits` is the default number of decimals.
    - `counts` contains the names of the steps that are counts; `*` means all steps.
    - `source` cites the papers and libraries that define the lesson and its options.
    - `repeated` contains the names of the steps that a formula repeats for each row of another step.
    """

    name: str
    doc: str
    inputs: tuple[Input, ...]
    options: tuple[Option, ...]
    steps: dict[str, str]
    recipes: Callable[[Setting], list[Recipe]]
    prefixes: str = ""
    trace: Callable[[Setting], Trace] | None = None
    zero: Mapping[str, str] = MappingProxyType({})
    digits: int = 4
    counts: tuple[str, ...] = ()
    source: str = ""
    repeated: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The name in words: `Multi-head attention`."""
        title = self.name.replace("_", " ")
        for words, spelling in _SPELT.items():
            title = title.replace(words, spelling)
        return title[0].upper() + title[1:]

    def input(self, name: str) -> Input | None:
        """Return the input with this name, or None. The name may have a prefix such as `enc1_`, which fits
        `prefixes`.
        """
        if self.prefixes:
            name = re.sub(f"^(?:{self.prefixes})", "", name)
        return next((i for i in self.inputs if i.name == name or i.numbered and _numbered(name, i.name)), None)

    def declared_name(self, name: str) -> str:
        """Return the name of the input or option for a name in a file: `tokens` for `n`. Return other names
        unchanged.
        """
        declarations: list[Input | Option] = [*self.inputs, *self.options]
        return next((known.name for known in declarations if name in known.also), name)

    def is_prefixed(self, name: str) -> bool:
        return bool(self.prefixes and re.match(self.prefixes, name) and self.input(name))

    def option(self, name: str) -> Option | None:
        """Return the option with this name (`W_Q2` for numbered options), or None."""
        return next((o for o in self.options if o.name == name or o.numbered and _numbered(name, o.name)), None)


class Sub(NamedTuple):
    """A lesson inside a lesson. The names of its steps begin with the name of the recipe. In formulas, this name means
    the result of the inner lesson.

    `arguments` are formulas or trees over inputs and steps of the outer lesson. Other inputs are inherited, except
    those in `hidden`. Each of `prefixes` is tried in order, as in `cross_W_Q`. The first input that exists is
    inherited.
    """

    lesson: Lesson
    arguments: dict[str, str | Tree]
    prefixes: tuple[str, ...] = ("",)
    hidden: tuple[str, ...] = ()


Recipe = tuple[str, "str | Sub"]


class Ask(NamedTuple):
    """The request of a trace for the integer in a row of a step. The step has one column."""

    step: str
    row: int = 0


Trace = Generator["Recipe | Ask", int, None]


def _numbered(name: str, base: str) -> bool:
    return name.startswith(base + "_") and name[len(base) + 1 :].isdigit()


class Undeclared(LookupError):
    """Raised if a lesson's formulas use an undeclared name. This is an error in the lesson, not in a problem."""

    def __init__(self, lesson: Lesson, name: str):
        super().__init__(f"{lesson.name} uses {name}, which is not one of its inputs, options and steps")


@dataclass(eq=False, repr=False)
class Setting:
    """The arguments of a lesson in a problem. A lesson can read only its declared inputs and options.

    `shape_of` returns the shape of a tree. `find_given` returns whether a given has this name.
    """

    lesson: Lesson
    arguments: dict[str, Tree]
    columns: bool
    shape_of: Callable[[Tree], Shape]
    find_given: Callable[[str], bool]
    static_of: Callable[[Tree], Fraction | None]
    numbers_of: Callable[[Tree], Sequence[Sequence[Entry]] | None]
    labels_of: Callable[[Tree], tuple[Labels, Labels]]
    conventions: list[Convention] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    trees: dict[str, Tree] = field(default_factory=dict)
    labels: dict[str, tuple[Labels, Labels]] = field(default_factory=dict)
    divisors: list[str] = field(default_factory=list)  # divisors of scores from the option `scale`
    found_from: str = ""  # the first step whose labels depend on results

    def __post_init__(self) -> None:
        for name, tree in self.arguments.items():
            if self.lesson.input(name) or self.lesson.option(name) and not _is_none(tree):
                self.trees[name] = tree

    def has(self, name: str) -> bool:
        """Return whether there is an argument or a given for an input. Raises Undeclared for unknown inputs."""
        declaration = self.lesson.input(name)
        if declaration is None:
            raise Undeclared(self.lesson, name)
        if name in self.arguments:
            return not _is_none(self.arguments[name])
        return not declaration.named and self.find_given(name)

    def shape(self, name: str) -> Shape:
        """Return the shape of an input. Raises FormulaError if the input does not exist."""
        if not self.has(name):
            hint = f": write {{{name}: {name}}} to use the given" if self.find_given(name) else ""
            raise FormulaError(f"{self.lesson.name} needs {name}{hint}")
        return self.shape_of(self.trees.get(name, Name(name)))

    def find_option(self, name: str) -> Option:
        """Return the option with this name. Raises Undeclared for unknown options."""
        option = self.lesson.option(name)
        if option is None:
            raise Undeclared(self.lesson, name)
        return option

    def is_unset(self, option: str) -> bool:
        return self.find_option(option).name not in self.arguments

    def label(self, step: str, rows: Labels, columns: Labels) -> None:
        """Set the labels of the rows and columns of a step. None keeps the labels, and () removes them."""
        self.labels[step] = rows, columns

    def assume(self, name: str, value: str) -> None:
        """Set an input or an option, unless the file sets it."""
        if not (self.has(name) if self.lesson.input(name) else name in self.arguments):
            self.arguments[name] = self.trees[name] = parse(value)

    def repeats_default(self, name: str) -> bool:
        return name in self.arguments and unparse(self.arguments[name]) == self.find_option(name).default

    def is_default(self, name: str) -> bool:
        """Return whether an option has its default value, also if the file states this value."""
        return self.is_unset(name) or self.repeats_default(name)

    def text(self, name: str, head: str = "") -> str | None:
        """Return the name of a formula option for use in recipes; None if it is `none`. The option of a head has
        priority.
        """
        option, head_option = self.find_option(name), name + head
        argument = head_option if head and head_option in self.arguments else name
        if argument in self.arguments:
            return None if _is_none(self.arguments[argument]) else argument
        if option.default == "none":
            return None
        self.trees[name] = parse(option.default)
        return name

    def word(self, name: str) -> str:
        """Return the value of a word option. Raises FormulaError for other words."""
        option = self.find_option(name)
        if name not in self.arguments:
            return option.default
        tree = self.arguments[name]
        word = word_of(tree)
        if word not in option.words:
            choices = ", ".join(option.words)
            near = synonym_hint(word, option.words) or did_you_mean(word, option.words)
            raise FormulaError(f"{name}: expected one of {choices}, found {shorten(word)!r}{near}", tree.at, name)
        return word

    def quoted(self, name: str) -> str:
        """Return the value of a text option; empty for `none`. Raises FormulaError for a word or a formula."""
        option, tree = self.find_option(name), self.arguments.get(name)
        if tree is None or _is_none(tree):
            return ""
        if not isinstance(tree, Text):
            expected = f"a text such as {option.examples[0]!r}" if option.examples else "a text"
            raise FormulaError(f"{name}: expected {expected}, found {shorten(unparse(tree))!r}", tree.at, name)
        return tree.value

    def flag(self, name: str) -> bool:
        """Return the value of a flag. Raises FormulaError for other words, Undeclared for unknown options."""
        default = self.find_option(name).default == "true"
        if name not in self.arguments:
            return default
        word = unparse(self.arguments[name])
        if word not in ("true", "false"):
            raise FormulaError(
                f"{name}: expected true or false, found {shorten(word)!r}", self.arguments[name].at, name
            )
        return word == "true"

    def integer(self, name: str, largest: int | None = None) -> int | None:
        """Return the value of an integer option; None for `none`. Raises FormulaError outside 1 to `largest`."""
        option = self.find_option(name)
        tree = self.arguments.get(name) or parse(option.default)
        if _is_none(tree):
            return None
        largest = largest or option.largest
        if not isinstance(tree, Number) or tree.value.denominator != 1 or not 1 <= tree.value <= largest:
            raise FormulaError(
                f"{name}: expected a whole number from 1 to {largest}, found {shorten(unparse(tree))!r}", tree.at, name
            )
        return int(tree.value)

    def option_text(self, name: str) -> str:
        """Return the text of a formula option, for the conventions."""
        return unparse(self.trees[name]) if name in self.trees else "none"

    def pass_on(self, *names: str) -> dict[str, str | Tree]:
        """Return the arguments with these names, or with these names and a number, for an inner lesson."""
        return {n: t for n, t in self.arguments.items() if without_head(n) in names or n in names}

    def faults(self) -> list[FormulaError]:
        """Return the errors of options with a wrong kind of value, of wrong shapes, and of numbers that are not
        allowed.
        """
        errors: list[FormulaError] = []
        for option in self.lesson.options:
            check = {"word": self.word, "flag": self.flag, "whole": self.integer, "text": self.quoted}.get(option.kind)
            try:
                if check and option.name in self.arguments:
                    check(option.name)
            except FormulaError as error:
                errors.append(error)
        declarations: list[Input | Option] = [*self.lesson.inputs, *self.lesson.options]
        demanded = [(d, d.demand or "mask" * (isinstance(d, Option) and d.kind == "mask")) for d in declarations]
        refusals = [self._refusal(demand, name) for d, demand in demanded if demand for name in self._names(d)]
        formulas = [d for d in declarations if isinstance(d, Input) or d.kind == "formula"]
        shaped = [(d.shape, name) for d in formulas if d.shape for name in self._names(d)]
        refusals += [self._misshapen(shape, name) for shape, name in shaped]
        return errors + [error for error in refusals if error is not None]

    def _names(self, declaration: Input | Option) -> list[str]:
        """Return the names under which a file gives an input or an option, such as `mask_1` and `mask_2` for heads."""
        stated = [name for name in self.arguments if declaration in (self.lesson.input(name), self.lesson.option(name))]
        if stated or not isinstance(declaration, Input):
            return stated
        numbers = [f"{declaration.name}_{k}" for k in range(1, MOST_NUMBERED + 1)] if declaration.numbered else []
        return [name for name in (declaration.name, *numbers) if self.has(name)]

    def _misshapen(self, shape: str, name: str) -> FormulaError | None:
        """Return the error for an input with a wrong shape, which a formula would broadcast; otherwise None."""
        tree = self.arguments.get(name, Name(name))
        like = next((other for other in shape.split() if self.lesson.input(other) and self.has(other)), "")
        if _is_none(tree) or not like and shape not in (FEATURES, NUMBER):
            return None
        try:
            rows, columns = actual = self.shape_of(tree)
            demanded = self.shape(like) if like else (1, 1) if shape == NUMBER else None
        except FormulaError:  # the error is reported at the formula
            return None
        if actual == demanded or demanded is None and (rows == 1 or columns == 1 and self.columns):
            return None
        what = f"the shape of {like}, {size(demanded)}" if like and demanded else "a single number"
        what = what if demanded else "a row with an entry for each feature"
        fits_transposed = actual[::-1] == demanded or demanded is None and columns == 1
        hint = meant(unparse(transposed(tree))) if fits_transposed else ""
        return FormulaError(f"{name}: expected {what}, found {size(actual)}{hint}", tree.at, name)

    def _refusal(self, demand: str, name: str) -> FormulaError | None:
        """Return the error for the first number that an input or option does not allow, otherwise None."""
        what, suits = DEMANDS[demand]
        tree = self.arguments.get(name, Name(name))
        if _is_none(tree) or isinstance(tree, Name) and tree.name in MASK_WORDS:
            return None
        rows = self.numbers_of(tree) or ()
        for i, j, x in ((i, j, x) for i, row in enumerate(rows) for j, x in enumerate(row) if not suits(x)):
            formula_text, number = shorten(unparse(tree)), number_text(x)
            is_matrix = isinstance(tree, Name) or isinstance(tree, Call) and tree.function in ("hstack", "vstack")
            is_literal = is_matrix or formula_text.replace(" ", "") in (number, str(x))
            actual = number if is_literal else f"{formula_text}, which is {number}"
            cell_place = row_and_column(i, j) if len(rows) > 1 else f"column {counted_place(j)}"
            place = f" in {cell_place}" if len(rows) * len(rows[0]) > 1 else ""
            message = f"{name}: expected {what}, found {actual}{place}"
            return FormulaError(f"{message}{self.as_bias(name) if demand == 'mask' and x < 0 else ''}", tree.at, name)
        return None

    def as_bias(self, mask: str) -> str:
        """Return a suggestion to use a mask with −∞ or other negative numbers as a bias; empty if there is no such
        option.
        """
        bias = mask.replace("mask", "bias")
        return meant(f"{bias}: {pasted(self.arguments[mask])}") if self.lesson.option(bias) else ""

    def id(self, name: str) -> int | None:
        """Return the index of a token; None for `none`. Raises FormulaError unless numbers in the file determine it."""
        tree = self.arguments.get(name) or parse(self.find_option(name).default)
        if _is_none(tree):
            return None
        value = self.static_of(tree)
        if value is None or value.denominator != 1 or value < 0:
            raise FormulaError(
                f"{name}: expected a token ID, 0 or more, found {shorten(unparse(tree))!r}", tree.at, name
            )
        return int(value)

    def check_probabilities(self, name: str) -> None:
        """Raise FormulaError if given probabilities are negative, or do not sum to 1 within rounding."""
        rows = self.numbers_of(self.trees.get(name, Name(name))) if self.has(name) else None
        for i, row in enumerate(zip(*rows, strict=True) if rows and self.columns else rows or ()):
            total, least = sum(row), min(row)
            if least < 0 or abs(total - 1) > Fraction(1, 50):
                what = f"{'column' if self.columns else 'row'} {counted_place(i)} of {name}"
                reason = f"holds {_significant(least)}" if least < 0 else f"sums to {_significant(total)}"
                raise FormulaError(f"probabilities must be at least 0 and sum to 1; {what} {reason}", about=name)

    def refuse_columns(self, taken: str, instead: str = "transposes") -> None:
        """Raise FormulaError if tokens are columns, for a lesson that does not support columns. `taken` describes its
        inputs.
        """
        if self.columns:
            raise FormulaError(f"{self.lesson.name} reads {taken}; with column vectors, give it the {instead}")

    def warn(self, text: str) -> None:
        """Add a warning for the author. The arguments are valid nevertheless."""
        self.warnings.append(text)

    def say(self, option: str, value: str) -> None:
        """Add the value of an option, which may be the default, to the conventions of the solution."""
        declaration = self.lesson.option(option)
        doc = declaration.doc if declaration else ""
        self.conventions.append(Convention(option, value, option not in self.arguments, doc))

    def say_word(self, name: str) -> str:
        """Return the value of a word option, and add it to the conventions."""
        word = self.word(name)
        self.say(name, word)
        return word

    def say_formula(self, name: str) -> None:
        """Add the formula of an option to the conventions."""
        self.text(name)
        self.say(name, self.find_option(name).default if self.is_unset(name) else self.option_text(name))


def number_text(x: Entry) -> str:
    """Return a number as a decimal with at most six digits after the point, such as 2.5, or as a fraction, such as
    -1/3.
    """
    if not isinstance(x, Fraction):
        return str(x)
    millionths = abs(x) * 10**6
    if millionths.denominator > 1:
        return shorten(str(x))
    whole, rest = divmod(millionths.numerator, 10**6)
    return shorten(f"{'-' * (x < 0)}{whole}.{rest:06}".rstrip("0").rstrip("."))


def _significant(x: Entry) -> str:
    """Return a number rounded to four significant digits."""
    if not isinstance(x, Fraction):
        return str(x)
    return f"{Context(prec=4).divide(Decimal(x.numerator), Decimal(x.denominator)).normalize():g}"


def _is_none(tree: Tree) -> bool:
    return isinstance(tree, Name) and tree.name == "none"


def without_head(name: str) -> str:
    """Return a step's name without its head: `A` for `A_1`."""
    return re.sub(r"_\d+$", "", name)


def lesson_step(name: str) -> Name:
    """Return the name of a lesson's step, marked for use in an argument. Other names in an argument are the
    author's.
    """
    return Name(STEP_PREFIX + name)


def word_of(tree: Tree) -> str:
    """Return the text of an argument that is a word, with or without quotes."""
    return tree.value if isinstance(tree, Text) else unparse(tree)


def formula_call(function: str, arguments: Sequence[str], options: dict[str, str | None]) -> str:
    """Return the text of a call such as `softmax(S, base=base)`. Options with the value None are left out."""
    words = [*arguments, *(f"{name}={value}" for name, value in options.items() if value is not None)]
    return f"{function}({', '.join(words)})"


def fill_slope(tree: Tree, slope: Tree) -> Tree:
    """Return a bias with the slope inserted into the word `alibi` or into `alibi(sides="both")`."""

    def fill(part: Tree) -> Tree | None:
        if isinstance(part, Name) and part.name == "alibi":
            return Call("alibi", (slope,), (), part.at)
        if isinstance(part, Call) and part.function == "alibi" and not part.arguments:
            return Call("alibi", (slope,), part.options, part.at)
        return None

    return rewrite(tree, fill)


def fill_size(tree: Tree, rows: Tree, columns: Tree, before: int = 0) -> Tree:
    """Return a mask or a bias with its sizes inserted: causal(n, m) for `causal`, band(n, m, 1) for `band(1)`.

    `before` is the number of tokens before the first query. The queries are then the last rows of a larger mask.
    """
    max_arguments = {"causal": 0, "causal_strict": 0, "band": 2, "alibi": 1, "links": 1, "global_tokens": 1}

    def fill(part: Tree) -> Tree | None:
        if isinstance(part, Name) and part.name == "causal" and before:
            return Call("causal", (rows, columns), (("offset", Number(str(before))),), part.at)
        if isinstance(part, Name) and part.name in MASK_WORDS:
            part = Call(part.name, (), (), part.at)
        match part:
            case Call("causal", (number,), options) if "offset" not in dict(options):
                shown = shorten(unparse(number))
                message = f"causal({shown}) may be a size or an offset; write causal, or causal(offset={shown})"
                raise FormulaError(message, part.at, "mask")
        if (
            isinstance(part, Call)
            and part.function in max_arguments
            and len(part.arguments) <= max_arguments[part.function]
        ):
            if not before or part.function == "causal":
                return Call(part.function, (rows, columns, *part.arguments), part.options, part.at)
            square = Call(part.function, (columns, columns, *part.arguments), part.options, part.at)
            return Index(square, Slice(Number(str(before)), None), None, part.at)
        return None

    return rewrite(tree, fill)
