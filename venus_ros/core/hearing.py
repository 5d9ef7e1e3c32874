# SPDX-License-Identifier: Apache-2.0
"""Units from whatever arrives, as long as time passes: late, with gaps, without a microphone."""

from __future__ import annotations

from collections.abc import Iterator

from venus_ros.core.errors import InputError
from venus_ros.core.floor import Tell
from venus_ros.core.lag import Lag
from venus_ros.core.messages import AudioChunk, Kind, Unit
from venus_ros.core.unit import RATE_HZ, UnitClock

NO_MICROPHONE_S = 1.0
"""Without sound for so long, units go on in silence: typed words and results still arrive."""


class Hearing:
    """Feeds a unit clock, and says what is missing or late.

    Attributes:
        clock: takes pictures and typed words directly.
        lag: how late the newest unit is.
    """

    def __init__(self, unit_s: float, max_lag_s: float, tell: Tell) -> None:
        self._unit_s = unit_s
        self._tell = tell
        self.clock = UnitClock(unit_s)
        self.lag = Lag(unit_s, max_lag_s)
        self._anchors = 0
        self._gap_samples = 0
        self._no_sound_s = 0.0

    def push(self, chunk: AudioChunk) -> None:
        """Take sound; what is not 16 kHz mono int16 is a fault and dropped."""
        self._no_sound_s = 0.0
        try:
            self.clock.push(chunk)
        except InputError as error:
            self._tell(Kind.FAULT, reason=str(error))
        if self.clock.anchors != self._anchors:
            self._anchors = self.clock.anchors
            self.lag.restart()

    def tick(self, passed_s: float, stamp_ns: int | None = None) -> None:
        """Count time by ticks while no microphone does; `stamp_ns` is ROS time now, if known."""
        self._no_sound_s += passed_s
        if self._no_sound_s > NO_MICROPHONE_S:
            self.lag.restart()
            self.clock.pass_silence(round(passed_s * RATE_HZ), stamp_ns)

    def units(self) -> Iterator[Unit]:
        """Yield the units that are complete."""
        while (unit := self.clock.pop()) is not None:
            yield unit

    def keep_time(self, unit: Unit, now_s: float) -> bool:
        """Say where sound is missing and how late the unit is.

        Returns:
            Whether the lag has just passed the limit.
        """
        if unit.gap_samples and not self._gap_samples:
            self._tell(Kind.GAP, reason=f'{unit.gap_samples} samples are missing')
        elif self._gap_samples and not unit.gap_samples:
            self._tell(Kind.GAP, reason=f'over: {self._gap_samples} samples in all')
        self._gap_samples = self._gap_samples + unit.gap_samples if unit.gap_samples else 0
        late = self.lag.measure((unit.k + 1) * self._unit_s, now_s)
        if late:
            self._tell(Kind.LATE, reason=late)
        return bool(late) and self.lag.too_late
