# SPDX-License-Identifier: Apache-2.0
"""How stop words are trained and measured: on sounds and numbers whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest

from tools.stop_words.examples import Clip, Examples, _label, join
from tools.stop_words.nets import train
from tools.train_stop_words import by_clip
from venus_ros.bringup.stop_latency import FIRST_S, measure
from venus_ros.core.messages import Scope, Stopped
from venus_ros.evaluation import stop_voices as voices
from venus_ros.evaluation.stop_sounds import Around, situate
from venus_ros.evaluation.stop_words import Trial, poisson_interval, report_hits
from venus_ros.reflex.stop_words import WORDS, score
from venus_ros.scenes.log import Log
from venus_ros.scenes.noise import speech_level
from venus_ros.scenes.track import Stretch, Track

RATE_HZ = 16000


@pytest.mark.parametrize(
    ('count', 'hours', 'low', 'high'), [(0, 10, 0, 0.3689), (5, 10, 0.1623, 1.1668)]
)
def test_the_interval_of_a_rate_is_the_exact_one(count, hours, low, high):
    assert poisson_interval(count, hours) == pytest.approx((low, high), abs=1e-3)


def test_hits_are_told_by_word_and_voice():
    trials = [
        Trial('quiet', 'stop', 'a', 'stop', 0.2, 'stop'),
        Trial('quiet', 'halt', 'a', 'halt', 0.1, 'stop'),
        Trial('quiet', 'halt', 'b', 'halt!', None, ''),
    ]
    found = report_hits(trials)
    assert (found['n'], found['hit'], found['other_word']) == (3, 0.6667, 1)
    assert found['by_word']['halt']['hit'] == 0.5 and found['by_family']['b']['hit'] == 0
    assert found['missed'] == ['b: halt!'] and found['latency_ms']['median'] == 150


def test_proof_and_training_share_no_voice_and_no_sentence():
    train_part, held = voices.sentences('train'), voices.sentences('held')
    bare = {'{w}', '{w}!'}
    for name in ('neighbours', 'talk', 'robot'):
        assert not set(map(str, train_part[name])) & set(map(str, held[name])), name
    assert set(train_part['commands']) & set(held['commands']) <= bare
    assert not set(voices.prose('train')) & set(voices.prose('held'))
    rng = np.random.default_rng(1)
    families = {
        part: {voices.draw_speaker(part, rng).family for _ in range(200)}
        for part in ('train', 'held')
    }
    assert not families['train'] & families['held'] and len(families['held']) >= 4, families
    natural = {part: set(voices.natural_speakers(part)) for part in ('train', 'held')}
    assert not natural['train'] & natural['held'] and len(natural['held']) == 10, natural


def test_levels_of_noise_and_echo_are_the_asked_ones():
    rng = np.random.default_rng(3)
    speech = np.zeros(3 * RATE_HZ, np.float32)
    speech[RATE_HZ : 2 * RATE_HZ] = rng.standard_normal(RATE_HZ) * 0.1
    robot = rng.standard_normal(5 * RATE_HZ).astype(np.float32)
    around = Around(echo_snr_db=10.0)
    heard = situate(speech, around, np.random.default_rng(3), lambda n: robot[:n])
    level = speech_level(heard[RATE_HZ : 2 * RATE_HZ].astype(float), RATE_HZ)
    echo = speech_level(heard[: RATE_HZ // 2].astype(float), RATE_HZ)
    assert 20 * np.log10(level / echo) == pytest.approx(10.4, abs=1.0)


def test_what_a_look_shows_depends_on_when_the_command_ends():
    sound = np.zeros(3 * RATE_HZ, np.float32)
    named = Clip(sound, 'freeze', 'a', end=2 * RATE_HZ)
    times_s = {0.9: 0, 1.6: None, 2.02: None, 2.1: 2, 2.3: 2, 2.5: None}
    for at_s, label in times_s.items():
        assert _label(named, round(at_s * RATE_HZ)) == label, at_s
    first = Clip(sound, 'freeze', 'a', end=2 * RATE_HZ, opens=True)
    assert _label(first, round(0.9 * RATE_HZ)) is None
    assert _label(Clip(sound, 'hard', 'a'), 5) == 0


def toy(looks, rng):
    """Looks whose word is written into one of the features."""
    labels = rng.integers(0, 1 + len(WORDS), looks)
    features = rng.standard_normal((looks, 18, 384)).astype(np.float32)
    for word in range(1, 1 + len(WORDS)):
        features[labels == word, 12, 8 * word : 8 * word + 8] += 3
    return features.astype(np.float16), np.zeros((looks, 100), np.float16), labels.astype(np.int8)


def test_a_net_learns_what_can_be_learnt_and_the_head_scores_alike():
    rng = np.random.default_rng(5)
    features, contours, labels = toy(1500, rng)
    rows, scale = np.arange(1500), (np.zeros(384, np.float32), np.ones(384, np.float32))
    looks = features, contours, labels, np.ones(1500, np.float32), rows, scale
    net, again = (train(*looks, epochs=20, seed=1) for _ in range(2))
    assert all((net[name] == again[name]).all() for name in net), 'the seed does not decide'
    values = {name: value[None] for name, value in net.items()}
    values |= {'mean': np.zeros(384), 'std': np.ones(384), 'offset': np.zeros(())}
    features, contours, labels = toy(500, rng)
    odds = score(values, features, contours)
    told = np.where(odds.max(axis=1) > 0, odds.argmax(axis=1) + 1, 0)
    assert (told == labels).mean() > 0.85, (told == labels).mean()


def test_only_two_looks_of_one_lull_count_for_a_clip():
    part = Examples(
        features=np.zeros((5, 18, 384), np.float16),
        contours=np.zeros((5, 100), np.float16),
        labels=np.zeros(5, np.int8),
        clips=np.array([0, 0, 0, 1, 1], np.int32),
        orders=np.array([1, 2, 1, 1, 2], np.int8),
        kinds=np.array(['stop', 'hard']),
        families=np.array(['a', 'b']),
        seconds=np.ones(2, np.float32),
    )
    odds = np.zeros((5, len(WORDS)), np.float32)
    odds[:, 0] = [4, 0, 9, -5, 1]
    assert by_clip(part, odds).tolist() == [2, 0]
    both = join([part, part])
    assert both.clips.tolist() == [0, 0, 0, 1, 1, 2, 2, 2, 3, 3] and len(both.kinds) == 4


def test_a_stop_is_of_the_word_that_it_follows():
    words = [Stretch(FIRST_S + at, FIRST_S + at + 0.5, '', speech=True) for at in (0, 3, 6)]
    noise = Stretch(0.5, 1.5, '', speech=False)
    log = Log(Track(np.zeros(0, np.int16), (noise, *words)), zero_ns=0)
    for at_s in (1.6, FIRST_S + 0.6, FIRST_S + 6.7, FIRST_S + 6.9):
        log.add(at_s, 'reflex', Stopped('', round(at_s * 1e9), Scope.ALL))
    found = measure(log)
    assert (found['n'], found['heard']) == (3, 2), found
    assert found['latency_ms']['max'] == pytest.approx(200) and found['latency_ms']['n'] == 2
