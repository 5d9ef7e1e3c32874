# SPDX-License-Identifier: Apache-2.0
"""The air between loudspeaker and microphone: what is played comes back as an echo."""

from __future__ import annotations

import numpy as np

from venus_ros.core.messages import Pcm
from venus_ros.reflex.echo_reference import HALF_WIDTH, PlayedSound
from venus_ros.scenes.format import Room
from venus_ros.scenes.noise import Samples
from venus_ros.scenes.track import RATE_HZ

LATE_SAMPLES = round(0.02 * RATE_HZ) + 2 * HALF_WIDTH
"""What was played so long ago is known when a piece of 20 ms has been heard."""


class Air:
    """Echo of a loudspeaker in a room, in counted time.

    Args:
        room: how strong, how late and how long the echo is.
        seed: of the reverberation.
    """

    def __init__(self, room: Room, seed: int) -> None:
        self._delay = round(room.echo_delay_ms * RATE_HZ / 1000)
        self._response = response(room, seed)
        self._sound: PlayedSound | None = None
        self._origin_s = self._until_s = 0.0

    def play(self, t_s: float, rate_hz: int, pcm: Pcm) -> None:
        """A loudspeaker plays these samples from `t_s` on; after a gap it is another one."""
        gap = abs(t_s - self._until_s) > 1e-6
        if self._sound is None or self._sound.rate_hz != rate_hz or gap:
            self._sound, self._origin_s = PlayedSound(rate_hz), t_s
        self._sound.put(pcm)
        self._until_s = t_s + len(pcm) / rate_hz

    def played(self, first: int, samples: int) -> Pcm:
        """What was played at the microphone's samples [first, first + samples), 16 kHz."""
        if self._sound is None:
            return np.zeros(samples, np.int16)
        rate_hz = self._sound.rate_hz
        begin = (first / RATE_HZ - self._origin_s) * rate_hz
        return self._sound.read(begin, rate_hz / RATE_HZ, samples)

    def echo(self, first: int, samples: int) -> Samples:
        """What of it is heard there, float64 [samples] in steps of int16."""
        before = len(self._response) - 1
        played = self.played(first - self._delay - before, samples + before)
        if not played.any():
            return np.zeros(samples)
        size = len(played) + before
        spectrum = np.fft.rfft(played, size) * np.fft.rfft(self._response, size)
        return np.asarray(np.fft.irfft(spectrum, size)[before : before + samples], np.float64)


def response(room: Room, seed: int) -> Samples:
    """Impulse response from the first arrival on, float64 [samples] at 16 kHz.

    Half of its power is the direct sound, half noise that has lost 60 dB after `reverb_s`.
    """
    tail = round(room.reverb_s * RATE_HZ)
    out = np.zeros(1 + tail)
    out[0] = 1.0
    if tail:
        rng = np.random.default_rng([seed, tail])
        out[1:] = rng.standard_normal(tail) * 10 ** (-3 * np.arange(tail) / tail)
        out[1:] /= np.sqrt(np.sum(out[1:] ** 2))
    return np.asarray(out / np.sqrt(np.sum(out**2)) * 10 ** (room.echo_db / 20), np.float64)
