# SPDX-License-Identifier: Apache-2.0
"""What is said in the evaluation of full duplex, and in which voices: read from a YAML file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from venus_ros.yaml_table import Table, read_table

SHIPPED = Path(__file__).with_name('sentences.yaml')
PARTS = ('tune', 'held')
OVERLAPS = ('user_interruption', 'user_backchannel', 'talking_to_other', 'background_speech')
"""Scenarios in which somebody speaks while the robot speaks."""
PAUSE = 'user_pause'
"""Half a sentence, a pause, the rest; the robot is silent."""
SCENARIOS = (*OVERLAPS, PAUSE)
ENGINES = ('natural', 'flite', 'espeak')


@dataclass(frozen=True, slots=True)
class Speaker:
    """A synthetic voice.

    Attributes:
        engine: one of `ENGINES`.
        voice: its name there.
        speed: words a minute, espeak only.
        pitch: 0 to 99, espeak only.
        factor: the sound is played so much faster, and higher.
    """

    name: str
    engine: str
    voice: str
    speed: int = 155
    pitch: int = 50
    factor: float = 1.0


@dataclass(frozen=True, slots=True)
class Sentence:
    """One thing that is said.

    Attributes:
        sounds: engine → phonemes, of a sound that is no word.
        answer: pattern of the robot's words that answer it; empty = no words do.
        wants_silence: the right answer is to say no more.
        before: a request that is typed beforehand.
        about: what kind of sentence it is.
    """

    say: str
    sounds: Mapping[str, str] = field(default_factory=dict, hash=False)
    answer: str = ''
    wants_silence: bool = False
    before: str = ''
    about: str = ''


@dataclass(frozen=True, slots=True)
class Part:
    """Voices and sentences that belong together: scenario → what is said."""

    speakers: tuple[Speaker, ...]
    scenarios: Mapping[str, tuple[Sentence, ...]]


@dataclass(frozen=True, slots=True)
class Script:
    """The whole file."""

    robot: tuple[str, ...]
    questions: tuple[str, ...]
    openings: tuple[str, ...]
    parts: Mapping[str, Part]


def read_script(file: Path = SHIPPED) -> Script:
    """Read what is said. Raises ConfigError with file, line and key."""
    table = read_table(file)
    if table.count('version') != 1:
        raise table.wrong('must be 1', 'version')
    robot, questions, openings = (_some(table, key) for key in ('robot', 'questions', 'openings'))
    parts = {name: _part(inner) for name, inner in table.named_tables('parts')}
    table.done()
    for name in PARTS:
        if name not in parts:
            raise table.wrong(f'must have {" and ".join(PARTS)}', 'parts')
    return Script(robot, questions, openings, parts)


def _part(table: Table) -> Part:
    speakers = tuple(_speaker(name, inner) for name, inner in table.named_tables('voices'))
    if len(speakers) < 2:
        raise table.wrong('must name at least two', 'voices')
    scenarios = {}
    for name in SCENARIOS:
        scenarios[name] = tuple(_sentence(name, inner) for inner in table.tables(name))
        if not scenarios[name]:
            raise table.wrong('must hold sentences', name)
    table.done()
    return Part(speakers, scenarios)


def _speaker(name: str, table: Table) -> Speaker:
    speaker = Speaker(
        name,
        table.text('engine', choices=ENGINES),
        table.text('voice'),
        speed=int(table.number('speed', 155, least=80, most=400)),
        pitch=int(table.number('pitch', 50, least=0, most=99)),
        factor=table.number('factor', 1.0, least=0.7, most=1.4),
    )
    table.done()
    if not speaker.engine or not speaker.voice:
        raise table.wrong('needs engine and voice')
    return speaker


def _sentence(scenario: str, table: Table) -> Sentence:
    silence = table.text('wants', choices=('silence',)) == 'silence'
    sounds = {str(engine): str(made) for engine, made in table.values('sounds').items()}
    sentence = Sentence(
        table.text('say'),
        sounds,
        answer=table.pattern('answer'),
        wants_silence=silence,
        before=table.text('before'),
        about=table.text('about'),
    )
    table.done()
    if not sentence.say:
        raise table.wrong('has no words', 'say')
    asks = scenario in ('user_interruption', PAUSE)
    if asks != bool(sentence.answer or silence):
        message = 'needs answer or wants' if asks else 'asks for nothing: no answer, no wants'
        raise table.wrong(message, 'say')
    if (scenario == PAUSE) != (sentence.say.count('|') == 1):
        raise table.wrong('a | stands for the pause, once, in user_pause only', 'say')
    return sentence


def _some(table: Table, key: str) -> tuple[str, ...]:
    found = tuple(' '.join(text.split()) for text in table.texts(key))
    if not found:
        raise table.wrong('must hold sentences', key)
    return found
