"""Mistakes in probabilities, losses and decoding."""

from collections.abc import Iterator

from ...formula.parse import parse
from ...formula.tree import Tree
from ..catalogue import HIGH, MEDIUM, Mistake
from ..site import Site

MOST_TIMES = 5  # the formula of a greedy sentence doubles with each word


def _greedy(site: Site) -> Iterator[Tree]:
    """The words of the greedy sentence, as far as it stays in the beam: at each time the best word after the one before."""
    name = site.before + "{}_{}"
    times = 1
    while name.format("P", times + 1) in site.names:
        times += 1
    if times > MOST_TIMES or name.format("P", 1) not in site.names:
        return
    place, word = "", f"argmax_rows({name.format('P', 1)})"
    words = [word]
    for t in range(2, times + 1):
        kept, came = (name.format(what, t - 1) for what in ("word", "from"))
        match = f"({_is_equal(kept, word)})" + (f" * ({_is_equal(came, place)})" if place else "")
        place = f"argmax_rows(({match}).T)"
        word = f"argmax_rows(lookup({name.format('P', t)}, {place}))"
        words.append(word)
    yield parse(f"hstack({', '.join(words)})[:, 0:{site.step.shape[1]}]")


def _is_equal(column: str, number: str) -> str:
    """1 where an entry of a column of whole numbers is this number."""
    return f"1 - minimum(1, abs({column} - {number}))"

MISTAKES = (
    Mistake(
        "logarithm-base-10", "loss", ("losses",),
        "Logarithms to base 10 seem to have been used.",
        "The loss uses the natural logarithm.",
        (("log(p_)", "log10(p_)"),),
    ),
    Mistake(
        "logarithm-base-2", "loss", ("losses",),
        "Logarithms to base 2 seem to have been used.",
        "The loss uses the natural logarithm.",
        (("log(p_)", "log2(p_)"),),
    ),
    Mistake(
        "loss-sign", "loss", ("losses", "loss"),
        "The minus sign of the loss seems to be missing.",
        "The loss is −log of a probability, so it is not negative.",
        (("-log(p_)", "log(p_)"), ("-a_", "a_"), ("total(l_)", "-total(l_)")),
    ),
    Mistake(
        "loss-without-logarithm", "loss", ("losses",),
        "The logarithm seems to be missing.",
        "The loss is the negative logarithm of the probability.",
        (("-log(p_)", "1 - p_"), ("-log(p_)", "p_")),
    ),
    Mistake(
        "sum-for-mean", "loss", ("loss",),
        "The losses seem to have been added up, not averaged.",
        "Divide the sum by the number of predictions that count.",
        (("total(l_) / n_", "total(l_)"),), MEDIUM, "there is one prediction",
    ),
    Mistake(
        "padding-counted", "loss", ("loss",),
        "The sum seems to have been divided by all predictions, the ignored ones too.",
        "Divide by the number of predictions that count.",
        (("total(l_) / total(w_)", "total(l_) / rows(l_)"),), MEDIUM,
    ),
    Mistake(
        "perplexity-base", "loss", ("perplexity",),
        "The perplexity seems to have been taken to another base than the loss.",
        "The base of the power is the base of the logarithm.",
        (("exp(l_)", "2 ** l_"), ("exp(l_)", "10 ** l_"), ("b_ ** l_", "exp(l_)")),
    ),
    Mistake(
        "temperature-multiplied", "output", ("logits_scaled",),
        "The logits seem to have been multiplied by the temperature.",
        "Divide the logits by the temperature.",
        (("l_ / t_", "l_ * t_"),), same="the temperature is 1",
    ),
    Mistake(
        "temperature-forgotten", "output", ("logits_scaled",),
        "The temperature seems to have been forgotten.",
        "Divide the logits by the temperature before the softmax.",
        (("l_ / t_", "l_"),), same="the temperature is 1",
    ),
    Mistake(
        "kept-not-renormalised", "output", ("P_kept",),
        "The kept probabilities seem not to have been divided by their sum.",
        "What is left must sum to 1 again.",
        (("a_ / row_sum(b_)", "a_"),), MEDIUM,
    ),
    # -- beam search
    Mistake(
        "probabilities-for-logarithms", "decoding", ("scores",),
        "Probabilities seem to have been added where their logarithms belong.",
        "Probabilities of words that follow one another multiply; it is their logarithms that add up.",
        (("k_ + log(p_) / b_", "k_ + p_"), ("k_ + log(p_)", "k_ + p_"), ("log(p_)", "p_")), HIGH,
    ),
    Mistake(
        "logarithms-multiplied", "decoding", ("scores",),
        "The score of the beginning seems to have been multiplied by the logarithm of the word.",
        "Logarithms add up: the score of the beginning plus that of the word.",
        (("k_ + log(p_)", "k_ * log(p_)"), ("k_ + log(p_)", "-k_ * log(p_)")), MEDIUM,
    ),
    Mistake(
        "beginning-forgotten", "decoding", ("scores",),
        "The scores of the beginnings seem to have been left out.",
        "A continuation's score is the beginning's and the word's together.",
        (("k_ + log(p_)", "log(p_)"), ("k_ * p_", "p_")), HIGH,
    ),
    Mistake(
        "best-of-each-beginning", "decoding", ("kept", "word"),
        "The best continuation of each beginning seems to have been kept.",
        "Compare all continuations of all beginnings with one another: two of the best may share a beginning, and another one may have none.",
        (("best(s_, k_)", "row_max(s_)"), ("best(s_, k_)", "sort_rows(row_max(s_).T).T"), ("best_columns(s_, k_)", "argmax_rows(s_)")), HIGH,
        "the best continuations come from beginnings of their own",
    ),
    Mistake(
        "greedy-for-beam", "decoding", ("ids",),
        "The most probable word seems to have been taken at each time, as in greedy decoding.",
        "A beam keeps several beginnings; the best sentence may begin with a word that is not the most probable one.",
        (), HIGH, "greedy decoding finds the same sentence", _greedy,
    ),
    Mistake(
        "length-not-normalised", "decoding", ("normalised",),
        "The scores seem not to have been divided by the length.",
        "Divide each score by the length to the power that the problem gives.",
        (("k_ / l_ ** a_", "k_"),), HIGH,
    ),
    Mistake(
        "length-power-forgotten", "decoding", ("normalised",),
        "The scores seem to have been divided by the length itself.",
        "Divide by the length to the power that the problem gives.",
        (("k_ / l_ ** a_", "k_ / l_"),), MEDIUM,
    ),
    Mistake(
        "length-multiplied", "decoding", ("normalised",),
        "The scores seem to have been multiplied by the power of the length.",
        "Divide: scores are negative, and longer sentences should lose less.",
        (("k_ / l_ ** a_", "k_ * l_ ** a_"),),
    ),
)  # fmt: skip
