# SPDX-License-Identifier: Apache-2.0
"""Noise of the surroundings, drawn from a seed: the same seed gives the same samples."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

ORDINARY_SPEECH = 10 ** (-26 / 20)
"""RMS of ordinary speech, full scale 1: the usual -26 dB."""

Samples = NDArray[np.float64]


def noise(kind: str, samples: int, rate_hz: int, rng: np.random.Generator) -> Samples:
    """Noise of unit RMS.

    `kind` is white, pink (equal power per octave), hum (mains and its harmonics) or babble (many
    voices at once, without words).

    Returns:
        float64 [samples].
    """
    made = {'white': _white, 'pink': _pink, 'hum': _hum, 'babble': _babble}[kind]
    signal = made(samples, rate_hz, rng)
    rms = float(np.sqrt(np.mean(signal**2))) if samples else 0.0
    return signal / rms if rms > 0 else signal


def speech_level(signal: Samples, rate_hz: int) -> float:
    """RMS of the 20 ms pieces that are at most 30 dB below the loudest; 0 for silence."""
    size = rate_hz // 50
    whole = signal[: len(signal) // size * size].reshape(-1, size)
    if not whole.size:
        return float(np.sqrt(np.mean(signal**2))) if signal.size else 0.0
    power = np.mean(whole**2, axis=1)
    active = power[power >= power.max() * 1e-3]
    return float(np.sqrt(active.mean()))


def _white(samples: int, _: int, rng: np.random.Generator) -> Samples:
    return rng.standard_normal(samples)


def _pink(samples: int, rate_hz: int, rng: np.random.Generator) -> Samples:
    def gain(hz: Samples) -> Samples:
        return np.where(hz > 20, 1 / np.sqrt(np.maximum(hz, 20)), 0.0)

    return _shaped(samples, rate_hz, rng, gain)


def _hum(samples: int, rate_hz: int, rng: np.random.Generator) -> Samples:
    seconds = np.arange(samples) / rate_hz
    signal = np.zeros(samples)
    for harmonic, level in ((1, 1.0), (2, 0.7), (3, 0.5), (4, 0.3), (6, 0.2)):
        phase = rng.uniform(0, 2 * np.pi)
        signal += level * np.sin(2 * np.pi * 50 * harmonic * seconds + phase)
    return signal


def _babble(samples: int, rate_hz: int, rng: np.random.Generator) -> Samples:
    """Eight streams with the spectrum of speech, each with a rhythm of syllables of its own."""

    def speech_spectrum(hz: Samples) -> Samples:
        rise = np.clip(hz / 200, 0, 1) ** 2
        return rise / (1 + (hz / 600) ** 2) ** 0.6 * (hz < 5000)

    def syllables(hz: Samples) -> Samples:
        return np.exp(-((hz - 4) ** 2) / 8)

    signal = np.zeros(samples)
    for _ in range(8):
        rhythm = _shaped(samples, rate_hz, rng, syllables)
        rhythm /= np.abs(rhythm).max() + 1e-12
        signal += np.clip(0.3 + rhythm, 0, None) * _shaped(samples, rate_hz, rng, speech_spectrum)
    return signal


def _shaped(
    samples: int, rate_hz: int, rng: np.random.Generator, gain: Callable[[Samples], Samples]
) -> Samples:
    """White noise whose spectrum is multiplied by `gain(frequency in Hz)`."""
    spectrum = np.fft.rfft(rng.standard_normal(max(samples, 2)))
    hz = np.asarray(np.fft.rfftfreq(max(samples, 2), 1 / rate_hz), np.float64)
    return np.asarray(np.fft.irfft(spectrum * gain(hz), max(samples, 2))[:samples], np.float64)
