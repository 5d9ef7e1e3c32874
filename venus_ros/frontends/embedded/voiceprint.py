# SPDX-License-Identifier: Apache-2.0
"""How a voice sounds from where the robot is: its level, its pitch and its colour."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from venus_ros.core.messages import Pcm

RATE_HZ = 16_000
FRAME, HOP = 640, 320
LEAST_S = 0.25
"""Shorter stretches tell too little."""
ACTIVE_DB = 20.0
"""Frames so far below the loudest ones are no speech."""
ORDINARY_DB = -26.0
"""Level of speech that a microphone is set for."""
LOWEST_HZ, HIGHEST_HZ = 70.0, 400.0
VOICED = 0.55
"""Periodicity from which a frame has a pitch."""
EDGES_HZ = (100, 200, 300, 450, 600, 800, 1050, 1400, 1800, 2300, 3000, 3900, 5000, 6500)
"""Borders of the bands of `colour`."""


@dataclass(frozen=True, slots=True)
class Voiceprint:
    """What a stretch of speech sounds like.

    Attributes:
        level_db: RMS of its speech, dB of full scale.
        pitch: median fundamental, semitones above 1 Hz; NaN if nothing is voiced.
        colour: level of each band against their mean, dB, float64 [13].
    """

    level_db: float
    pitch: float
    colour: NDArray[np.float64]


def voiceprint(pcm: Pcm) -> Voiceprint | None:
    """The print of speech, int16 [samples] at 16 kHz; none if it is too short or silent."""
    frames = _active(pcm)
    if len(frames) * HOP < LEAST_S * RATE_HZ:
        return None
    spectra = np.abs(np.fft.rfft(frames * np.hanning(FRAME), 2 * FRAME)) ** 2
    level_db = 10 * math.log10(float(np.mean(frames**2)) + 1e-12)
    return Voiceprint(level_db, _pitch(spectra), _colour(spectra))


def _active(pcm: Pcm) -> NDArray[np.float64]:
    """Frames that hold speech: float64 [n, 640], full scale 1."""
    if len(pcm) < FRAME:
        return np.zeros((0, FRAME))
    sound = pcm.astype(np.float64) / 32768
    frames = np.lib.stride_tricks.sliding_window_view(sound, FRAME)[::HOP]
    level_db = 10 * np.log10(np.mean(frames**2, axis=1) + 1e-12)
    return np.asarray(frames[level_db > max(level_db.max() - ACTIVE_DB, -75.0)])


def _pitch(spectra: NDArray[np.float64]) -> float:
    """Median fundamental by autocorrelation."""
    likeness = np.fft.irfft(spectra)[:, :FRAME]
    shortest, longest = int(RATE_HZ / HIGHEST_HZ), int(RATE_HZ / LOWEST_HZ)
    # A window weakens longer lags; a plain one is undone here.
    lags = np.arange(shortest, longest)
    tapered = likeness[:, shortest:longest] / (1 - lags / FRAME)
    best = tapered.argmax(axis=1)
    strength = tapered[np.arange(len(best)), best] / (likeness[:, 0] + 1e-12)
    voiced = lags[best[strength > VOICED]]
    return float(12 * np.log2(np.median(RATE_HZ / voiced))) if len(voiced) > 2 else math.nan


def _colour(spectra: NDArray[np.float64]) -> NDArray[np.float64]:
    bins = np.array(EDGES_HZ) * (2 * FRAME) // RATE_HZ
    mean = spectra.mean(axis=0)
    bands = np.array([mean[a:b].mean() for a, b in zip(bins[:-1], bins[1:], strict=True)])
    level_db = 10 * np.log10(bands + 1e-12)
    return np.asarray(level_db - level_db.mean())


@dataclass(slots=True)
class Acquaintance:
    """The voice of the person who talks with the robot, as far as it is known.

    Attributes:
        known: their print; none before they said anything.
    """

    known: Voiceprint | None = None

    def learn(self, heard: Voiceprint | None, share: float = 0.4) -> None:
        """Take in a print of theirs, with weight `share` against what is known."""
        if heard is None:
            return
        if self.known is None:
            self.known = heard
            return
        old, keep = self.known, 1 - share
        pitch = heard.pitch if math.isnan(old.pitch) else old.pitch
        if not (math.isnan(heard.pitch) or math.isnan(old.pitch)):
            pitch = keep * old.pitch + share * heard.pitch
        self.known = Voiceprint(
            keep * old.level_db + share * heard.level_db,
            pitch,
            keep * old.colour + share * heard.colour,
        )

    def unlike(self, heard: Voiceprint | None) -> Unlikeness | None:
        """How `heard` differs from what is known, or else from ordinary speech."""
        if heard is None:
            return None
        if self.known is None:
            return Unlikeness(heard.level_db - ORDINARY_DB, math.nan, 0.0, met=False)
        return Unlikeness(
            heard.level_db - self.known.level_db,
            heard.pitch - self.known.pitch,
            float(np.sqrt(np.mean((heard.colour - self.known.colour) ** 2))),
        )


@dataclass(frozen=True, slots=True)
class Unlikeness:
    """One print against another.

    Attributes:
        louder_db: level.
        higher: pitch, semitones; NaN if one has none.
        colour_db: RMS difference of the colours.
        met: the other one is of a person that was heard before.
    """

    louder_db: float
    higher: float
    colour_db: float
    met: bool = True
