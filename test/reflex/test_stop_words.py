# SPDX-License-Identifier: Apache-2.0
"""Stop words: where to look, what was said, and that nothing else is one."""

from __future__ import annotations

import numpy as np
import pytest

from venus_ros.core.errors import BackendError, ConfigError
from venus_ros.core.messages import AudioChunk, Event, Kind, RobotCancel, Scope, Stopped
from venus_ros.reflex import speech_net
from venus_ros.reflex.lulls import LOOKS, STEP_SAMPLES, Lulls
from venus_ros.reflex.reflex import Reflex
from venus_ros.reflex.stop_words import HEAD, WORDS, Head, Spotted, StopWords, open_stop_words

RATE_HZ = 16000


def seconds(length_s: float, level: float, seed: int = 1) -> np.ndarray:
    """Noise of `level` RMS, full scale 1."""
    rng = np.random.default_rng(seed)
    sound = rng.standard_normal(round(length_s * RATE_HZ)) * level * 32768
    return np.clip(sound, -32768, 32767).astype(np.int16)


def around(pcm: np.ndarray, noise_level: float = 1e-4) -> np.ndarray:
    """`pcm` after 1.5 s and before 1 s of faint noise."""
    before, after = seconds(1.5, noise_level), seconds(1.0, noise_level, 2)
    return np.concatenate([before, pcm, after])


def look_times(pcm: np.ndarray) -> list[tuple[int, float]]:
    """(number of the look, s) of each look."""
    lulls = Lulls()
    steps = pcm[: len(pcm) // STEP_SAMPLES * STEP_SAMPLES].reshape(-1, STEP_SAMPLES)
    found = [(lulls.step(step), (i + 1) * 0.02) for i, step in enumerate(steps)]
    return [(look, at_s) for look, at_s in found if look]


@pytest.mark.parametrize('behind_db', [-10, -20, -60])
def test_the_end_of_a_sound_is_looked_at_soon_also_over_noise(behind_db):
    behind = 0.1 * 10 ** (behind_db / 20)
    sound = np.concatenate([seconds(1, behind), seconds(0.4, 0.1), seconds(1, behind, 3)])
    looks = look_times(sound)
    assert [look for look, _ in looks] == list(range(1, 1 + len(LOOKS))), looks
    late_ms = [(at_s - 1.4) * 1e3 for _, at_s in looks]
    assert 80 <= late_ms[0] <= 140 and late_ms[1] <= 200, late_ms


def test_steady_sound_whisper_of_noise_and_silence_are_not_looked_at():
    assert look_times(seconds(3, 0.1)) == []
    assert look_times(np.concatenate([seconds(1, 1e-3), seconds(1, 1e-5)])) == []
    assert look_times(np.zeros(RATE_HZ, np.int16)) == []


class Told:
    """A head whose log odds are given, look by look."""

    words = ('stop', 'freeze')

    def __init__(self, *odds):
        self.left = list(odds)

    def __call__(self, features, contour):
        assert contour.shape == (100,)
        return np.array([self.left.pop(0), -9.0], np.float32)


def blind(sound):
    """Features of nothing."""
    assert sound.shape == (speech_net.NEEDED_SAMPLES,)
    return np.zeros((speech_net.ROWS, speech_net.FEATURES), np.float32)


def told(*odds, threshold=0.5, words=('stop',)):
    return StopWords(words, threshold, blind, Told(*odds, *[-9] * 20))


BURST = np.concatenate([seconds(0.5, 1e-4), seconds(0.4, 0.1), seconds(1.0, 1e-4)])


@pytest.mark.parametrize(
    ('odds', 'spotted'),
    [
        ((3, 3, 3, 3), 1),
        ((9, -12, 0, -9), 0),
        ((-9, -9, 5, 5), 1),
        ((-1, -1, -1, -1), 0),
        ((-3, 2, 2, -9), 1),
    ],
)
def test_two_looks_in_a_row_decide(odds, spotted):
    assert len(told(*odds).push(BURST)) == spotted


def test_a_higher_threshold_asks_for_more():
    assert len(told(1, 1, 1, 1, threshold=0.7).push(BURST)) == 1
    assert told(1, 1, 1, 1, threshold=0.9).push(BURST) == []


@pytest.mark.parametrize('size', [1, 160, 320, 333, 5000])
def test_the_cutting_of_the_sound_does_not_matter(size):
    whole = told(-9, 4, 4, 4).push(BURST)
    spotter = told(-9, 4, 4, 4)
    cut = [s for at in range(0, len(BURST), size) for s in spotter.push(BURST[at : at + size])]
    assert cut == whole and len(whole) == 1


def test_a_word_that_was_not_trained_is_refused_and_none_is_off():
    with pytest.raises(ConfigError, match='halte'):
        StopWords(['stop', 'halte'], 0.5, blind)
    assert open_stop_words([]) is None and open_stop_words(['', ' ']) is None


def test_the_head_is_small_and_knows_the_words():
    assert HEAD.stat().st_size < 1_200_000 and HEAD.with_suffix('.md').exists()
    assert Head().words == WORDS


def test_without_the_net_it_says_what_to_do(monkeypatch):
    monkeypatch.setattr(speech_net, '_PACKAGES', {'no_such_package': 'pip install it'})
    with pytest.raises(BackendError, match='pip install it'):
        speech_net.SpeechNet()


# ---- in the reflex ---------------------------------------------------------------------------


class Script:
    """A spotter that hears a word at given pushes."""

    def __init__(self, *at):
        self.at, self.pushes, self.resets = at, 0, 0

    def push(self, pcm):
        self.pushes += 1
        return [Spotted('stop', 0.9, 0)] if self.pushes in self.at else []

    def reset(self):
        self.resets += 1


def chunks(count, first=0, source='mic'):
    pcm = np.zeros(320, np.int16)
    return [AudioChunk(0, source, first + 320 * i, RATE_HZ, pcm) for i in range(count)]


def test_a_spotted_word_stops_everything_also_while_nothing_is_played():
    script = Script(3, 5)
    reflex = Reflex(('drive', 'pick'), None, source='reflex#1', stamp=lambda: 7, stop_words=script)
    outs = [reflex.receive(chunk, 0.0) for chunk in chunks(6)]
    assert [bool(out) for out in outs] == [False, False, True, False, True, False]
    cancels, (stopped, event) = outs[2][:2], outs[2][2:]
    assert cancels == [RobotCancel('drive'), RobotCancel('pick')]
    assert isinstance(stopped, Stopped) and stopped.scope is Scope.ALL
    assert isinstance(event, Event) and event.kind is Kind.STOPPED
    assert '"stop"' in event.reason and event.confidence == 0.9
    assert stopped.request_id not in ('', outs[4][2].request_id)


def test_sound_that_is_lost_or_of_another_microphone_is_not_joined():
    script = Script()
    reflex = Reflex((), None, source='reflex#1', stamp=lambda: 7, stop_words=script)
    parts = [*chunks(3), *chunks(2, first=960), *chunks(2, first=9600), *chunks(1, source='b')]
    for chunk in parts:
        reflex.receive(chunk, 0.0)
    assert script.pushes == len(parts)
    assert script.resets == 3, 'at the start, at the loss, at the other microphone'
