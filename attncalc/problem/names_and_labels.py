"""Detects words with two meanings, indices that NumPy reads differently, and equal labels in different orders."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from ..errors import shorten
from ..formula import operations as op
from ..formula.functions import functions
from ..formula.syntax_tree import Binary, Call, Index, Name, Number, Slice, Tree, places, unparse, walk
from ..formula.typed_formula import Labels, Node

_LOGARITHMS = ("log", "ln")


def hidden_meanings(tree: Tree, text: str, is_name: Callable[[str], bool]) -> list[str]:
    """Return warnings about words with two meanings: a name of the file that is also a constant, a function or an
    option.
    """
    return [*constants(tree, is_name), *called(tree, is_name), *option_words(text, is_name), *odd_indices(tree)]


def constants(tree: Tree, is_name: Callable[[str], bool]) -> list[str]:
    """Return warnings about a power or a logarithm of a given or step with the name e."""
    bases: list[Tree] = []
    for part in walk(tree):
        match part:
            case Binary("**", base, _):
                bases.append(base)
            case Call(function, (base,)) if function in _LOGARITHMS:
                bases.append(base)
            case Call(_, _, options):
                bases += [value for option, value in options if option == "base"]
    used = Name("e") in bases and is_name("e")
    return (
        ["`e` means the e that this file defines, not Euler's number; for a power of Euler's number, write exp(x)"]
        if used
        else []
    )


def called(tree: Tree, is_name: Callable[[str], bool]) -> list[str]:
    """Return warnings about a call in another notation whose function is a name of the file: R's `t(A - B)` and a given
    t.
    """
    functions_called = dict.fromkeys(part.source.called for part in walk(tree) if part.source.called)
    return [
        f"{name}(...) calls a function, and the {name} of this file is not used; for a product, write {name} * (...)"
        for name in functions_called
        if is_name(name)
    ]


@lru_cache(maxsize=1)
def _words() -> frozenset[str]:
    return frozenset(word for function in functions().values() for p in function.parameters for word in p.words)


def option_words(text: str, is_name: Callable[[str], bool]) -> list[str]:
    """Return warnings about an option whose value is a word of the formula language, and also a name of the file."""
    options = re.findall(r"\b(\w+)\s*=\s*(\w+)\s*(?=[,)])", text)
    return [
        f"{option}={word} means the word {word}, not the {word} of this file; "
        f'to make this clear, write {option}="{word}"'
        for option, word in options
        if word in _words() and is_name(word)
    ]


def odd_indices(tree: Tree) -> list[str]:
    """Return warnings about indices that NumPy does not accept or that have another meaning there: `A[1.0]` and
    `A[True]`.
    """
    warnings = []
    for part in walk(tree):
        items = [part.rows, part.columns] if isinstance(part, Index) else []
        for item in items:
            for place in () if isinstance(item, Slice) else places(item) or (item,):
                if isinstance(place, Number) and (place.source.truth or not place.text.isdecimal()):
                    what = (
                        "adds a dimension for True or False"
                        if place.source.truth
                        else "rejects a number with a decimal point"
                    )
                    warnings.append(f"the index {unparse(place)} is a position, counted from 0; NumPy {what}")
    return warnings


def mislabelled(node: Node) -> list[str]:
    """Return warnings about operations whose operands have the same labels in different orders."""
    return list(dict.fromkeys(_in_another_order(node)))


def _in_another_order(node: Node) -> Iterator[str]:
    stack, seen = [node], {id(node)}
    while stack:
        part = stack.pop()
        stack += [arg for arg in part.args if id(arg) not in seen]
        seen.update(map(id, part.args))
        match part, part.args:
            case op.Binary(), (a, b):
                pairs: list[tuple[str, Labels, str, Labels]] = [
                    ("rows", a.rows, "rows", b.rows),
                    ("columns", a.columns, "columns", b.columns),
                ]
            case op.MatMul(), (a, b):
                pairs = [("columns", a.columns, "rows", b.rows)]
            case _:
                continue
        for first, labels, second, others in pairs:
            if labels and others and labels != others and (first != second or sorted(labels) == sorted(others)):
                shown = ", ".join(map(shorten, labels[:4])), ", ".join(map(shorten, others[:4]))
                yield (
                    f"the {first} of {a.written} are {shown[0]}, and the {second} of {b.written} are {shown[1]}; "
                    "attncalc combines them in this order, not by their labels"
                )
