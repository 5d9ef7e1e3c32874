# SPDX-License-Identifier: Apache-2.0
"""What the loudspeaker of this process was given, and when, for the microphone's canceller."""

from __future__ import annotations

import threading

import numpy as np

from venus_ros.core.messages import Pcm
from venus_ros.nodes.clock import now_s
from venus_ros.reflex.echo import RATE_HZ
from venus_ros.reflex.echo_clock import Follower, Pace
from venus_ros.reflex.echo_reference import PlayedSound

MARGIN_S = 0.02
"""What is read was handed over at least so long before, if the device is that slow: its thread
may be late. It must not be more than the device's latency, or the echo would come first."""


class Loopback:
    """Shared by speaker (`open`, `put`, `close`) and microphone (`read`), on any threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sound: PlayedSound | None = None

    def open(self, rate_hz: int, latency_s: float) -> None:
        """A loudspeaker begins: its rate, and what it states as its latency."""
        with self._lock:
            self._sound = PlayedSound(rate_hz)
            self._pace = Pace(rate_hz)
            self._follower = Follower(rate_hz)
            self._margin_s = min(MARGIN_S, latency_s)
            self._put = 0

    def close(self) -> None:
        """The loudspeaker is gone."""
        with self._lock:
            self._sound = None

    @property
    def is_open(self) -> bool:
        """Whether there is a loudspeaker."""
        return self._sound is not None

    def put(self, pcm: Pcm) -> None:
        """The device asked for these samples now, int16 at its rate."""
        at_s = now_s()
        with self._lock:
            if self._sound is None:
                return
            self._pace.arrive(self._put, at_s)
            self._put += len(pcm)
            self._sound.put(pcm)

    def read(self, at_s: float, samples: int) -> Pcm:
        """What was handed over from `at_s` on, int16 [samples] at 16 kHz; else silence.

        Reads follow each other without gaps on the reader's clock.
        """
        with self._lock:
            if self._sound is None or self._pace.start_s is None:
                return np.zeros(samples, np.int16)
            rate_hz = self._sound.rate_hz
            target = (at_s - self._margin_s - self._pace.start_s) * rate_hz
            first, length = self._follower.move(target, samples / RATE_HZ)
            return self._sound.read(first, length / samples, samples)
