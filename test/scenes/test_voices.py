# SPDX-License-Identifier: Apache-2.0
"""The users' voices: the clips are whole, and whatever else is said has the same sound."""

from __future__ import annotations

import hashlib
import json
import shutil

import numpy as np
import pytest
import soundfile

from venus_ros.core.errors import InputError
from venus_ros.scenes import voices

ENTRIES = json.loads((voices.CLIPS / 'index.json').read_text(encoding='utf-8'))
needs_flite = pytest.mark.skipif(not shutil.which('flite'), reason='flite is not installed')


def test_clips_are_the_ones_that_were_listed():
    for entry in ENTRIES:
        content = (voices.CLIPS / entry['file']).read_bytes()
        assert hashlib.sha256(content).hexdigest() == entry['sha256'], entry['file']


def test_every_listed_text_has_its_clip():
    for entry in ENTRIES:
        assert (entry['voice'], voices.slug(entry['text'])) in voices.index(), entry


def test_clips_begin_and_end_with_sound():
    for entry in ENTRIES:
        sound = voices.user_audio(entry['text'], entry['voice'])
        assert sound.dtype == np.int16 and sound.ndim == 1
        assert 0.1 < len(sound) / voices.RATE_HZ < 8, entry
        assert min(abs(int(sound[0])), abs(int(sound[-1]))) > 0, entry
        assert np.abs(sound.astype(int)).max() > 1000, f'{entry} cannot be heard'


@needs_flite
def test_other_words_are_synthesised_alike():
    text = 'a sentence of which there is no clip'
    first, second = (voices.user_audio(text, 'bob') for _ in range(2))
    assert np.array_equal(first, second)
    assert len(first) > voices.RATE_HZ


def test_unknown_voices_and_empty_words_are_named():
    with pytest.raises(InputError, match='zoe.*alice'):
        voices.user_audio('hello', 'zoe')
    with pytest.raises(InputError, match='nothing to say'):
        voices.user_audio('...')


def test_without_a_synthesiser_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr(voices.shutil, 'which', lambda name: None)
    with pytest.raises(InputError, match='apt-get install flite'):
        voices.user_audio('words that nobody recorded')
    assert len(voices.user_audio('hello'))


@pytest.mark.parametrize('rate_hz', [8000, 22050, 48000])
@pytest.mark.parametrize('channels', [1, 2])
def test_files_of_any_rate_are_read(tmp_path, rate_hz, channels):
    tone = 0.3 * np.sin(2 * np.pi * 440 * np.arange(rate_hz) / rate_hz)
    path = tmp_path / 'tone.wav'
    soundfile.write(path, np.tile(tone[:, None], (1, channels)), rate_hz)
    sound = voices.read_sound(path)
    spectrum = np.abs(np.fft.rfft(sound))
    assert abs(np.argmax(spectrum) * voices.RATE_HZ / len(sound) - 440) < 5
    assert abs(len(sound) - voices.RATE_HZ) < 20


def test_what_is_no_sound_is_refused(tmp_path):
    path = tmp_path / 'no.wav'
    path.write_text('hello')
    with pytest.raises(InputError, match='no.wav'):
        voices.read_sound(path)
    with pytest.raises(InputError, match='absent'):
        voices.read_sound(tmp_path / 'absent.wav')
