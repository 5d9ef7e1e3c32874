# SPDX-License-Identifier: Apache-2.0
"""The user's sound: right places, right levels, the same every time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from venus_ros.core.errors import InputError
from venus_ros.core.messages import Pcm
from venus_ros.scenes.format import NOISES, Act, Noise, Scene
from venus_ros.scenes.noise import ORDINARY_SPEECH, noise
from venus_ros.scenes.track import RATE_HZ, make_track, read_sound


def voice(text: str, name: str) -> Pcm:
    """Half a second of a tone of ordinary level for any words."""
    tone = np.sin(2 * np.pi * 440 * np.arange(RATE_HZ // 2) / RATE_HZ)
    return np.asarray(tone * np.sqrt(2) * ORDINARY_SPEECH * 32768, np.int16)


def scene(*acts: Act, seed: int = 1) -> Scene:
    return Scene('test', Path('test.yaml'), user=acts, seed=seed)


def rms(pcm: Pcm) -> float:
    return float(np.sqrt(np.mean((pcm / 32768.0) ** 2)))


def test_words_stand_where_they_are_said() -> None:
    track = make_track(scene(Act(1.0, say='a'), Act(3.0, say='b', gain_db=-20)), voice)
    assert [(s.start_s, s.end_s) for s in track.stretches] == [(1.0, 1.5), (3.0, 3.5)]
    assert not track.pcm[:RATE_HZ].any() and track.pcm[RATE_HZ : RATE_HZ + 100].any()
    loud, soft = rms(track.pcm[16_000:24_000]), rms(track.pcm[48_000:56_000])
    assert 20 * np.log10(loud / soft) == pytest.approx(20, abs=0.1)
    assert not track.chunk(100 * RATE_HZ, 320).any() and len(track.chunk(55_990, 320)) == 320


@pytest.mark.parametrize('kind', NOISES)
def test_noise_has_the_level_asked_for(kind: str) -> None:
    alone = make_track(scene(Act(0.0, noise=Noise(kind, snr_db=20, for_s=4))), voice)
    assert 20 * np.log10(rms(alone.pcm) / ORDINARY_SPEECH) == pytest.approx(-20, abs=0.2)
    beside = make_track(scene(Act(0.0, say='a', noise=Noise(kind, snr_db=6, for_s=2))), voice)
    after_words = beside.pcm[RATE_HZ // 2 :]
    assert 20 * np.log10(rms(after_words) / ORDINARY_SPEECH) == pytest.approx(-6, abs=1.5)
    assert beside.stretches[0].end_s == 0.5


def test_the_same_seed_gives_the_same_samples() -> None:
    act = Act(0.0, noise=Noise('babble', for_s=1))
    first, again = make_track(scene(act), voice), make_track(scene(act), voice)
    other = make_track(scene(act, seed=2), voice)
    assert np.array_equal(first.pcm, again.pcm) and not np.array_equal(first.pcm, other.pcm)


def test_too_loud_is_clipped_not_wrapped() -> None:
    track = make_track(scene(Act(0.0, say='a', gain_db=40)), voice)
    assert track.pcm.max() == 32767 and track.pcm.min() == -32768


@pytest.mark.parametrize('rate_hz', [8000, 22050, 48000])
@pytest.mark.parametrize('channels', [1, 2])
def test_files_of_any_rate_become_mono_16_khz(tmp_path: Path, rate_hz: int, channels: int) -> None:
    tone = np.sin(2 * np.pi * 1000 * np.arange(rate_hz) / rate_hz) * 0.5
    file = tmp_path / 'tone.wav'
    soundfile.write(str(file), np.repeat(tone[:, None], channels, axis=1), rate_hz)
    sound = read_sound(file)
    peak_hz = int(np.argmax(np.abs(np.fft.rfft(sound[:RATE_HZ])))) * RATE_HZ / len(sound[:RATE_HZ])
    assert len(sound) == pytest.approx(RATE_HZ, abs=20) and peak_hz == pytest.approx(
        1000, rel=0.01
    )


def test_files_that_are_no_sound_are_refused(tmp_path: Path) -> None:
    text, empty, nan = tmp_path / 'a.wav', tmp_path / 'b.wav', tmp_path / 'c.wav'
    text.write_text('not a sound')
    soundfile.write(str(empty), np.zeros(0), RATE_HZ)
    soundfile.write(str(nan), np.full(100, np.nan), RATE_HZ, subtype='FLOAT')
    for file, words in ((text, 'as sound'), (empty, 'no samples'), (nan, 'no numbers')):
        with pytest.raises(InputError, match=words):
            read_sound(file)


def test_words_that_cannot_be_spoken_are_told_with_their_line() -> None:
    def mute(text: str, name: str) -> Pcm:
        raise InputError(f'unknown voice {name}', 'voice')

    with pytest.raises(InputError, match=r'test\.yaml:7: voice: unknown voice carol'):
        make_track(scene(Act(0.0, say='a', voice='carol', line=7)), mute)


def test_pink_falls_and_hum_is_at_the_mains() -> None:
    rng = np.random.default_rng(0)
    power = np.abs(np.fft.rfft(noise('pink', 160_000, RATE_HZ, rng))) ** 2
    octaves = [power[hz * 10 : hz * 20].sum() for hz in (100, 400, 1600)]
    assert max(octaves) / min(octaves) < 1.3, octaves
    hum = np.abs(np.fft.rfft(noise('hum', RATE_HZ, RATE_HZ, rng)))
    assert int(np.argmax(hum)) == 50
