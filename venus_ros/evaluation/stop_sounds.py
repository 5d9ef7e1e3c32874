# SPDX-License-Identifier: Apache-2.0
"""Places words in rooms, noise, and the robot's own speech, drawn from a seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from venus_ros.evaluation.stop_voices import RATE_HZ, Sound
from venus_ros.scenes.noise import ORDINARY_SPEECH, noise, speech_level

BED_SAMPLES = 10 * RATE_HZ
NOISES = ('white', 'pink', 'hum', 'babble')


@dataclass(frozen=True, slots=True)
class Around:
    """What surrounds the speaker; levels against the speaker's, dB.

    Attributes:
        level_db: of the speaker, against ordinary speech.
        reverb_s: reverberation time (60 dB); 0 = none.
        noise: kind of noise; '' = none.
        noise_snr_db: how far the speaker is above it.
        echo_snr_db: how far the speaker is above the robot's own voice; none = it is silent.
        tilt: slope of the microphone's response, -1 (dull) to 1 (sharp).
    """

    level_db: float = 0.0
    reverb_s: float = 0.0
    noise: str = ''
    noise_snr_db: float = 20.0
    echo_snr_db: float | None = None
    tilt: float = 0.0


def draw_around(rng: np.random.Generator, echo: bool) -> Around:
    """Ordinary surroundings, with the robot's voice 10 to 25 dB below the speaker or without."""
    reverb_s = float(rng.choice((0.0, rng.uniform(0.1, 0.5))))
    kind = str(rng.choice(('', *NOISES)))
    return Around(
        level_db=float(np.clip(rng.normal(0, 5), -12, 10)),
        reverb_s=reverb_s,
        noise=kind,
        noise_snr_db=float(rng.uniform(9, 30)),
        echo_snr_db=float(rng.uniform(9, 25)) if echo else None,
        tilt=float(rng.uniform(-0.5, 0.5)),
    )


def vary(sound: Sound, rng: np.random.Generator, most: float) -> Sound:
    """The same words by another throat: pitch and tempo change together, up to `most`."""
    import soxr

    factor = 1 + float(rng.uniform(-most, most))
    return np.asarray(soxr.resample(sound, RATE_HZ, RATE_HZ / factor, 'MQ'), np.float32)


def situate(
    speech: Sound,
    around: Around,
    rng: np.random.Generator,
    robot: Callable[[int], Sound] | None = None,
) -> Sound:
    """`speech` (with silence where it pauses) as the microphone hears it, of equal length.

    Args:
        speech: the speaker; its active level becomes ordinary speech plus `level_db`.
        around: the surroundings.
        rng: draws the room and the noise.
        robot: gives so many samples of the robot's speech; needed where there is an echo.
    """
    level = ORDINARY_SPEECH * 10 ** (around.level_db / 20)
    dry = speech.astype(np.float64)
    own = speech_level(dry, RATE_HZ)
    out = reverberate(dry, around.reverb_s, rng) * (level / own if own else 0.0)
    if around.noise:
        made = np.resize(bed(around.noise), len(out) + BED_SAMPLES)
        start = int(rng.integers(BED_SAMPLES))
        made = made[start : start + len(out)]
        out = out + made * level * 10 ** (-around.noise_snr_db / 20)
    if around.echo_snr_db is not None and robot is not None:
        heard = reverberate(robot(len(out)).astype(np.float64), float(rng.uniform(0.1, 0.4)), rng)
        loud = speech_level(heard, RATE_HZ)
        out = out + heard * (level / loud if loud else 0.0) * 10 ** (-around.echo_snr_db / 20)
    if around.tilt:
        out = out - around.tilt * 0.6 * np.concatenate(([0.0], out[:-1]))
    return np.asarray(np.clip(out, -1, 1), np.float32)


@cache
def bed(kind: str) -> np.ndarray:
    """Ten seconds of noise of unit RMS, always the same."""
    return noise(kind, BED_SAMPLES, RATE_HZ, np.random.default_rng([*kind.encode()]))


def reverberate(
    sound: np.ndarray, reverb_s: float, rng: np.random.Generator, direct_db: float = 4.0
) -> np.ndarray:
    """`sound` in a room: the direct sound, and a noise tail that falls 60 dB in `reverb_s`."""
    samples, first_wall = int(reverb_s * RATE_HZ), RATE_HZ // 400
    if samples <= first_wall or not len(sound):
        return sound
    tail = rng.standard_normal(samples) * 10 ** (-3 * np.arange(samples) / samples)
    tail[:first_wall] = 0
    tail *= 10 ** (-direct_db / 20) / np.sqrt(np.sum(tail**2))
    tail[0] = 1.0
    size = 1 << int(np.ceil(np.log2(len(sound) + samples)))
    wet = np.fft.irfft(np.fft.rfft(sound, size) * np.fft.rfft(tail, size), size)
    return wet[: len(sound)]


def to_pcm(sound: Sound) -> np.ndarray:
    """int16 [samples]."""
    return np.clip(np.rint(sound * 32768), -32768, 32767).astype(np.int16)
