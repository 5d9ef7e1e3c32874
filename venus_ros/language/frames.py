# SPDX-License-Identifier: Apache-2.0
"""Which known sentence is nearest to what was said.

A sentence is compared by its words (rare ones count more; values of a role count as that role)
and by its meaning (sentence embeddings, with every value replaced by the same one of its role).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from venus_ros.language.embed import embedder
from venus_ros.language.lexicon import DETERMINERS, Lexicon
from venus_ros.language.text import FILLERS, words

_LIGHT = {'the', 'a', 'an', 'to', 'of', 'please', 'is', 'are', 'my', 'some', 'any', 'for', 'it'}

_MOST_KNOWN = 512


Label = tuple[Any, str]
"""(capability, skill) of a request, or (kind of act, topic) of talk."""


@dataclass(frozen=True, slots=True)
class Near:
    """A label, and how near its nearest sentence is (0 to 1)."""

    label: Label
    score: float
    sentence: str


@dataclass(frozen=True, slots=True)
class _Frame:
    label: Label
    sentence: str
    meaning: str
    grams: dict[str, float]
    norm: float


class Frames:
    """Sentences with labels, for looking up the nearest."""

    def __init__(self, labelled: Iterable[tuple[Label, str]], lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._verbs: dict[str, Counter[Label]] = {}
        masked = [(label, text, self.mask(words(text))) for label, text in labelled]
        counts = Counter(gram for _, _, mask in masked for gram in set(_grams(mask)))
        total = max(1, len(masked))
        self._weights = {g: math.log(1 + total / n) for g, n in counts.items()}
        self._unseen = math.log(1 + total)
        self._frames = [self._frame(label, text, mask) for label, text, mask in masked]
        for label, _, mask in masked:
            if mask:
                self._verbs.setdefault(mask[0], Counter())[label] += 1
        embed = embedder()
        self._known: dict[tuple[str, ...], list[Near]] = {}
        self._vectors = embed([frame.meaning for frame in self._frames]) if embed else None

    def verb(self, word: str) -> Counter[Label]:
        """Labels with sentences that begin with `word`, and how many each has."""
        return self._verbs.get(word, Counter())

    def nearest(self, said: Sequence[str]) -> list[Near]:
        """The nearest sentence of every label, nearest label first."""
        key = tuple(said)
        if key not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[key] = self._nearest(key)
        return self._known[key]

    def _nearest(self, said: Sequence[str]) -> list[Near]:
        mask = self.mask(said)
        grams, norm = self._weigh(mask)
        by_words = np.array([_overlap(grams, norm, frame) for frame in self._frames])
        scores = by_words
        embed = embedder()
        if self._vectors is not None and embed is not None:
            by_meaning = self._vectors @ embed([self._canonical(mask)])[0]
            scores = 0.5 * by_words + 0.5 * np.maximum(by_meaning, 0)
        best: dict[Label, Near] = {}
        for frame, score in zip(self._frames, scores, strict=True):
            if frame.label not in best or score > best[frame.label].score:
                best[frame.label] = Near(frame.label, float(score), frame.sentence)
        return sorted(best.values(), key=lambda near: -near.score)

    def mask(self, said: Sequence[str]) -> list[str]:
        """Words with every value replaced by `<role>`; determiners and fillers left out."""
        result: list[str] = []
        i = 0
        spots = {spot.start: spot for spot in self._lexicon.spots(said)}
        while i < len(said):
            if i in spots:
                if result[-1:] != [f'<{spots[i].role}>'] and spots[i].role != 'colour':
                    result.append(f'<{spots[i].role}>')
                i = spots[i].end
                continue
            if said[i] not in DETERMINERS - {'this', 'that', 'one', 'my', 'your'} | FILLERS:
                result.append(said[i])
            i += 1
        return result

    def _frame(self, label: Label, text: str, mask: list[str]) -> _Frame:
        grams, norm = self._weigh(mask)
        return _Frame(label, text, self._canonical(mask), grams, norm)

    def _weigh(self, mask: Sequence[str]) -> tuple[dict[str, float], float]:
        grams = {gram: self._weight(gram) for gram in _grams(mask)}
        return grams, sum(grams.values())

    def _weight(self, gram: str) -> float:
        weight = self._weights.get(gram, self._unseen)
        if gram in _LIGHT:
            return 0.3 * weight
        return 0.6 * weight if ' ' in gram else weight

    def _canonical(self, mask: Sequence[str]) -> str:
        return ' '.join(
            f'the {self._lexicon.canonical(word[1:-1])}' if word[:1] == '<' else word
            for word in mask
        )


def _grams(mask: Sequence[str]) -> list[str]:
    pairs = [f'{a} {b}' for a, b in pairwise(['^', *mask])]
    return [*mask, *pairs]


def _overlap(grams: dict[str, float], norm: float, frame: _Frame) -> float:
    shared = sum(weight for gram, weight in grams.items() if gram in frame.grams)
    return 2 * shared / (norm + frame.norm) if shared else 0.0
