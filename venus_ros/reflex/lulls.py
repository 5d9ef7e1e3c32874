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
CONTOUR_STEPS = 83
"""How far the level is remembered: 1.66 s."""
QUIET_STEPS = 6
LOUD_STEPS = 3
DROP = 10 ** (-7 / 10)
"""The mean power of the last 120 ms lies so far below that of the loudest 60 ms before them."""
SEARCHED_STEPS = 45
FAINTEST = 10 ** (-55 / 10)
"""Power, full scale 1, below which nothing counts as sound."""
LOOKS = range(1, 32, 3)
"""Steps of a lull at which to look: every 60 ms. A lull begins about 100 ms after a sudden end,
but before the end where a word fades or has a softer one behind it; looks go on for 600 ms."""


class Lulls:
    """Follows the level, step by step."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget all sound."""
        self._powers: NDArray[np.float64] = np.full(CONTOUR_STEPS, 1e-10)
        self._before = 0.0
        self._held = 0

    def step(self, sound: Pcm) -> int:
        """Take the next 20 ms, int16 [320].

        Returns:
            Which look at what has just ended this is, 1 for the first; 0 = nothing to look at.
        """
        scaled = sound.astype(np.float64) / 32768
        sharp = scaled - 0.5 * np.concatenate(([self._before], scaled[:-1]))
        self._before = float(scaled[-1])
        self._powers[:-1] = self._powers[1:]
        self._powers[-1] = sharp @ sharp / STEP_SAMPLES + 1e-10
        self._held = self._held + 1 if self._is_lull() else 0
        return LOOKS.index(self._held) + 1 if self._held in LOOKS else 0

    def contour(self) -> NDArray[np.float32]:
        """Level of each step against the loudest, dB / 10, float32 [83], newest last, >= -4."""
        level = 10 * np.log10(self._powers)
        return np.asarray(np.maximum((level - level.max()) / 10, -4), np.float32)

    def _is_lull(self) -> bool:
        quiet = float(self._powers[-QUIET_STEPS:].mean())
        before = self._powers[-QUIET_STEPS - SEARCHED_STEPS : -QUIET_STEPS]
        sums: Any = np.cumsum(before)
        loud = float((sums[LOUD_STEPS:] - sums[:-LOUD_STEPS]).max()) / LOUD_STEPS
        return loud > FAINTEST and quiet < loud * DROP
