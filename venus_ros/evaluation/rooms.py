# SPDX-License-Identifier: Apache-2.0
"""How a voice reaches the microphone: its level, its distance, the room, and what else sounds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from venus_ros.scenes.noise import ORDINARY_SPEECH, Samples, noise, speech_level
from venus_ros.scenes.track import RATE_HZ, read_sound

RECORDINGS = Path('/usr/share/pocketsphinx/test')
"""Where Debian's pocketsphinx-testdata puts speech of real people, mostly read (LibriVox)."""
TALKERS = 6
"""Voices at once in babble that is made of recordings."""
PITCHES = (0.82, 1.22)
"""The recordings have few speakers; played slower and faster they are more."""
TURNED_AWAY_HZ = 1500.0
HISS = 10 ** (-75 / 20)
"""A microphone's own noise, full scale 1: no sound is ever digital silence."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a voice comes from.

    Attributes:
        level_db: against ordinary speech at the microphone.
        reverb_s: time in which the room's tail falls by 60 dB; 0 = no room.
        direct_db: level of the direct sound above the tail.
        turned: the speaker faces away, which takes the high tones.
    """

    level_db: float = 0.0
    reverb_s: float = 0.0
    direct_db: float = 10.0
    turned: bool = False


def heard_from(place: Place, clip: Samples, rng: np.random.Generator) -> Samples:
    """A clip of unit level as the microphone gets it: float64 [samples], full scale 1.

    It begins with the clip's first sample and is as long as the clip and the room's tail.
    """
    sound = _turn(clip) if place.turned else clip
    if place.reverb_s:
        sound = _reverberate(sound, place, rng)
    sound = sound / speech_level(sound, RATE_HZ)
    return sound * ORDINARY_SPEECH * 10 ** (place.level_db / 20)


def _turn(clip: Samples) -> Samples:
    """Speech from behind a head: one pole at `TURNED_AWAY_HZ`."""
    spectrum = np.fft.rfft(clip)
    hz = np.fft.rfftfreq(len(clip), 1 / RATE_HZ)
    return np.asarray(np.fft.irfft(spectrum / (1 + 1j * hz / TURNED_AWAY_HZ), len(clip)))


def _reverberate(clip: Samples, place: Place, rng: np.random.Generator) -> Samples:
    """Direct sound and a tail of noise that dies away exponentially."""
    length = round(place.reverb_s * RATE_HZ)
    seconds = np.arange(length) / RATE_HZ
    tail = rng.standard_normal(length) * 10 ** (-3 * seconds / place.reverb_s)
    tail[: RATE_HZ // 500] = 0.0  # the first wall is 2 ms away
    tail *= 10 ** (-place.direct_db / 20) / np.sqrt(np.sum(tail**2))
    tail[0] = 1.0
    size = len(clip) + length - 1
    whole = 1 << (size - 1).bit_length()
    product = np.fft.rfft(clip, whole) * np.fft.rfft(tail, whole)
    return np.asarray(np.fft.irfft(product, whole)[:size])


def hiss(samples: int, rng: np.random.Generator) -> Samples:
    """A microphone's own noise: float64 [samples], full scale 1."""
    return rng.standard_normal(samples) * HISS


def surroundings(kind: str, level_db: float, samples: int, rng: np.random.Generator) -> Samples:
    """Noise at a level against ordinary speech: float64 [samples], full scale 1.

    Args:
        kind: as in `scenes.noise`; babble is made of recordings where they are installed.
    """
    talk = recorded_babble(samples, rng) if kind == 'babble' else None
    made = noise(kind, samples, RATE_HZ, rng) if talk is None else talk
    return made * ORDINARY_SPEECH * 10 ** (level_db / 20)


def recorded_babble(samples: int, rng: np.random.Generator) -> Samples | None:
    """Several real people who read aloud at once, unit RMS; none without recordings."""
    files = recordings()
    if not files:
        return None
    babble = np.zeros(samples)
    for _ in range(TALKERS):
        voice = _looped(files, samples, rng)
        babble += voice / np.sqrt(np.mean(voice**2))
    return babble / np.sqrt(np.mean(babble**2))


def recordings() -> list[Path]:
    """The recordings that babble is made of; empty if they are not installed."""
    return sorted(RECORDINGS.rglob('*.wav'))


def _looped(files: list[Path], samples: int, rng: np.random.Generator) -> Samples:
    """One recording after the other from a drawn place on, at a drawn pace and pitch."""
    import soxr

    rate_hz = RATE_HZ * rng.uniform(*PITCHES)
    pieces: list[Samples] = []
    while sum(map(len, pieces)) < samples:
        sound = read_sound(files[rng.integers(len(files))])
        sound = np.asarray(soxr.resample(sound, rate_hz, RATE_HZ), np.float64)
        first = rng.integers(len(sound) // 2) if not pieces else 0
        pieces.append(sound[first:])
    return np.concatenate(pieces)[:samples]
