"""Random problems of every lesson, as an instructor would set them: small whole numbers, halves, one decimal."""

from attncalc import load

WORDS = ("the", "cat", "sat", "here", "now")


def _numbers(rng, n, m, kind):
    def one():
        if kind == "halves":
            return f"{rng.randint(-4, 4) / 2:g}"
        if kind == "tenths":
            return f"{rng.randint(-12, 12) / 10:g}"
        return str(rng.randint(-2, 2))

    return [[one() for _ in range(m)] for _ in range(n)]


class Maker:
    """Makes one random problem a call; `size` is (tokens, d_model, d_k)."""

    def __init__(self, rng, size=None):
        self.rng = rng
        self.kind = rng.choice(("whole", "whole", "halves", "tenths"))
        self.n, self.d, self.k = size or (rng.choice((2, 3, 4)), rng.choice((2, 3, 4)), rng.choice((1, 2, 3, 4)))

    def m(self, n, m):
        return _numbers(self.rng, n, m, self.kind)

    def x(self, n=None, d=None):
        n = n or self.n
        return {"rows": list(WORDS[:n]), "values": self.m(n, d or self.d)}

    def weights(self, *names, d=None, k=None):
        return {name: self.m(d or self.d, k or self.k) for name in names}

    def options(self):
        rng = self.rng
        found = {"mask": rng.choice(("none", "causal", "causal", "band(1)"))}
        if rng.random() < 0.15:
            found["scale"] = rng.choice(("none", "3", "sqrt(2)"))
        if found["mask"] != "none" and rng.random() < 0.15:
            found["mask_at"] = rng.choice(("scores", "weights"))
        if rng.random() < 0.1:
            found["softmax_steps"] = "true"
        return found

    def self_attention(self):
        given = {"X": self.x()} | self.weights("W_Q", "W_K", "W_V")
        if self.rng.random() < 0.3:
            given |= {name: self.m(1, self.k)[0] for name in ("b_Q", "b_K", "b_V")}
        return {"given": given, "self_attention": self.options()}

    def columns(self):
        given = {"X": self.m(self.d, self.n)} | {name: self.m(self.k, self.d) for name in ("W_Q", "W_K", "W_V")}
        return {"given": given, "vectors": "columns", "self_attention": {"mask": self.rng.choice(("none", "causal"))}}

    def cross_attention(self):
        given = {"X": self.x(), "Y": {"rows": ["a", "b"], "values": self.m(2, self.d)}} | self.weights(
            "W_Q", "W_K", "W_V"
        )
        return {"given": given, "cross_attention": {"X": "Y", "memory": "X"}}

    def multi_head_attention(self):
        given = {"X": self.x(3, 4)} | self.weights("W_Q", "W_K", "W_V", "W_O", d=4, k=4)
        return {"given": given, "multi_head_attention": {"heads": "2", "mask": self.rng.choice(("none", "causal"))}}

    def positional_encoding(self):
        d = self.rng.choice((2, 4, 6))
        return {"given": {"X": self.x(d=d)}, "positional_encoding": {"start": self.rng.choice(("0", "1"))}}

    def rotary(self):
        return {"given": {"X": self.x(d=self.rng.choice((2, 4)))}, "rotary": {}}

    def layer_norm(self):
        given = {
            "X": {"rows": list(WORDS[:3]), "values": self.uneven(3, 4)},
            "gamma": ["1", "2", "1", "0.5"],
            "beta": ["0", "1", "-1", "0.5"],
        }
        return {"given": given, "layer_norm": {"eps": self.rng.choice(("0", "1e-5"))}}

    def rms_norm(self):
        return {"given": {"X": self.uneven(3, 4), "gamma": ["1", "2", "1", "0.5"]}, "rms_norm": {}}

    def add_norm(self):
        given = {"X": self.uneven(3, 4), "F": self.m(3, 4)}
        return {"given": given, "add_norm": {"sublayer": "F", "eps": "1e-5"}}

    def uneven(self, n, m):
        """Rows that are far from constant."""
        rows = self.m(n, m)
        for row in rows:
            row[0], row[-1] = "3", "-2"
        return rows

    def feed_forward(self):
        given = {
            "X": self.x(),
            "W_1": self.m(self.d, 4),
            "b_1": self.m(1, 4)[0],
            "W_2": self.m(4, self.d),
            "b_2": self.m(1, self.d)[0],
        }
        return {"given": given, "feed_forward": {"activation": self.rng.choice(("relu", "relu", "gelu"))}}

    def encoder_layer(self):
        names = {"W_Q": (4, 4), "W_K": (4, 4), "W_V": (4, 4), "W_O": (4, 4), "W_1": (4, 6), "W_2": (6, 4)}
        given = {"X": {"rows": list(WORDS[:3]), "values": self.uneven(3, 4)}} | {
            name: self.m(*shape) for name, shape in names.items()
        }
        return {"given": given, "encoder_layer": {"heads": "2"}}

    def cross_entropy(self):
        return {"given": {"logits": self.m(3, 4), "targets": ["0", "2", "1"]}, "cross_entropy": {}}

    def next_word(self):
        given = {"X": self.x(3, 3), "W_out": self.m(3, 5)}
        return {"given": given, "next_word": {"temperature": self.rng.choice(("2", "0.5"))}}


LESSONS = tuple(
    name for name in vars(Maker) if not name.startswith("_") and name not in ("m", "x", "weights", "options", "uneven")
)
ATTENTION = ("self_attention", "columns", "cross_attention", "multi_head_attention")


def problem(rng, lesson, size=None, asked=None):
    """A random problem of a lesson, whose sheet asks so many digits; one that has no value (a constant row, an empty
    product) is drawn again.
    """
    return load(getattr(Maker(rng, size), lesson)() | ({} if asked is None else {"rounding": {"digits": asked}}))
