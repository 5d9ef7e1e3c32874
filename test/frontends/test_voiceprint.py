# SPDX-License-Identifier: Apache-2.0
"""Voices are told apart by level, pitch and colour, as far as these differ."""

from __future__ import annotations

import math

import numpy as np
import pytest

from venus_ros.core.messages import Pcm
from venus_ros.frontends.embedded.voiceprint import Acquaintance, voiceprint
from venus_ros.scenes.voices import user_audio

GO = 'go to the kitchen'
LOOK = 'what is on the table in the kitchen'


def quieter(pcm: Pcm, db: float) -> Pcm:
    return np.round(pcm * 10 ** (-db / 20)).astype(np.int16)


def known(*pcm: Pcm) -> Acquaintance:
    met = Acquaintance()
    for one in pcm:
        met.learn(voiceprint(one))
    return met


@pytest.mark.parametrize('hz', [90.0, 140.0, 220.0])
def test_the_pitch_is_found(hz: float) -> None:
    t = np.arange(16000) / 16000
    saw = 2 * ((hz * t) % 1) - 1
    found = voiceprint(np.round(6000 * saw).astype(np.int16))
    assert found is not None and abs(found.pitch - 12 * math.log2(hz)) < 0.5, found


def test_the_level_is_that_of_the_speech_and_not_of_the_pauses() -> None:
    said = user_audio(GO)
    padded = np.concatenate([np.zeros(16000, np.int16), said, np.zeros(16000, np.int16)])
    one, other = voiceprint(said), voiceprint(padded)
    assert one and other and abs(one.level_db - other.level_db) < 0.5


@pytest.mark.parametrize('samples', [0, 100, 3000])
def test_what_is_too_short_or_silent_has_no_print(samples: int) -> None:
    assert voiceprint(np.full(samples, 1000, np.int16)) is None
    assert voiceprint(np.zeros(16000, np.int16)) is None


def test_the_first_voice_is_compared_with_ordinary_speech() -> None:
    first = Acquaintance().unlike(voiceprint(user_audio(GO)))
    assert first and not first.met and abs(first.louder_db) < 6, first


@pytest.mark.parametrize('voice', ['alice', 'bob'])
def test_the_same_voice_is_near_and_another_one_far(voice: str) -> None:
    met = known(user_audio(GO, voice))
    same = met.unlike(voiceprint(user_audio(LOOK, voice)))
    other = met.unlike(voiceprint(user_audio(LOOK, {'alice': 'bob', 'bob': 'alice'}[voice])))
    assert same and other
    assert abs(same.higher) < 2 < abs(other.higher), (same, other)


def test_a_voice_that_is_farther_away_is_quieter() -> None:
    far = known(user_audio(GO)).unlike(voiceprint(quieter(user_audio(LOOK), 12)))
    assert far and -14 < far.louder_db < -10, far
