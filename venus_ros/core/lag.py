# SPDX-License-Identifier: Apache-2.0
"""How far the units lag behind the microphone, and what is given up because of it."""

from __future__ import annotations

LATE_S = 0.5
"""A shorter lag is no event: it comes and goes with the scheduler."""
DRIFT = 2e-4
"""Two clocks of computer and sound card may run apart by this share."""


class Lag:
    """Compares counted with steady time. The smallest difference seen counts as no lag.

    Args:
        unit_s: length of a unit, s.
        max_lag_s: past it the robot stops speaking.

    Attributes:
        lag_s: lag of the newest unit, s.
    """

    def __init__(self, unit_s: float, max_lag_s: float) -> None:
        self._late_s = max(LATE_S, 2 * unit_s)
        self._max_lag_s = max(max_lag_s, self._late_s)
        self._base_s: float | None = None
        self._measured_s = 0.0
        self._level = 0
        self.lag_s = 0.0

    @property
    def late(self) -> bool:
        """Pictures are left out."""
        return self._level >= 1

    @property
    def too_late(self) -> bool:
        """Nothing is said until the units have caught up."""
        return self._level >= 2

    def restart(self) -> None:
        """Counting started anew: nothing is known of the difference."""
        self._base_s = None

    def measure(self, counted_s: float, now_s: float) -> str:
        """Take the counted end of a unit that is processed at `now_s`.

        Returns:
            A sentence if the lag has become another matter, else an empty text.
        """
        base_s = now_s - counted_s
        if self._base_s is not None:
            drift_s = DRIFT * max(0.0, now_s - self._measured_s)
            base_s = min(base_s, self._base_s + drift_s)
        self._base_s, self._measured_s = base_s, now_s
        self.lag_s = now_s - counted_s - base_s
        return self._judge()

    def _judge(self) -> str:
        before = self._level
        if self.lag_s > self._max_lag_s:
            self._level = 2
        elif self.lag_s > self._late_s:
            self._level = max(before, 1)
        elif self.lag_s < self._late_s / 2:
            self._level = 0
        if self._level == before:
            return ''
        effect = ('caught up', 'pictures are left out', 'the robot stops speaking')[self._level]
        return f'units are {1000 * self.lag_s:.0f} ms late: {effect}'
