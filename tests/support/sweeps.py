"""Which cases of a sweep are run: a few, spread evenly."""


def few(items, most):
    """So many of the items, spread evenly from the first to the last."""
    items = list(items)
    if most < 2 or len(items) <= most:
        return items[:most]
    return [items[round(k * (len(items) - 1) / (most - 1))] for k in range(most)]
