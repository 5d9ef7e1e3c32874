# SPDX-License-Identifier: Apache-2.0
"""Spots stop words in the microphone's sound, without recognition.

When a stretch of sound has just ended, two looks in a row decide whether it was a stop word,
alone or with the robot's name or 'please' around it. What was trained is in `stop_head.npz`;
`stop_head.md` beside it says how.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from venus_ros.core.errors import ConfigError
from venus_ros.core.messages import Pcm
from venus_ros.reflex.lulls import STEP_SAMPLES, Lulls
from venus_ros.reflex.speech_net import NEEDED_SAMPLES, SpeechNet

HEAD = Path(__file__).with_name('stop_head.npz')
WORDS = ('stop', 'freeze', 'halt')
THRESHOLD = 0.5
"""Confidence from which a word counts; the head is made so that one half is the right place."""
REST_STEPS = 40
"""After a word was spotted, so many steps of 20 ms are not looked at: it may be repeated."""


@dataclass(frozen=True, slots=True)
class Spotted:
    """A stop word was said. `sample`: counted from the first sample pushed, at the decision."""

    word: str
    confidence: float
    sample: int


class Net(Protocol):
    """Turns int16 [NEEDED_SAMPLES] into features, see `SpeechNet`."""

    def __call__(self, sound: Pcm) -> NDArray[np.float32]:
        """Features of the sound."""


class Head:
    """Log odds of each word, from features and the level's contour.

    Several small nets of equal shape, each trained without some of the voices, are averaged.

    Attributes:
        words: names, in the order of the scores.
    """

    def __init__(self, file: Path = HEAD) -> None:
        with np.load(file) as held:
            self.words = tuple(str(word) for word in held['words'])
            self._values = {k: held[k].astype(np.float32) for k in held.files if k != 'words'}

    def __call__(
        self, features: NDArray[np.float32], contour: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Log odds of each word against everything else, float32 [words]; 0 is even."""
        return score(self._values, features[None], contour[None])[0]


def score(
    values: dict[str, NDArray[np.float32]],
    features: NDArray[np.float32],
    contours: NDArray[np.float32],
) -> NDArray[np.float32]:
    """What the nets in `values` say, averaged.

    Args:
        values: `mean`, `std` [384]; `squeeze` [nets, 384, s], `hide` [nets, 18 s + 100, h],
            `tell` [nets, h, 1 + words] and a bias of each, `*_bias`; `offset` [].
        features: [looks, 18, 384].
        contours: [looks, 100].

    Returns:
        float32 [looks, words].
    """
    plain = (features - values['mean']) / values['std']
    per_net = []
    for net in range(len(values['squeeze'])):
        narrow = np.maximum(plain @ values['squeeze'][net] + values['squeeze_bias'][net], 0)
        flat = np.concatenate([narrow.reshape(len(narrow), -1), contours], axis=1)
        hidden = np.maximum(flat @ values['hide'][net] + values['hide_bias'][net], 0)
        told = hidden @ values['tell'][net] + values['tell_bias'][net]
        per_net.append(told[:, 1:] - told[:, :1])
    return np.asarray(np.mean(per_net, axis=0) - values['offset'], np.float32)


class StopWords:
    """Listens for stop words, for any cutting of the sound.

    Args:
        words: which of the head's words count.
        threshold: confidence from which they do.
        net: makes features.
        head: scores them.

    Raises:
        ConfigError: a word that the head does not know.
    """

    def __init__(
        self, words: Iterable[str], threshold: float, net: Net, head: Head | None = None
    ) -> None:
        self._net, self._head = net, head or Head()
        wanted = tuple(dict.fromkeys(word.strip().lower() for word in words))
        strange = [word for word in wanted if word not in self._head.words]
        if strange:
            known = ', '.join(self._head.words)
            raise ConfigError(f'cannot be spotted; known are {known}', f'stop word {strange[0]!r}')
        self._wanted = [self._head.words.index(word) for word in wanted]
        self._needed = _log_odds(threshold)
        self._lulls = Lulls()
        self.reset()

    def reset(self) -> None:
        """Forget all sound; samples are counted from 0 again."""
        self._lulls.reset()
        self._sound: Pcm = np.zeros(NEEDED_SAMPLES, np.int16)
        self._rest: Pcm = np.zeros(0, np.int16)
        self._sample = 0
        self._look: NDArray[np.float32] = np.zeros(0, np.float32)
        self._resting = 0

    def push(self, pcm: Pcm) -> list[Spotted]:
        """Take the next sound, int16 [any length] at 16 kHz; returns the words that ended."""
        sound = np.concatenate([self._rest, pcm])
        whole = len(sound) - len(sound) % STEP_SAMPLES
        self._rest = sound[whole:]
        found = [self._step(step) for step in sound[:whole].reshape(-1, STEP_SAMPLES)]
        return [spotted for spotted in found if spotted is not None]

    def _step(self, step: Pcm) -> Spotted | None:
        self._sound = np.concatenate([self._sound[STEP_SAMPLES:], step])
        self._sample += STEP_SAMPLES
        look = self._lulls.step(step)
        if self._resting:
            self._resting -= 1
            return None
        if not look:
            return None
        before = self._look
        features = self._net(self._sound)
        self._look = self._head(features, self._lulls.contour())[self._wanted]
        if look == 1:
            return None
        odds = (before + self._look) / 2
        best = int(odds.argmax())
        if odds[best] < self._needed:
            return None
        self._resting = REST_STEPS
        confidence = 1 / (1 + math.exp(-float(odds[best])))
        return Spotted(self._head.words[self._wanted[best]], confidence, self._sample)


def open_stop_words(
    words: Iterable[str] = WORDS, threshold: float = THRESHOLD
) -> StopWords | None:
    """Return a spotter; none if there are no words to spot.

    Raises:
        BackendError: the nets are not here.
        ConfigError: a word that was not trained.
    """
    wanted = [word for word in words if word.strip()]
    return StopWords(wanted, threshold, _net()) if wanted else None


@cache
def _net() -> SpeechNet:
    """The net, which holds no state, once for each process."""
    return SpeechNet()


def _log_odds(probability: float) -> float:
    bounded = min(max(probability, 1e-6), 1 - 1e-6)
    return math.log(bounded / (1 - bounded))
