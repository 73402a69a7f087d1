"""Images as tokens: square patches are flattened and projected, with a class token and positions (ViT)."""

from __future__ import annotations

from ..errors import FormulaError
from .lesson import FEATURES, Input, Lesson, Option, Recipe, Setting

MOST_PATCHES = 256


def _patches(s: Setting) -> list[Recipe]:
    s.refuse_columns("one vector per row")
    channels = [name for k in range(1, 5) if s.has(name := f"image_{k}")] or ["image"]
    (height, width), side = s.shape(channels[0]), s.integer("patch") or 2
    if height % side or width % side:
        raise FormulaError(f"patches of {side} × {side} must fill the image; it is {height} × {width}", about="patch")
    if (count := height * width // side**2) > MOST_PATCHES:
        raise FormulaError(
            f"patch_embedding takes at most {MOST_PATCHES} patches; found {count} of {side} × {side} pixels",
            about="patch",
        )
    is_single_patch = height == width == side
    rows = [
        ", ".join(
            f"flat({image})" if is_single_patch else f"flat({image}[{i}:{i + side}, {j}:{j + side}])"
            for image in channels
        )
        for i in range(0, height, side)
        for j in range(0, width, side)
    ]
    s.say("patch", str(side))
    s.say_word("channels")
    joined = "hstack({0})" if s.word("channels") == "first" else "flat(vstack({0}).T)"
    cut = [joined.format(row) if len(channels) > 1 else row for row in rows]
    steps: list[Recipe] = [
        ("patches", f"vstack({', '.join(cut)})"),
        ("embedded", "patches @ W_E" + (" + b_E" if s.has("b_E") else "")),
    ]
    if s.has("cls"):
        steps.append(("tokens", "vstack(cls, embedded)"))
    if s.has("PE"):
        steps.append(("X_pe", f"{steps[-1][0]} + PE"))
    return steps


PATCH_EMBEDDING = Lesson(
    "patch_embedding",
    "A Vision Transformer's tokens: the image is divided into square patches; each is flattened, projected and "
    "given a position.",
    (
        Input(
            "image",
            "the image, one row of pixels per row; or one matrix per channel: image_1, image_2, image_3",
            numbered=True,
        ),
        Input("W_E", "the projection of a flattened patch, (patch² · channels) × d"),
        Input("b_E", "the bias of the projection", optional=True, shape=FEATURES),
        Input("cls", "the class token that is put before the patches", optional=True),
        Input("PE", "the learned positions, one per row, with the class token first", optional=True),
    ),
    (
        Option("patch", "whole", "2", "the side length of a patch, in pixels", examples=("1",)),
        Option(
            "channels",
            "word",
            "first",
            "the order in a flattened patch: one channel after the other (first), or all channels of one pixel "
            "together (last)",
            ("first", "last"),
        ),
    ),
    {
        "patches": "one patch per row, its pixels row by row",
        "embedded": "the patches as tokens",
        "tokens": "the class token and the patches",
        "X_pe": "the tokens plus their positional encodings",
    },
    _patches,
    source="Dosovitskiy et al. 2021, equation 1. `channels: first` is the order of PyTorch's convolution, with which "
    "Transformers embeds patches; `channels: last` is the order H × W × C of the paper and of patchify in ViT-MAE.",
)
