# SPDX-License-Identifier: Apache-2.0
"""The items of the evaluation: who says what, when, how loud and in which room, from one seed."""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from venus_ros.evaluation.rooms import Place, heard_from, hiss, surroundings
from venus_ros.evaluation.sentences import OVERLAPS, PAUSE, Script, Sentence, Speaker
from venus_ros.evaluation.speakers import speak, speak_sentence
from venus_ros.scenes.noise import Samples
from venus_ros.scenes.track import RATE_HZ

T = TypeVar('T')

SEED = 20261201
SNRS_DB = (None, 20.0, 10.0, 5.0)
"""Noise below the user's level; none = quiet."""
EACH = 112
"""Items of a scenario in each part: 28 at each signal-to-noise ratio."""
INTO_TURN_S = (2.0, 4.0)
"""How long the robot has spoken when the overlap begins."""
PAUSE_S = (0.5, 1.2)
USER_DB = 4.0
"""Users speak at most so much louder or softer than nominal."""
LONGEST_S = 45.0
AROUND_S = 0.5
"""Babble is there so long before the voice and after it; other noise all the time."""
FADE_S = 0.2
OPENED = 0.6
"""Share of the sessions in which the user has spoken before."""
ASKED = 0.25
"""Share of the sessions in which the robot answers a question at length by itself."""


@dataclass(frozen=True, slots=True)
class Item:
    """One session.

    Attributes:
        sentence: what is said over the robot, or to it with a pause inside.
        user: whose voice has been heard before, and speaks unless it is background.
        speaker: whose voice it is.
        place: where that voice comes from.
        user_place: where the user is.
        noise: what else sounds; see `surroundings`.
        snr_db: of the user above it; none = quiet.
        robot: what the robot is made to say; empty = nothing.
        question: what is typed for the robot to answer at length; empty = nothing.
        opening: what the user says first; empty = nothing.
        into_turn_s: how long the robot has spoken by then.
        pause_s: silence inside the sentence, user_pause only.
    """

    id: str
    scenario: str
    part: str
    sentence: Sentence
    user: Speaker
    speaker: Speaker
    place: Place
    user_place: Place
    noise: str
    snr_db: float | None
    robot: str
    question: str
    opening: str
    into_turn_s: float
    pause_s: float

    @property
    def snr(self) -> str:
        """The signal-to-noise ratio in words."""
        return 'quiet' if self.snr_db is None else f'{self.snr_db:g} dB'

    def rng(self, what: str) -> np.random.Generator:
        """The chance that makes this item's `what`."""
        return np.random.default_rng([SEED, _hash(self.id), _hash(what)])


@dataclass(frozen=True, slots=True)
class Sounds:
    """The sound of an item, float64 [samples] at 16 kHz, full scale 1.

    Attributes:
        opening: the user's first words; empty if there are none.
        over: what is said over the robot, with the room's tail.
        over_s: from its first audible sample to its last, without the tail.
        rest_s: where the rest after a pause begins; 0 = there is no pause.
        steady: noise that is there all the time, `LONGEST_S` long.
        around: noise that comes and goes with `over`, from `AROUND_S` before it; may be empty.
    """

    opening: Samples
    over: Samples
    over_s: float
    rest_s: float
    steady: Samples
    around: Samples


def draw(script: Script, part: str, scenario: str, count: int = EACH) -> list[Item]:
    """The first `count` items of a scenario; more of them begin with the same ones.

    Voices, sentences and ratios take turns, so that every beginning of the list is balanced.
    """
    own = script.parts[part]
    order = np.random.default_rng([SEED, _hash(part), _hash(scenario)])
    sentences = [
        own.scenarios[scenario][i] for i in order.permutation(len(own.scenarios[scenario]))
    ]
    voices = [own.speakers[i] for i in order.permutation(len(own.speakers))]
    items = []
    for i in range(count):
        speaker = _turn(voices, i, len(SNRS_DB))
        sentence = _turn(sentences, i, len(voices))
        items.append(_item(script, part, scenario, i, sentence, speaker, SNRS_DB[i % 4]))
    return items


