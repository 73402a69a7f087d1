"""Words around an answer: which of them leave its numbers as they are, and which may make them others."""

from __future__ import annotations

import re

from .located_text import Written

LONGEST_PHRASE = 200  # characters; the patterns try a longer text at every place
LONGEST_SCALE = 80
# A remark that changes no number: `(rounded to 2 decimals)`, `final`, `✓`
_CHECKED = "✓✔✅☑"
_PLACES = (
    r"(?:decimals?|places?|digits?|figures?|significant|[ds]\.? ?[pf]\b\.?|sig\b\.?|figs?\b\.?|stellen|décimales?)"
)
_REMARK_WORD = (
    r"(?:rounded|rounding|exact|exactly|correct|final|finally|finished|done|corrected|checked|approx|approximately|roughly"
    r"|answer|result|solution|to|in|with|at|on|by|hand|two|three|four|[1-9]|nearest|gerundet|exakt|auf|zwei|drei|vier"
    rf"|nachkommastellen|ergebnis|arrondi|à|deux|trois|{_PLACES}|[{_CHECKED}])"
)
REMARK = rf"(?:(?![0-9])|(?=[0-9] ?{_PLACES})){_REMARK_WORD}(?:[ ,]+{_REMARK_WORD}|(?<=[0-9]){_PLACES})*+[.!]?"
_REMARK_ALONE = re.compile(rf"(?i)\(\s*{REMARK}\s*\)|{REMARK}")
_REMARK_BEHIND = re.compile(rf"(?i)(?<=\S)\s*+(?:\(\s*{REMARK}\s*\)|[{_CHECKED}]+)[.,;]?\s*\Z")
_REMARK_ENDS = frozenset(f").,;{_CHECKED}")
_WORDS = r"[^\W\d_]{2,}(?:[ ,.'’-]+[^\W_]+)*[.!]?"
_BEHIND = re.compile(rf"\(\s*({_WORDS})\s*\)[.,;!]?|(?:<-+|←|--?|—|–|//)\s+({_WORDS})|({_WORDS})")
# Words behind a matrix that may say that other numbers are meant, and names
_CHANGES = re.compile(
    r"(?i)transp|times|scal|mask|before|after|without|divi|multip|plus|minus|per\b|percent|wrong|not\b|old\b|draft|cross"
    r"|inver|squar|unit|guess|column|row|degree|hundred|thousand|\bor\b|\boder\b|mal\b|durch|nicht|falsch|norm|softmax"
    r"|instead|should|would|maybe|error|ignore|discard|replace|delete|try|attempt|exp|log|root|sum|mean|add|subtract|half"
    r"|(?-i:(?<![^\W_])[^\W\d_](?![^\W_])|\b[A-Z][A-Z0-9]|[^\W\d_][0-9])"
)
# A word before a name that may make it the name of another matrix: `scaled S`, `new W`
_OTHER = re.compile(
    r"(?i)(?<![\w.])(?!(?:computed|obtained|required|requested|asked|desired|needed|expected|rounded|calculated|completed"
    r"|corrected|finished|named|called)\s)(?:[a-zé]{3,}(?:ed|iert\w{0,2}|ée?)|raw|old|new|previous|total|twice|double|half"
    r"|negative|inverse|transpose|minus|plus|times|over|softmax|exp|log|sqrt|relu|alte\w?|neue\w?)\s+[*`$]*$"
)
_OF = re.compile(  # `the sum of S and`, `the transpose of`
    r"(?i)([^\W\d_]+)\s+(?:of|over|von|between|to)\s+(?:(?:the|our|matri\w+|[*`$]*[\w^']{1,12}[*`$]*,?\s+(?:and|und|times|by|mal|with))\s+)*[*`$]*$"
)
_NEUTRAL_NOUN = re.compile(
    r"(?i)values?|matri\w+|entries|numbers?|results?|computation|calculation|elements|version|form|equal|leads?|comes?|get"
)
# A unit or a factor, as in `(in %)`, `values × 10⁻¹` and `all divided by √2`
_UNIT = (
    r"(?:(?<![0-9])(?<![0-9] )[%‰]|\bper ?(?:cent|mille)\w*|\bprozent\w*|\bpromille|\bpour ?cent\b"
    r"|\b(?:thousand|hundred|ten)ths?\b"
    r"|(?:[×x·*]|\\times|\\cdot) ?\\?,?\{?10\b|10 ?\^|10[⁰¹²³⁴-⁹⁻]"
    r"|\b(?:divided|multiplied|scaled|skaliert|geteilt|multipliziert) (?:by|with|durch|mit)"
    r" (?:[-+−(√\\$]*[0-9√]|the (?:square )?root|sqrt|\\+sqrt|d_?k?\b)"
    r"|(?:\btimes|\bmal) [-+−(√\\$]?[0-9√]|\b(?:factor|faktor|facteur) [^)]*[0-9√])"
)
_NUMBERS = (
    r"(?:all|the|these|my|each|every|values?|entries|entry|numbers?|weights?|results?|are|is|given|shown|written|in|as"
    r"|note:?|unit:?|alle|werte|angaben|zahlen|en|valeurs)"
)
_SCALE = re.compile(
    rf"(?i)\([^()=]*(?:\([^()]*\))?{_UNIT}[^=:]*\)[.,;]?|\[[^\[\]=]*{_UNIT}[^\[\]=:]*\][.,;]?"
    rf"|(?:(?:{_NUMBERS}[ ,]+)+|(?![%‰×x·*\\])){_UNIT}(?:[^=:.]|\.(?=[0-9]))*[.]?"
    r"|[-+−0-9./√()\\a-z{}^]*[0-9√][-+−0-9./√()\\a-z{}^]* ?(?:times|mal|fois)"
)
# Words that give up an attempt, and words that deny what follows them
_GIVEN_UP = re.compile(
    r"(?i)\b(?:wrong\w*|incorrect\w*|invalid|false|falsch\w*|faux|fausse|old|alte?[rsn]?|drafts?|scratch|rough work"
    r"|(?:first|second|1st|2nd|earlier|previous|failed|\w+er) (?:attempt|try|versuch|essai)|entwurf|discard\w*|ignor\w*"
    r"|delet\w*|crossed|unused|(?:do not|don't) (?:grade|mark|count|read)|not (?:needed|used|final|valid))\b"
)
_DENIED = re.compile(
    r"(?i)\b(?:not(?! (?:forget|only|to)\b)|no|never|without|instead of|unlike|nicht|kein\w*|ohne|sans)\b[^,;.!?]*$"
)


