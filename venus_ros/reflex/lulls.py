# SPDX-License-Identifier: Apache-2.0
"""The moments at which a stretch of sound has just ended: only then is a word worth a look.

A command is a few words with quiet behind them. Quiet is told from the sound's own level, so that
steady noise, a hall's tail or the rest of an echo behind a louder voice count as quiet too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from venus_ros.core.messages import Pcm

STEP_SAMPLES = 320
"""Sound comes in steps of 20 ms at 16 kHz."""
CONTOUR_STEPS = 100
"""How far the level is remembered: 2 s."""
QUIET_STEPS = 6
LOUD_STEPS = 3
DROP = 10 ** (-7 / 10)
"""The mean power of the last 120 ms lies so far below that of the loudest 60 ms before them."""
SEARCHED_STEPS = 45
PAUSE_STEPS = 8
"""So long a pause, 160 ms, must be before what is looked at, within what is remembered."""
AGAIN = 3.0
"""A lull begins anew where the level rises so far above its softest: a softer word goes on."""
FAINTEST = 10 ** (-55 / 10)
"""Power, full scale 1, below which nothing counts as sound."""
LOOKS = range(1, 20, 3)
"""Steps of a lull at which to look: every 60 ms. A lull begins about 100 ms after a sudden end,
but before the end where a word fades or has a softer one behind it; looks go on for 360 ms."""


class Lulls:
    """Follows the level, step by step."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget all sound."""
        self._powers: NDArray[np.float64] = np.full(CONTOUR_STEPS, 1e-10)
        self._held = 0
        self._softest = np.inf

    def step(self, sound: Pcm) -> int:
        """Take the next 20 ms, int16 [320].

        Returns:
            Which look at what has just ended this is, 1 for the first; 0 = nothing to look at.
        """
        scaled = sound.astype(np.float64) / 32768
        self._powers[:-1] = self._powers[1:]
        self._powers[-1] = max(scaled @ scaled / STEP_SAMPLES - scaled.mean() ** 2, 0) + 1e-10
        if not self._is_lull():
            self._held, self._softest = 0, np.inf
            return 0
        recent = float(self._powers[-LOUD_STEPS:].mean())
        self._softest = min(self._softest, recent)
        self._held += 1
        if recent > self._softest * AGAIN:
            self._held, self._softest = 1, recent
        if self._held not in LOOKS or not self._is_alone():
            return 0
        return LOOKS.index(self._held) + 1

    def contour(self) -> NDArray[np.float32]:
        """Level of each step against the loudest, dB / 10, float32 [100], newest last, >= -4."""
        level = 10 * np.log10(self._powers)
        return np.asarray(np.maximum((level - level.max()) / 10, -4), np.float32)

    def _is_lull(self) -> bool:
        quiet = float(self._powers[-QUIET_STEPS:].mean())
        loud = float(self._smooth(LOUD_STEPS)[-SEARCHED_STEPS - QUIET_STEPS : -QUIET_STEPS].max())
        return loud > FAINTEST and quiet < loud * DROP

    def _is_alone(self) -> bool:
        """Whether the sound that has just ended was preceded by quiet, too."""
        level = self._smooth(LOUD_STEPS)
        peak = len(level) - SEARCHED_STEPS - QUIET_STEPS
        peak += int(level[peak:-QUIET_STEPS].argmax())
        before = self._smooth(PAUSE_STEPS)[: max(0, peak - PAUSE_STEPS)]
        return bool((before < level[peak] * DROP).any())

    def _smooth(self, steps: int) -> NDArray[np.float64]:
        """Mean power of each stretch of so many steps, float64 [101 - steps]."""
        sums: Any = np.cumsum(np.concatenate(([0.0], self._powers)))
        return np.asarray((sums[steps:] - sums[:-steps]) / steps, np.float64)
