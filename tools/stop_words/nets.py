# SPDX-License-Identifier: Apache-2.0
"""Trains the small nets of the stop words' head, with nothing but NumPy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from venus_ros.reflex.speech_net import FEATURES, ROWS

Values = dict[str, NDArray[np.float32]]

SQUEEZED, HIDDEN = 64, 96
BATCH = 256
RATE = 4e-3
DECAY = 1e-2
DROPPED = 0.5
"""Share of the squeezed features that is left out in each step."""


def train(
    features: NDArray[np.float16],
    contours: NDArray[np.float16],
    labels: NDArray[np.int8],
    weights: NDArray[np.float32],
    rows: NDArray[np.intp],
    scale: tuple[NDArray[np.float32], NDArray[np.float32]],
    epochs: int,
    seed: int,
) -> Values:
    """One net by Adam on the weighted cross entropy.

    Args:
        features: [looks, 18, 384].
        contours: [looks, 100].
        labels: [looks], 0 = other.
        weights: [looks].
        rows: the looks that it may see.
        scale: mean and spread of each feature, [384].
        epochs: passes over all looks; the rate falls to nothing over them.
        seed: of the first values, the order and what is left out.
    """
    rng = np.random.default_rng(seed)
    values = _first(contours.shape[1], int(labels.max()) + 1, rng)
    first = {k: np.zeros_like(v) for k, v in values.items()}
    second = {k: np.zeros_like(v) for k, v in values.items()}
    steps = epochs * (len(rows) // BATCH)
    for step in range(1, steps + 1):
        seen = rows[rng.integers(0, len(rows), BATCH)]
        plain = (features[seen].astype(np.float32) - scale[0]) / scale[1]
        contour = contours[seen].astype(np.float32)
        slopes = _slopes(values, plain, contour, labels[seen], weights[seen], rng)
        rate = RATE * (1 - step / steps)
        for name, slope in slopes.items():
            first[name] += 0.1 * (slope - first[name])
            second[name] += 0.001 * (slope**2 - second[name])
            mean, spread = first[name] / (1 - 0.9**step), second[name] / (1 - 0.999**step)
            decay = 0 if name.endswith('bias') else DECAY
            values[name] -= rate * (mean / (np.sqrt(spread) + 1e-8) + decay * values[name])
    return values


def _first(contour: int, outputs: int, rng: np.random.Generator) -> Values:
    def drawn(rows: int, columns: int) -> NDArray[np.float32]:
        return (rng.standard_normal((rows, columns)) * np.sqrt(2 / rows)).astype(np.float32)

    return {
        'squeeze': drawn(FEATURES, SQUEEZED),
        'squeeze_bias': np.zeros(SQUEEZED, np.float32),
        'hide': drawn(ROWS * SQUEEZED + contour, HIDDEN),
        'hide_bias': np.zeros(HIDDEN, np.float32),
        'tell': drawn(HIDDEN, outputs),
        'tell_bias': np.zeros(outputs, np.float32),
    }


def _slopes(
    values: Values,
    features: NDArray[np.float32],
    contours: NDArray[np.float32],
    labels: NDArray[np.int8],
    weights: NDArray[np.float32],
    rng: np.random.Generator,
) -> Values:
    """Gradient of the mean weighted cross entropy."""
    count = len(labels)
    narrow = np.maximum(features @ values['squeeze'] + values['squeeze_bias'], 0)
    kept = (rng.random(narrow.shape, np.float32) >= DROPPED) / np.float32(1 - DROPPED)
    flat = np.concatenate([(narrow * kept).reshape(count, -1), contours], axis=1)
    hidden = np.maximum(flat @ values['hide'] + values['hide_bias'], 0)
    told = hidden @ values['tell'] + values['tell_bias']
    told = np.exp(told - told.max(axis=1, keepdims=True))
    wrong = told / told.sum(axis=1, keepdims=True)
    wrong[np.arange(count), labels] -= 1
    wrong *= (weights / count)[:, None]
    to_hidden = (wrong @ values['tell'].T) * (hidden > 0)
    to_flat = to_hidden @ values['hide'].T
    to_narrow = to_flat[:, : ROWS * SQUEEZED].reshape(narrow.shape) * kept * (narrow > 0)
    rows = to_narrow.reshape(-1, SQUEEZED)
    return {
        'squeeze': features.reshape(-1, FEATURES).T @ rows,
        'squeeze_bias': rows.sum(axis=0),
        'hide': flat.T @ to_hidden,
        'hide_bias': to_hidden.sum(axis=0),
        'tell': hidden.T @ wrong,
        'tell_bias': wrong.sum(axis=0),
    }
