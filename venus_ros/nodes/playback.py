# SPDX-License-Identifier: Apache-2.0
"""What a loudspeaker's clock calls: speech at the device's rate out of the speaker engine."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from venus_ros.core.messages import Pcm, Playout, PlayoutState
from venus_ros.core.speaker import Speaker
from venus_ros.nodes.clock import now_s
from venus_ros.nodes.loopback import Loopback
from venus_ros.nodes.resample import Resampler

SOUNDING = (PlayoutState.PLAYING, PlayoutState.DUCKED)
BLOCK_S = 0.005
"""Speech is taken from the engine in such pieces when its rate is not the device's."""


class Playback:
    """The speaker engine shared by the device's thread (`pull`) and the executor's (the rest).

    Args:
        engine: gives the samples.
        device_hz: rate of the device before it says its own.
        loopback: is told what the device takes.
    """

    def __init__(self, engine: Speaker, device_hz: int, loopback: Loopback | None = None) -> None:
        self._engine = engine
        self._device_hz = device_hz
        self._lock = threading.Lock()
        self._resampler = Resampler(engine.rate, device_hz)
        self._ready: Pcm = np.zeros(0, np.int16)
        self._last: Playout | None = None
        self._loopback = loopback

    def pull(self, samples: int) -> Pcm:
        """Exactly `samples` int16 samples at the device's rate."""
        pcm = self._take(samples)
        if self._loopback is not None:
            self._loopback.put(pcm)
        return pcm

    def _take(self, samples: int) -> Pcm:
        with self._lock:
            if self._engine.rate == self._device_hz and not len(self._ready):
                return self._engine.pull(samples)
            while len(self._ready) < samples:
                self._ready = np.concatenate([self._ready, self._next()])
            out, self._ready = self._ready[:samples], self._ready[samples:]
            return out

    def _next(self) -> Pcm:
        rate_hz = self._engine.rate
        if self._resampler.from_hz != rate_hz:
            self._resampler = Resampler(rate_hz, self._device_hz)
        return self._resampler.push(self._engine.pull(max(1, round(rate_hz * BLOCK_S))))

    def receive(self, message: Any, now: float) -> list[Any]:
        """See `Speaker.receive`."""
        with self._lock:
            return self._note(self._engine.receive(message, now))

    def tick(self, now: float) -> list[Any]:
        """See `Speaker.tick`."""
        with self._lock:
            return self._note(self._engine.tick(now))

    def mute(self, muted: bool) -> list[Any]:
        """See `Speaker.mute`."""
        with self._lock:
            return self._note(self._engine.mute(muted, now_s()))

    def _note(self, out: list[Any]) -> list[Any]:
        self._last = next((one for one in out if isinstance(one, Playout)), self._last)
        return out

    @property
    def busy(self) -> bool:
        """Something sounds or waits, as far as the last report tells."""
        last = self._last
        return last is not None and (last.queued > 0 or last.state in SOUNDING)

    def use_device(self, device_hz: int, latency_s: float) -> None:
        """The device runs at `device_hz` and is heard `latency_s` later."""
        with self._lock:
            self._device_hz = device_hz
            self._resampler = Resampler(self._engine.rate, device_hz)
            self._ready = self._ready[:0]
            self._engine.latency_s = latency_s

    def loop_back(self) -> None:
        """What the device takes from now on is really heard: the microphone may hear it too."""
        if self._loopback is not None:
            self._loopback.open(self._device_hz, self._engine.latency_s)

    def end_loop(self) -> None:
        """The device takes no more."""
        if self._loopback is not None:
            self._loopback.close()

    @property
    def counts(self) -> dict[str, int]:
        """Chunks that were dropped or never came."""
        return {
            'dropped chunks': self._engine.dropped_chunks,
            'missing chunks': self._engine.missing_chunks,
        }