# The words in the header of a table for the names of steps, and for answers
_HEADS = dict.fromkeys(
    ("step", "steps", "matrix", "quantity", "name", "task", "schritt", "größe", "aufgabe", "étape"), "step"
) | dict.fromkeys((
    "answer", "answers", "value", "values", "result", "results", "antwort", "wert", "ergebnis", "lösung", "réponse",
    "valeur",
), "answer")  # fmt: skip


def headed(head: str) -> str:
    """Return what a head says of the cells below it: `step` for names of steps, `answer`, or nothing of both."""
    return _HEADS.get(head.strip("*`$ .:").casefold(), "")


def is_remark(text: str) -> bool:
    """Return whether a text is a remark that changes no number, such as `(rounded to 2 decimals)`."""
    return len(text) <= LONGEST_PHRASE and bool(_REMARK_ALONE.fullmatch(text))


def without_remark(written: Written) -> Written:
    """Return a number or a matrix without the remark behind it: `0.5 (rounded)`, `[1, 2] ✓`."""
    text = written.text.rstrip()
    if text[-1:] not in _REMARK_ENDS:
        return written
    behind = _REMARK_BEHIND.search(text, max(0, len(text) - LONGEST_PHRASE))
    return written.part(0, behind.start()) if behind else written


def remark_in(text: str) -> str:
    """Return the words behind a matrix, as in `(final)` or `<- rounded`; nothing if they may change the matrix."""
    if is_remark(bare := text.strip(" \t\r\n*`$\\")):
        return bare
    match = _BEHIND.fullmatch(bare)
    words = (match[1] or match[2] or match[3]).strip() if match else ""
    return "" if _CHANGES.search(words) else words


def is_of_another(before: str) -> bool:
    """Return whether the words before a name may make it the name of another matrix."""
    of = _OF.search(before)
    return bool(_OTHER.search(before) or of and not _NEUTRAL_NOUN.fullmatch(of[1]))


def is_scale(line: str) -> bool:
    """Return whether a line says of the numbers beside it that they have a unit or a factor."""
    text = line.strip(" \t*`$_")
    return len(text) <= LONGEST_SCALE and bool(_SCALE.fullmatch(text))


def is_given_up(text: str) -> bool:
    """Return whether a heading or a label denies that the matrices below it are answers."""
    return bool(_GIVEN_UP.search(text[:LONGEST_PHRASE]))


def is_denied(before: str) -> bool:
    """Return whether the words before a name deny that its matrix is an answer: `Wrong: S =`, `Without mask: S =`."""
    return is_given_up(before) or bool(_DENIED.search(before[-LONGEST_PHRASE:]))
