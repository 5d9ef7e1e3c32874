# SPDX-License-Identifier: Apache-2.0
"""The natural test voices say what they are asked to, alike every time, each in its own way."""

from __future__ import annotations

import numpy as np
import pytest
import soxr

from venus_ros.core.errors import BackendError
from venus_ros.evaluation.natural_voice import RATE_HZ, names, speak, spell
from venus_ros.frontends.embedded.asr import Recogniser


@pytest.mark.parametrize('voice', ['af_heart', 'bm_george', 'em_alex'])
def test_what_is_said_is_understood(voice: str) -> None:
    sound = soxr.resample(speak('Please take the red cup to the kitchen.', voice), RATE_HZ, 16000)
    pcm = np.asarray(sound * (8000 / np.abs(sound).max()), np.int16)
    heard = Recogniser().recognise(pcm).text
    assert heard.lower().strip('.') == 'please take the red cup to the kitchen', heard


def test_the_same_words_sound_the_same_and_voices_differ() -> None:
    first, again, other = (speak('Stop!', voice) for voice in ('am_adam', 'am_adam', 'af_nova'))
    assert np.array_equal(first, again)
    assert len(other) != len(first) or np.abs(other - first).max() > 0.05


def test_words_are_spelt_with_their_stress_and_punctuation() -> None:
    assert spell('Stop! Go, please.') == 'stˈɑp! ɡˈO, plˈiz.', spell('Stop! Go, please.')
    assert spell('go', british=True) == 'ɡˈQ', spell('go', british=True)


def test_an_unknown_voice_is_told_with_the_known_ones() -> None:
    assert len(names()) == 54
    with pytest.raises(BackendError, match="'af_nobody'.*af_heart"):
        speak('hello', 'af_nobody')
