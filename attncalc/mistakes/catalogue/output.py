"""Mistakes in probabilities, losses and decoding."""

from collections.abc import Iterator

from ...formula.parser import parse
from ...formula.syntax_tree import Tree
from ..mistake import HIGH, MEDIUM, Mistake
from ..recognition.roles import RoleMatch
from ..step_analysis import StepAnalysis

MOST_TIMES = 5  # the formula of a greedy sentence doubles in length with each word


def _greedy(site: StepAnalysis, part: RoleMatch) -> Iterator[Tree]:
    """Yield a formula of the greedy sentence, which has the most probable next word at each time step.

    It is correct only as long as the greedy prefix is in the beam.
    """
    name = site.prefix + "{}_{}"
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
    """Return a formula that is 1 where an entry of a column of integers equals this number, otherwise 0."""
    return f"1 - minimum(1, abs({column} - {number}))"


MISTAKES = (
    Mistake(
        "largest-for-target", "loss", ("picked",),
        "It looks as if you took the largest probability of each row instead of the target's.",
        "Take the probability of the target, even if the model prefers a different word.",
        (("pick(p_, i_)", "row_max(p_)"),), same="each target has the largest probability",
    ),
    Mistake(
        "targets-from-1", "loss", ("picked",),
        "It looks as if you counted the columns of the targets from 1.",
        "Targets are counted from 0: target 0 is the first column.",
        (("pick(p_, i_)", "pick(p_, i_ - 1)"),),
    ),
    Mistake(
        "logarithm-base-10", "loss", ("losses", "loss"),
        "It looks as if you used logarithms to base 10.",
        "Here the loss uses the natural logarithm.",
        (("log(p_)", "log10(p_)"), ("cross_entropy(p_, i_)", "cross_entropy(p_, i_, base=10)")),
    ),
    Mistake(
        "logarithm-base-2", "loss", ("losses", "loss"),
        "It looks as if you used logarithms to base 2.",
        "Here the loss uses the natural logarithm.",
        (("log(p_)", "log2(p_)"), ("cross_entropy(p_, i_)", "cross_entropy(p_, i_, base=2)")),
    ),
    Mistake(
        "loss-sign", "loss", ("losses", "loss"),
        "It looks as if you left out the minus sign of the loss.",
        "The loss is minus the logarithm of a probability, so it is never negative.",
        (("-log(p_)", "log(p_)"), ("-a_", "a_"), ("total(l_)", "-total(l_)"),
         ("cross_entropy(p_, i_)", "-cross_entropy(p_, i_)")),
    ),
    Mistake(
        "loss-without-logarithm", "loss", ("losses",),
        "It looks as if you left out the logarithm.",
        "The loss is minus the logarithm of the probability.",
        (("-log(p_)", "1 - p_"), ("-log(p_)", "p_")),
    ),
    Mistake(
        "sum-for-mean", "loss", ("loss",),
        "It looks as if you added up the losses instead of averaging them.",
        "Divide the sum by the number of predictions that are not ignored.",
        (("total(l_) / n_", "total(l_)"), ("mean(l_)", "total(l_)"), ("col_mean(l_)", "col_sum(l_)"),
         ("row_mean(l_)", "row_sum(l_)"), ("cross_entropy(p_, i_)", "cross_entropy(p_, i_) * rows(p_)")),
        MEDIUM, "there is one prediction",
    ),
    Mistake(
        "padding-counted", "loss", ("loss",),
        "It looks as if you divided by the number of all predictions, including the ignored ones.",
        "Divide by the number of predictions that are not ignored.",
        (("total(l_) / total(w_)", "total(l_) / rows(l_)"),), MEDIUM,
    ),
    Mistake(
        "perplexity-base", "loss", ("perplexity",),
        "It looks as if you used different bases for the perplexity and the loss.",
        "The perplexity is a power of the loss: its base must be the base of the logarithm in the loss.",
        (("exp(l_)", "2 ** l_"), ("exp(l_)", "10 ** l_"), ("b_ ** l_", "exp(l_)")),
    ),
    Mistake(
        "temperature-multiplied", "output", ("logits_scaled",),
        "It looks as if you multiplied the logits by the temperature.",
        "Divide the logits by the temperature.",
        (("l_ / t_", "l_ * t_"),), same="the temperature is 1",
    ),
    Mistake(
        "temperature-forgotten", "output", ("logits_scaled",),
        "It looks as if you left out the temperature.",
        "Divide the logits by the temperature before the softmax.",
        (("l_ / t_", "l_"),), same="the temperature is 1",
    ),
    Mistake(
        "kept-not-renormalised", "output", ("P_kept",),
        "It looks as if you did not divide the kept probabilities by their sum.",
        "The kept probabilities must sum to 1 again: divide by their sum.",
        (("a_ / row_sum(b_)", "a_"),), MEDIUM,
    ),
    # -- beam search
    Mistake(
        "probabilities-for-logarithms", "decoding", ("scores",),
        "It looks as if you used probabilities instead of their logarithms.",
        "Probabilities of consecutive words are multiplied, so their logarithms are added.",
        (("k_ + log(p_) / b_", "k_ + p_"), ("k_ + log(p_)", "k_ + p_"), ("log(p_)", "p_")), HIGH,
    ),
    Mistake(
        "logarithms-multiplied", "decoding", ("scores",),
        "It looks as if you multiplied the prefix's score by the word's logarithm.",
        "Logarithms are added: the prefix's score plus the logarithm of the word's probability.",
        (("k_ + log(p_)", "k_ * log(p_)"), ("k_ + log(p_)", "-k_ * log(p_)")), MEDIUM,
    ),
    Mistake(
        "beginning-forgotten", "decoding", ("scores",),
        "It looks as if you left out the scores of the prefixes.",
        "The score of a continuation combines the prefix's score and the word's probability.",
        (("k_ + log(p_)", "log(p_)"), ("k_ * p_", "p_")), HIGH, lessons=("beam_search",),
    ),
    Mistake(
        "best-of-each-beginning", "decoding", ("kept", "word"),
        "It looks as if you kept the best continuation of each prefix.",
        "Compare all continuations of all prefixes: two of the best can extend the same prefix, and some prefixes "
        "can have none.",
        (("best(s_, k_)", "row_max(s_)"), ("best(s_, k_)", "sort_rows(row_max(s_).T).T"),
         ("best_columns(s_, k_)", "argmax_rows(s_)")), HIGH,
        "the best continuations extend different prefixes",
    ),
    Mistake(
        "greedy-for-beam", "decoding", ("ids",),
        "It looks as if you took only the most probable word at each step, as in greedy decoding.",
        "Beam search keeps several prefixes; the best sentence can contain words that are not the most probable ones.",
        (), HIGH, "greedy decoding finds the same sentence", _greedy,
    ),
    Mistake(
        "length-not-normalised", "decoding", ("normalised",),
        "It looks as if you did not divide the scores by the power of the length.",
        "Divide each score by the length to the power that the problem gives.",
        (("k_ / l_ ** a_", "k_"),), HIGH,
    ),
    Mistake(
        "length-power-forgotten", "decoding", ("normalised",),
        "It looks as if you divided by the length itself, without the power.",
        "Divide by the length to the power that the problem gives.",
        (("k_ / l_ ** a_", "k_ / l_"),), MEDIUM,
    ),
    Mistake(
        "length-multiplied", "decoding", ("normalised",),
        "It looks as if you multiplied by the power of the length instead of dividing.",
        "Divide by this power of the length, so that long sentences are not penalised.",
        (("k_ / l_ ** a_", "k_ * l_ ** a_"),),
    ),
)  # fmt: skip
