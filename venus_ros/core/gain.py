# SPDX-License-Identifier: Apache-2.0
"""Changes of level without clicks: a gain that moves in a straight line, and a decaying tail."""

from __future__ import annotations

import numpy as np

from venus_ros.core.messages import Pcm


class Ramp:
    """A gain that moves towards its target by at most 1 in `full_scale_s` seconds.

    Attributes:
        target: gain to reach, 0 to 1.
        gain: gain now.
    """

    def __init__(self, rate_hz: int, full_scale_s: float = 0.01) -> None:
        self._step = 1.0 / (rate_hz * full_scale_s)
        self.target = 1.0
        self.gain = 0.0

    def apply(self, pcm: Pcm) -> Pcm:
        """Return `pcm` int16 [samples] at the moving gain, and move on by as many samples."""
        if self.gain == self.target:
            if self.gain == 1.0:
                return pcm
            return (pcm * self.gain).astype(np.int16)
        way = self.target - self.gain
        steps = np.arange(1, len(pcm) + 1) * self._step
        gains = self.gain + np.sign(way) * np.minimum(steps, abs(way))
        if len(pcm):
            self.gain = float(gains[-1]) if steps[-1] < abs(way) else self.target
        return (pcm * gains).astype(np.int16)


def tail(last: float, samples: int) -> Pcm:
    """Return a half cosine from `last` to zero, int16 [samples]: the end of a sound cut short."""
    phase = np.arange(1, samples + 1) / (samples + 1)
    return np.asarray(last * 0.5 * (1.0 + np.cos(np.pi * phase)), np.int16)
