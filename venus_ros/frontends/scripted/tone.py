# SPDX-License-Identifier: Apache-2.0
"""A voice of tones: one syllable-like tone for each vowel group, the same sound every time."""

from __future__ import annotations

import re

import numpy as np

from venus_ros.core.messages import Pcm

RATE_HZ = 16000
SYLLABLE_S = 0.16
GAP_S = 0.06


def tones(text: str) -> Pcm:
    """`text` as tones: int16 [samples] at 16 kHz; about as long as if it were spoken."""
    parts: list[Pcm] = [np.zeros(0, np.int16)]
    for word in re.findall(r"\w[\w']*", text.lower()):
        for syllable in re.findall(r'[^aeiouy]*[aeiouy]+|[^aeiouy]+$', word) or [word]:
            parts.append(_tone(200 + 13 * (sum(map(ord, syllable)) % 20)))
        parts.append(np.zeros(int(GAP_S * RATE_HZ), np.int16))
    return np.concatenate(parts)


def _tone(pitch_hz: int) -> Pcm:
    t = np.arange(int(SYLLABLE_S * RATE_HZ)) / RATE_HZ
    swell = np.sin(np.pi * t / SYLLABLE_S)
    wave = np.sin(2 * np.pi * pitch_hz * t) + 0.3 * np.sin(4 * np.pi * pitch_hz * t)
    return np.round(5000 * swell * wave).astype(np.int16)
