# SPDX-License-Identifier: Apache-2.0
"""Stamps for samples whose blocks arrive late by varying amounts."""

from __future__ import annotations

DRIFT = 2e-4
"""Sound cards and system clocks differ by less."""
JUMP_NS = 500_000_000
"""A difference beyond it is a step of the clock, and is followed at once."""


class SampleClock:
    """ROS time of each sample since the start: the earliest arrivals are the most honest."""

    def __init__(self, rate_hz: int) -> None:
        self._rate_hz = rate_hz
        self._samples = 0
        self._offset_ns: float | None = None

    def arrive(self, samples: int, arrived_ns: int) -> None:
        """A block of `samples` was complete at `arrived_ns`."""
        self._samples += samples
        offset_ns = arrived_ns - self._samples / self._rate_hz * 1e9
        if self._offset_ns is None or abs(offset_ns - self._offset_ns) > JUMP_NS:
            self._offset_ns = offset_ns
            return
        grown_ns = self._offset_ns + DRIFT * samples / self._rate_hz * 1e9
        self._offset_ns = min(offset_ns, grown_ns)

    def stamp_ns(self, at_s: float) -> int:
        """ROS time of the sample that is `at_s` seconds after the first one."""
        return round((self._offset_ns or 0.0) + at_s * 1e9)
