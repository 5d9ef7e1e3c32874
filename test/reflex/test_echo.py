# SPDX-License-Identifier: Apache-2.0
"""The robot's own voice is gone from the microphone's sound, and the user's is left in it."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from venus_ros.reflex.echo import RATE_HZ, EchoCanceller
from venus_ros.reflex.echo_path import FRAME
from venus_ros.scenes.air import response
from venus_ros.scenes.format import Room
from venus_ros.scenes.noise import noise
from venus_ros.scenes.voices import user_audio
from venus_ros.silero import open_voice

ROOMS = [
    Room(echo_db=-6, echo_delay_ms=50, reverb_s=0.0),
    Room(echo_db=-6, echo_delay_ms=400, reverb_s=0.2),
    Room(echo_db=-10, echo_delay_ms=200, reverb_s=0.4),
    Room(echo_db=-20, echo_delay_ms=120, reverb_s=0.3),
]
SENTENCES = (
    'go to the kitchen and tell me what is on the table',
    'please pick up the green bottle',
    'look for the remote in the bedroom',
    'take the ball to the living room',
)


@cache
def robot(times: int = 1) -> np.ndarray:
    """About nine seconds of speech with short pauses, int16."""
    pause = np.zeros(RATE_HZ // 4, np.int16)
    said = [part for text in SENTENCES for part in (user_audio(text, 'bob'), pause)]
    whole = np.concatenate(said * times)
    return whole[: len(whole) // FRAME * FRAME]


def echo_of(played: np.ndarray, room: Room, seed: int = 1) -> np.ndarray:
    delay = round(room.echo_delay_ms * RATE_HZ / 1000)
    heard = np.convolve(played, response(room, seed))[: len(played) - delay]
    return np.concatenate([np.zeros(delay), heard])


def pcm(sound: np.ndarray) -> np.ndarray:
    return np.clip(np.rint(sound), -32768, 32767).astype(np.int16)


def power(sound: np.ndarray) -> float:
    return float(np.mean(sound.astype(float) ** 2))


def db(one: np.ndarray, other: np.ndarray) -> float:
    return 10 * float(np.log10((power(one) + 1e-3) / (power(other) + 1e-3)))


def hiss(samples: int, rms: float = 5.0) -> np.ndarray:
    return np.random.default_rng(3).standard_normal(samples) * rms


def voice_s(sound: np.ndarray) -> float:
    """For how long the voice detector says that somebody speaks."""
    voice = open_voice()
    speaking = 0
    for first in range(0, len(sound), FRAME):
        voice.push(sound[first : first + FRAME])
        speaking += voice.speaking
    return speaking * FRAME / RATE_HZ


@pytest.mark.parametrize('room', ROOMS, ids=str)
def test_nobody_is_heard_in_the_echo_of_the_robot(room: Room) -> None:
    played = robot()
    heard = pcm(echo_of(played, room) + hiss(len(played)))
    canceller = EchoCanceller()
    cleaned = canceller.clean(heard, played)
    assert voice_s(heard) > 4.0, 'the echo is no test'
    assert voice_s(cleaned) == 0.0, f'{voice_s(cleaned)} s of voice left'
    second_half = slice(len(played) // 2, None)
    assert db(heard[second_half], cleaned[second_half]) > 12
    assert canceller.return_loss_db > 10


@pytest.mark.parametrize('room', ROOMS, ids=str)
def test_the_user_who_talks_over_the_robot_is_left(room: Room) -> None:
    played = robot()
    user = np.zeros(len(played))
    said = user_audio('actually, bring me the plate', 'alice')
    first = len(played) // 2
    user[first : first + len(said)] = said
    heard = pcm(echo_of(played, room) + user + hiss(len(played)))
    cleaned = EchoCanceller().clean(heard, played)
    window = slice(first, first + len(said))
    likeness = np.corrcoef(cleaned[window], said)[0, 1]
    assert likeness > 0.85, f'correlation {likeness:.2f}'
    assert abs(db(cleaned[window], said)) < 3, f'{db(cleaned[window], said):.1f} dB'
    assert voice_s(cleaned[window]) > 0.6 * len(said) / RATE_HZ


def test_how_the_stream_is_cut_changes_nothing() -> None:
    played = robot()[: 3 * RATE_HZ]
    heard = pcm(echo_of(played, ROOMS[2]))
    whole = EchoCanceller().clean(heard, played)
    cut = EchoCanceller()
    rng = np.random.default_rng(1)
    pieces, at = [], 0
    while at < len(heard):
        size = int(rng.integers(0, 1000))
        pieces.append(cut.clean(heard[at : at + size], played[at : at + size]))
        at += size
    assert np.array_equal(np.concatenate(pieces), whole[: sum(map(len, pieces))])
    assert len(whole) - sum(map(len, pieces)) < FRAME


def test_a_silent_robot_leaves_the_sound_as_it_is() -> None:
    user = user_audio('what is on the table in the kitchen', 'alice')
    cleaned = EchoCanceller().clean(user, np.zeros_like(user))
    assert np.array_equal(cleaned, user[: len(cleaned)])


def test_after_the_robot_has_spoken_the_user_is_left_as_he_is() -> None:
    quiet = np.zeros(RATE_HZ, np.int16)
    user = user_audio('what is on the table in the kitchen', 'alice')
    user = user[: len(user) // FRAME * FRAME]
    played = np.concatenate([robot(), quiet, np.zeros_like(user)])
    heard = pcm(echo_of(played, ROOMS[1]))
    heard[-len(user) :] += user
    cleaned = EchoCanceller().clean(heard, played)
    assert db(cleaned[-len(user) :] - user, user) < -40


@pytest.mark.parametrize('change_ms', [-60, 20, 150])
def test_a_new_delay_is_learnt_within_a_flicker(change_ms: float) -> None:
    played = robot(2)
    half = len(played) // 2
    before = echo_of(played, Room(-10, 150, 0.2))
    after = echo_of(played, Room(-10, 150 + change_ms, 0.2))
    heard = pcm(np.concatenate([before[:half], after[half:]]) + hiss(len(played)))
    cleaned = EchoCanceller().clean(heard, played)
    assert voice_s(cleaned) < 0.2, f'{voice_s(cleaned)} s of voice left'
    last = slice(-3 * RATE_HZ, None)
    assert db(heard[last], cleaned[last]) > 12


def test_a_loudspeaker_that_distorts_is_not_heard_as_a_voice() -> None:
    played = robot()
    distorted = np.tanh(played / 8000) * 8000
    heard = pcm(echo_of(distorted, ROOMS[2]) + hiss(len(played)))
    assert voice_s(EchoCanceller().clean(heard, played)) == 0.0


def test_forgotten_sound_changes_nothing() -> None:
    played = robot()[: 2 * RATE_HZ]
    heard = pcm(echo_of(played, ROOMS[0]))
    canceller = EchoCanceller()
    first = canceller.clean(heard, played)
    canceller.reset()
    assert np.array_equal(canceller.clean(heard, played), first)


def test_streams_of_unlike_length_are_refused() -> None:
    with pytest.raises(AssertionError, match='320 heard, 160 played'):
        EchoCanceller().clean(np.zeros(320, np.int16), np.zeros(160, np.int16))


def test_the_user_is_heard_over_noise_and_the_robot() -> None:
    played, room = robot(), ROOMS[3]
    rng = np.random.default_rng(7)
    din = noise('pink', len(played), RATE_HZ, rng) * 2600 * 10 ** (-10 / 20)
    said = user_audio('please pick up the green bottle', 'alice')
    first = len(played) // 2
    with_user = echo_of(played, room) + din
    with_user[first : first + len(said)] += said
    cleaned = EchoCanceller().clean(pcm(with_user), played)[first : first + len(said)]
    assert voice_s(cleaned) > 0.6 * len(said) / RATE_HZ, f'{voice_s(cleaned):.2f} s of voice'
    alone = EchoCanceller().clean(pcm(echo_of(played, room) + din), played)
    assert voice_s(alone) == 0.0, f'{voice_s(alone):.2f} s of voice in noise and echo'
