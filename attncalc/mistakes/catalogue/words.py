"""Mistakes in tables of words: byte pairs, n-grams and their probabilities."""

from ..mistake import HIGH, MEDIUM, Mistake

MISTAKES = (
    Mistake(
        "pairs-of-different-words", "words", ("pairs",),
        "It looks as if you counted each word once.",
        "A pair counts as often as the words that contain it occur in the text.",
        (("in_words @ counts", "row_sum(in_words)"), ("m_ @ counts", "row_sum(m_)")), HIGH,
        "each word occurs once in the text",
    ),
    Mistake(
        "ngrams-not-clipped", "words", ("clipped",),
        "It looks as if you counted every n-gram that occurs in a reference, however often it is repeated.",
        "An n-gram counts at most as often as it occurs in the reference that contains it most often.",
        (("minimum(a_, b_)", "a_"),), HIGH, "no n-gram is repeated",
    ),
    Mistake(
        "brevity-forgotten", "words", ("BLEU", "scaled"),
        "It looks as if you left out the penalty for short translations.",
        "If the translation (c words) is shorter than the reference (r words), multiply by exp(1 − r/c).",
        (("brevity * g_", "g_"),), HIGH, "the translation is not shorter than the reference",
    ),
    Mistake(
        "brevity-upside-down", "words", ("brevity",),
        "It looks as if you swapped the two lengths.",
        "The penalty is exp(1 − r/c), but at most 1; r is the length of the reference and c that of the translation.",
        (("minimum(1, exp(1 - a_ / b_))", "minimum(1, exp(1 - b_ / a_))"),), MEDIUM,
        "the translation and the reference have the same length",
    ),
    Mistake(
        "vocabulary-not-added", "words", ("P",),
        "It looks as if you increased the count of the word, but not the denominator.",
        "The same number is added for every word of the vocabulary, so add all of these numbers to the denominator.",
        (("(a_ + k_) / (b_ + c_)", "(a_ + k_) / b_"),), MEDIUM, "no number is added to the counts",
    ),
)  # fmt: skip
