# SPDX-License-Identifier: Apache-2.0
"""The way from the loudspeaker to the microphone, learnt while both are in use.

A Kalman filter in the frequency domain, in partitions of one frame (the diagonal form of Enzner
and Vary 2006, partitioned as in Kuech, Mabande and Enzner 2014). It weighs what it does not know
of the room against what it hears beside the echo, so it learns within about a second of speech
and holds still while the user talks over the robot.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FRAME = 320
"""Samples of a frame at 16 kHz: 20 ms."""
BINS = FRAME + 1

Samples = NDArray[np.float32]
"""float32 [samples], full scale 1."""
Power = NDArray[np.float32]
"""float32 [BINS]: power of a frame's samples behind FRAME zeros, bin by bin."""

PRIOR = 1.0
"""Power gain from loudspeaker to microphone that is expected before anything was heard."""
FORGET = 2e-4
"""How much of the room changes from frame to frame, as a share of its power."""
SILENT = 1e-9
"""Mean power of a frame below which nothing sounds: half a step of an int16 sample."""
BESIDES = 0.5
"""Smoothing of what is heard besides the echo: over two frames."""
EVEN = 0.5
"""Share of each step that goes to all delays alike; the rest goes where the echo was found, which
is twice as quick, as an echo is short against the delays that it may have."""
SMOOTH = 0.9
"""Of the powers by which the filter is judged: over about ten frames."""
WORSE = 1.25
"""A filter that makes the sound so much stronger than it was has lost its room."""


@dataclass(frozen=True, slots=True)
class Split:
    """A frame without the echo that was foretold.

    Attributes:
        rest: the microphone's samples less the echo.
        power: of `rest`.
        before: power of the microphone's samples.
        echo: power of the echo that was taken away.
        doubt: power of the echo that may at most be left in `rest`.
        anew: the room has changed, and is learnt from nothing.
    """

    rest: Samples
    power: Power
    before: Power
    echo: Power
    doubt: Power
    anew: bool


class EchoPath:
    """Foretells the echo of what was played, and learns from what it got wrong.

    Args:
        frames: length of the echo that can be foretold, in frames: delay and reverberation.
    """

    def __init__(self, frames: int) -> None:
        self._frames = frames
        self.reset()

    def reset(self) -> None:
        """Forget the room and all sound."""
        shape = (self._frames, BINS)
        self._played = np.zeros(shape, np.complex64)
        self._played_power = np.zeros(shape, np.float32)
        self._last: Samples = np.zeros(FRAME, np.float32)
        self._forget()

    def _forget(self) -> None:
        shape = (self._frames, BINS)
        self._way = np.zeros(shape, np.complex64)
        self._unknown = np.full(shape, PRIOR / self._frames, np.float32)
        self._besides = np.zeros(BINS, np.float32)
        self._before = self._after = 0.0

    def split(self, heard: Samples, played: Samples) -> Split | None:
        """Take one frame of both; none if nothing was played that could still be heard."""
        self._push(played)
        if not self._played_power.any():
            return None
        foretold = np.einsum('fb,fb->b', self._way, self._played)
        echo = np.fft.irfft(foretold)[FRAME:].astype(np.float32)
        rest = heard - echo
        error = spectrum(rest)
        power, before = power_of(error), power_of(spectrum(heard))
        self._learn(error, power)
        lost = self._lost(heard, rest)
        if lost:
            self._forget()
            rest, power = heard, before
        return Split(rest, power, before, power_of(spectrum(echo)), self._doubt(), lost)

    def _doubt(self) -> Power:
        """What is not known of the room times what was played, and its loudest frame at first."""
        power = np.einsum('fb,fb->b', self._unknown, self._played_power)
        ignorance = power / (PRIOR / self._frames * self._played_power.sum(axis=0) + 1e-12)
        loudest = PRIOR * self._played_power.max(axis=0)
        return (power + ignorance**2 * loudest) / 2

    def _push(self, played: Samples) -> None:
        both = np.concatenate([self._last, played])
        self._last = played
        self._played[1:] = self._played[:-1]
        self._played_power[1:] = self._played_power[:-1]
        sounds = float(np.mean(both * both)) > SILENT
        self._played[0] = np.fft.rfft(both) if sounds else 0
        self._played_power[0] = power_of(self._played[0])

    def _learn(self, error: NDArray[np.complex64], power: Power) -> None:
        """One step of the filter; what is heard besides the echo makes it cautious."""
        self._besides = BESIDES * self._besides + (1 - BESIDES) * power
        found = power_of(self._way).mean(axis=1, keepdims=True)
        found /= found.mean() + 1e-6
        likely = self._unknown * (EVEN + (1 - EVEN) * found)
        open_power = np.einsum('fb,fb->b', likely, self._played_power)
        gain = likely / (open_power + 2 * self._besides + 1e-6)
        step = np.fft.irfft(gain * self._played.conj() * error, axis=1)
        step[:, FRAME:] = 0  # each partition is FRAME samples long
        self._way += np.fft.rfft(step, axis=1)
        kept = (1 - FORGET) * (1 - gain * self._played_power / 2)
        self._unknown = kept * self._unknown + FORGET * power_of(self._way)

    def _lost(self, heard: Samples, rest: Samples) -> bool:
        self._before = SMOOTH * self._before + (1 - SMOOTH) * float(np.mean(heard * heard))
        self._after = SMOOTH * self._after + (1 - SMOOTH) * float(np.mean(rest * rest))
        return self._after > WORSE * self._before + SILENT


def spectrum(frame: Samples) -> NDArray[np.complex64]:
    """Spectrum of a frame behind FRAME zeros, complex64 [BINS]."""
    padded = np.concatenate([np.zeros(FRAME, np.float32), frame])
    return np.asarray(np.fft.rfft(padded), np.complex64)


def power_of(spectra: NDArray[np.complex64]) -> NDArray[np.float32]:
    """Squared magnitude."""
    return spectra.real**2 + spectra.imag**2
