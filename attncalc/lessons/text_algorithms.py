"""Text algorithms as tables whose rows and columns have words as labels: byte-pair merges, BLEU, n-gram perplexity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..errors import FormulaError, counted, shorten
from ..formula.syntax_tree import Name, unparse
from .lesson import Lesson, Option, Recipe, Setting, word_of

MOST_WORDS, LONGEST_WORD, MOST_PAIRS = 200, 40, 64
SEPARATOR = "|"


def _words(s: Setting, option: str) -> list[str]:
    """Return the words of an option. Raises FormulaError for no words, long words, and too many words."""
    tree = s.arguments.get(option)
    if tree is None or isinstance(tree, Name) and tree.name == "none":
        raise FormulaError(f"{s.lesson.name} needs {option}: words with spaces between them", about=option)
    words = word_of(tree).split()
    too_long = next((word for word in words if len(word) > LONGEST_WORD), None)
    if too_long is not None:
        raise FormulaError(
            f"{option}: words have at most {LONGEST_WORD} letters; {shorten(too_long)!r} has {len(too_long):,}",
            about=option,
        )
    if not words or len(words) > MOST_WORDS:
        raise FormulaError(f"{option}: expected from 1 to {MOST_WORDS} words, found {len(words):,}", about=option)
    return words


def _sentences(s: Setting, option: str) -> list[list[str]]:
    """Return the sentences of an option, which are separated by |."""
    sentences: list[list[str]] = [[]]
    for word in _words(s, option):
        if word == SEPARATOR:
            sentences.append([])
        else:
            sentences[-1].append(word)
    if not all(sentences):
        raise FormulaError(f"{option}: expected words on both sides of each {SEPARATOR}", about=option)
    return sentences


def _say(s: Setting, *options: str) -> None:
    """Add the words of these options to the conventions."""
    for option in options:
        s.say(option, " ".join(_words(s, option)))


def _grid(rows: Sequence[Sequence[int]]) -> str:
    return f"vstack({', '.join(_line(row) for row in rows)})"


def _line(row: Sequence[int]) -> str:
    return f"hstack({', '.join(map(str, row))})"


# -- byte pairs --------------------------------------------------------------------------------------------------------


def _merges(s: Setting) -> list[Recipe]:
    """Return the steps of each merge: the table of pairs, their counts, and the first of the most frequent pairs."""
    counts = Counter(_words(s, "words"))
    end = s.flag("end_mark")
    spellings = {word: [*word, *(["_"] if end else [])] for word in counts}
    words = tuple(counts)
    _say(s, "words")
    s.say("end_mark", "_" if end else "none")
    steps: list[Recipe] = [("counts", _grid([[count] for count in counts.values()]))]
    s.label("counts", words, None)
    for t in range(1, (s.integer("merges") or 3) + 1):
        pairs = list(
            dict.fromkeys(pair for word in words for pair in zip(spellings[word], spellings[word][1:], strict=False))
        )
        if not pairs:
            break
        if len(pairs) > MOST_PAIRS:
            raise FormulaError(
                f"byte_pair_merges shows at most {MOST_PAIRS} pairs; these words have {len(pairs)}", about="words"
            )
        table = [
            [Counter(zip(spellings[word], spellings[word][1:], strict=False))[pair] for word in words] for pair in pairs
        ]
        totals = [sum(n * counts[word] for n, word in zip(row, words, strict=True)) for row in table]
        best = max(range(len(pairs)), key=totals.__getitem__)
        labels = tuple(f"{a} {b}" for a, b in pairs)
        s.label(f"in_words_{t}", labels, words)
        steps += [
            (f"in_words_{t}", _grid(table)),
            (f"pairs_{t}", f"in_words_{t} @ counts"),
            (f"merge_{t}", f"pairs_{t}[{best}]"),
        ]
        spellings = {word: _merge_pair(symbols, pairs[best]) for word, symbols in spellings.items()}
    tokens = tuple(dict.fromkeys(symbol for word in words for symbol in spellings[word]))
    s.label("tokens", words, tokens)
    s.found_from = "merge_1"
    return [*steps, ("tokens", _grid([[spellings[word].count(token) for token in tokens] for word in words]))]


def _merge_pair(symbols: list[str], pair: tuple[str, str]) -> list[str]:
    """Return the symbols of a word after each occurrence of the pair is merged, from left to right."""
    new_symbols: list[str] = []
    at = 0
    while at < len(symbols):
        is_pair = tuple(symbols[at : at + 2]) == pair
        new_symbols.append("".join(pair) if is_pair else symbols[at])
        at += 2 if is_pair else 1
    return new_symbols


BYTE_PAIR_MERGES = Lesson(
    "byte_pair_merges",
    "Byte-pair encoding: repeatedly, the most frequent pair of neighbouring symbols in the words becomes one symbol.",
    (),
    (
        Option(
            "words",
            "text",
            "none",
            "the words of a text, with repetitions: low low lower newest",
            examples=("low low lower",),
        ),
        Option("merges", "whole", "3", "the number of merges", largest=24, examples=("1",)),
        Option("end_mark", "flag", "true", "false omits the _ that marks the end of a word"),
    ),
    {
        "counts": "how often each word occurs in the text",
        "in_words_1": "how often each pair occurs in each word; a row per pair, in the order in which they first occur",
        "pairs_1": "how often each pair occurs in the text",
        "merge_1": "how often the most frequent pair occurs; it becomes one symbol (the first one, if several are "
        "equally frequent)",
        "tokens": "how often each token occurs in each word after the last merge; a column per token, in the order in "
        "which they first occur",
    },
    _merges,
    counts=("*",),
    source="Sennrich et al. 2016.",
)


# -- BLEU --------------------------------------------------------------------------------------------------------------


def _ngrams(words: Sequence[str], n: int) -> Counter[str]:
    return Counter(" ".join(words[i : i + n]) for i in range(len(words) - n + 1))


def _bleu(s: Setting) -> list[Recipe]:
    candidate, references, max_order = _words(s, "candidate"), _sentences(s, "reference"), s.integer("longest", 4) or 4
    if len(candidate) < max_order:
        message = (
            f"the candidate has {counted(len(candidate), 'word')}, too few for n-grams of {max_order} words; "
            f"use longest: {len(candidate)}"
        )
        raise FormulaError(message, about="longest")
    smoothing = s.word("smoothing")
    _say(s, "candidate", "reference")
    s.say("longest", str(max_order))
    s.say("smoothing", smoothing)
    steps: list[Recipe] = []
    for n in range(1, max_order + 1):
        candidate_counts, reference_counts = _ngrams(candidate, n), [_ngrams(reference, n) for reference in references]
        s.label(f"counted_{n}", tuple(candidate_counts), ("candidate", "reference"))
        steps.append(
            (
                f"counted_{n}",
                _grid(
                    [
                        [count, max(counts[gram] for counts in reference_counts)]
                        for gram, count in candidate_counts.items()
                    ]
                ),
            )
        )
        s.label(f"clipped_{n}", tuple(candidate_counts), ())
        steps.append((f"clipped_{n}", f"minimum(counted_{n}[:, 0], counted_{n}[:, 1])"))
    along = range(1, max_order + 1)
    labels = tuple(f"n = {n}" for n in along)
    for name in ("matches", "grams", "precision"):
        s.label(name, None, labels)
    for name in ("geometric_mean", "brevity", "BLEU"):
        s.label(name, None, ())
    s.label("lengths", None, ("candidate", "reference"))
    precision_formulas = {
        "none": "matches / grams",
        "add_one": f"(matches + {_line([n > 1 for n in along])}) / (grams + {_line([n > 1 for n in along])})",
    }
    nearest = min((len(reference) for reference in references), key=lambda size: (abs(size - len(candidate)), size))
    product = " * ".join(f"precision[0, {k}]" for k in range(max_order)) if max_order > 1 else "precision"
    return [
        *steps,
        ("matches", f"hstack({', '.join(f'total(clipped_{n})' for n in along)})"),
        ("grams", f"hstack({', '.join(f'total(counted_{n}[:, 0])' for n in along)})"),
        ("precision", precision_formulas[smoothing]),
        ("geometric_mean", f"({product}) ** (1 / {max_order})"),
        ("lengths", _line([len(candidate), nearest])),
        ("brevity", "minimum(1, exp(1 - lengths[0, 1] / lengths[0, 0]))"),
        ("BLEU", "brevity * geometric_mean"),
    ]


BLEU = Lesson(
    "bleu",
    "BLEU of a translation: for each n, the share of its n-grams that occur in a reference; the geometric mean of "
    "these shares, times a penalty for short translations.",
    (),
    (
        Option("candidate", "text", "none", "the words of the translation", examples=("the cat sat on the mat",)),
        Option("reference", "text", "none", "the words of the reference, or several references with | between them",
            examples=("a cat sat on the mat",)),
        Option("longest", "whole", "4", "the number of words of the longest n-grams", largest=4, examples=("2",)),
        Option("smoothing", "word", "none", "add_one adds 1 to the numbers of matches and of n-grams, for "
            "n-grams of two or more words",
            ("none", "add_one")),
    ),
    {
        "counted_1": "how often each n-gram occurs in the translation, and in the reference that contains it most "
        "often",
        "clipped_1": "the smaller of the two counts: an n-gram counts no more often than in that reference",
        "matches": "the correct n-grams: the sums of the smaller counts, for n = 1, 2, ...",
        "grams": "the number of n-grams in the translation, with repetitions",
        "precision": "the share of the translation's n-grams that are correct",
        "geometric_mean": "the geometric mean of these shares: the root of their product",
        "lengths": "the number of words in the translation (c), and in the reference with the nearest length (r; the "
        "shorter one, if two are equally near)",
        "brevity": "the factor that penalises a translation shorter than its reference: exp(1 − r / c), but at most 1",
        "BLEU": "the geometric mean times the penalty",
    },
    _bleu,
    counts=("counted", "clipped", "matches", "grams", "lengths"),
    source="Papineni et al. 2002; smoothing: add_one follows Lin and Och 2004.",
)  # fmt: skip


# -- perplexity --------------------------------------------------------------------------------------------------------


def _perplexity(s: Setting) -> list[Recipe]:
    text, (sentence, *others), order = _sentences(s, "text"), _sentences(s, "sentence"), s.integer("order") or 2
    if others:
        raise FormulaError("sentence is one sentence; text is several, with | between them", about="sentence")
    framed = [["<s>"] * (order - 1) + words + ["</s>"] for words in (*text, sentence)]
    gram_counts, context_counts = Counter[str](), Counter[str]()
    for words in framed[:-1]:
        gram_counts += _ngrams(words, order)
        context_counts += _ngrams(words[: len(words) - 1], order - 1) if order > 1 else Counter({"": len(words)})
    sentence_words = framed[-1]
    grams = [sentence_words[i : i + order] for i in range(len(sentence_words) - order + 1)]
    vocabulary = len({word for words in framed[:-1] for word in words} - {"<s>"})
    s.label("counted", tuple(" ".join(gram) for gram in grams), ("n-gram", "context"))
    for name in ("P", "losses"):
        s.label(name, tuple(" ".join(gram) for gram in grams), ())
    _say(s, "text", "sentence")
    s.say("order", str(order))
    if order > 1:
        s.say("before_a_sentence", " ".join(["<s>"] * (order - 1)))
    s.say("after_a_sentence", "</s>")
    s.say("add", "0" if s.is_default("add") else unparse(s.arguments["add"]))
    if not s.is_default("add"):
        s.say("size_of_vocabulary", str(vocabulary))
    smoothed = f"(counted[:, 0] + add) / (counted[:, 1] + add * {vocabulary})"
    return [
        ("counted", _grid([[gram_counts[" ".join(gram)], context_counts[" ".join(gram[:-1])]] for gram in grams])),
        ("P", smoothed if s.text("add") and not s.is_default("add") else "counted[:, 0] / counted[:, 1]"),
        ("losses", "-log(P)"),
        ("loss", "mean(losses)"),
        ("perplexity", "exp(loss)"),
    ]


NGRAM_PERPLEXITY = Lesson(
    "ngram_perplexity",
    "The perplexity of a sentence from counts: the probability of each word, given the words before it, is estimated "
    "from a text.",
    (),
    (
        Option("text", "text", "none", "the sentences whose n-grams are counted, separated by |",
            examples=("the cat sat | the dog sat",)),
        Option("sentence", "text", "none", "the sentence whose perplexity is asked for", examples=("the cat sat",)),
        Option("order", "whole", "2", "1 for single words, 2 for pairs of words, 3 for triples", largest=3,
            examples=("1",)),
        Option("add", "formula", "0", "the number that is added to every count (1: Laplace)", demand="not negative",
            examples=("1",)),
    ),
    {
        "counted": "how often each n-gram of the sentence occurs in the text, and how often its words except the "
        "last occur there before any word (for single words: the number of words in the text)",
        "P": "the probability of each word, given the words before it: the first count divided by the second, after "
        "smoothing if there is any",
        "losses": "each word's loss, −ln P",
        "loss": "the mean loss",
        "perplexity": "the exponential of the mean loss: the number of equally likely words that would give this "
        "mean loss",
    },
    _perplexity,
    zero={"P": "the words before this one do not occur in the text; add: 1 gives it a probability"},
    counts=("counted",),
    source="Jurafsky and Martin, Speech and Language Processing.",
)  # fmt: skip