def _item(
    script: Script,
    part: str,
    scenario: str,
    number: int,
    sentence: Sentence,
    speaker: Speaker,
    snr_db: float | None,
) -> Item:
    id = f'{part}/{scenario}/{number:03d}'
    rng = np.random.default_rng([SEED, _hash(id)])
    user_place = Place(
        level_db=rng.uniform(-USER_DB, USER_DB),
        reverb_s=rng.choice([0.0, rng.uniform(0.15, 0.35)]),
        direct_db=rng.uniform(6.0, 12.0),
    )
    others = [voice for voice in script.parts[part].speakers if voice.name != speaker.name]
    user = speaker if scenario != 'background_speech' else others[rng.integers(len(others))]
    talks = scenario in OVERLAPS
    asked = talks and bool(rng.random() < ASKED) and not sentence.before
    asked &= scenario in ('user_interruption', 'user_backchannel')
    opened = bool(rng.random() < OPENED) and not sentence.before and talks
    robot, question, opening = (
        texts[rng.integers(len(texts))]
        for texts in (script.robot, script.questions, script.openings)
    )
    return Item(
        id=id,
        scenario=scenario,
        part=part,
        sentence=sentence,
        user=user,
        speaker=speaker,
        place=_place(scenario, user_place, rng),
        user_place=user_place,
        noise='babble' if rng.random() < 0.7 else 'pink',
        snr_db=snr_db,
        robot=robot if talks and not asked else '',
        question=question if asked else '',
        opening=opening if opened else '',
        into_turn_s=rng.uniform(*INTO_TURN_S),
        pause_s=rng.uniform(*PAUSE_S) if scenario == PAUSE else 0.0,
    )


def _place(scenario: str, user: Place, rng: np.random.Generator) -> Place:
    """Where the voice of a scenario comes from: side talk half turned away, others far off."""
    if scenario == 'talking_to_other' and rng.random() < 0.5:
        quieter_db = rng.uniform(6.0, 10.0)
        return Place(user.level_db - quieter_db, user.reverb_s, 4.0, turned=True)
    if scenario == 'background_speech':
        away = Place(reverb_s=rng.uniform(0.3, 0.6), direct_db=rng.uniform(-3.0, 3.0))
        return Place(-rng.uniform(12.0, 20.0), away.reverb_s, away.direct_db)
    return user


def make_sounds(item: Item, folder: Path) -> Sounds:
    """Let it be spoken. Raises InputError as `speak`."""
    rng = item.rng('sound')
    opening: Samples = np.zeros(0)
    if item.opening:
        opening = heard_from(item.user_place, speak(item.user, item.opening, folder), rng)
    clip, rest_s = _clip(item, folder)
    over = heard_from(item.place, clip, rng)
    steady, around = _noise(item, len(clip))
    return Sounds(opening, over, len(clip) / RATE_HZ, rest_s, steady, around)


def _noise(item: Item, samples: int) -> tuple[Samples, Samples]:
    """What sounds all the time, and what comes and goes with `samples` of speech."""
    rng = item.rng('noise')
    whole = round(LONGEST_S * RATE_HZ)
    steady = hiss(whole, rng)
    around: Samples = np.zeros(0)
    if item.snr_db is None:
        return steady, around
    level_db = item.user_place.level_db - item.snr_db
    if item.noise != 'babble':
        return steady + surroundings(item.noise, level_db, whole, rng), around
    around = surroundings('babble', level_db, samples + round(2 * AROUND_S * RATE_HZ), rng)
    ramp = np.linspace(0, 1, round(FADE_S * RATE_HZ))
    around[: len(ramp)] *= ramp
    around[-len(ramp) :] *= ramp[::-1]
    return steady, around


def _clip(item: Item, folder: Path) -> tuple[Samples, float]:
    """What is said as one clip of unit level, and where its rest begins, s."""
    first, mark, rest = item.sentence.say.partition('|')
    if not mark:
        return speak_sentence(item.speaker, item.sentence, folder), 0.0
    halves = [speak(item.speaker, half.strip(), folder) for half in (first, rest)]
    gap = np.zeros(round(item.pause_s * RATE_HZ))
    return np.concatenate([halves[0], gap, halves[1]]), (len(halves[0]) + len(gap)) / RATE_HZ


def _turn(those: Sequence[T], number: int, beside: int) -> T:
    """Which of `those` it is the turn of, so that each meets each of `beside` others."""
    return those[(number + number // math.lcm(len(those), beside)) % len(those)]


def _hash(text: str) -> int:
    """The same number for the same text on every machine."""
    return zlib.crc32(text.encode())
