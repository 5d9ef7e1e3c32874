# SPDX-License-Identifier: Apache-2.0
"""Does the robot take its own voice for the user's? Conversations with an echo, and their score.

Each conversation lasts a minute in a room of its own. The user asks for long answers, lets one
stand, has an errand done, and takes the floor twice in the middle of the robot's speech.
`bringup.echo_loop` plays them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from venus_ros.core.messages import Event, Kind, Role, Transcript
from venus_ros.language.text import words
from venus_ros.scenes.format import Act, Double, Room, Scene
from venus_ros.scenes.log import Log
from venus_ros.scenes.story import Story
from venus_ros.scenes.track import Stretch

LENGTH_S = 60.0
DELAYS_MS = (50.0, 400.0)
LEVELS_DB = (-20.0, -6.0)
REVERBS_S = (0.1, 0.4)
VOICES = ('alice', 'bob', 'dan')
LONG = ('what can you do', 'tell me what you can do')
"""Questions whose answers last several seconds."""
ERRANDS = ('go to the hall', 'go to the bedroom', 'drive to the living room')
INTERRUPTIONS = (
    ('please tell me what your name is', 'venus'),
    ('wait, go to the hall', 'hall'),
    ('no, bring me the blue cup', 'blue'),
    ('tell me a joke', 'holiday'),
    ('stop, go to the bedroom', 'bedroom'),
)
"""What is said over the robot's speech, and a word of the right answer; no long answer has it."""
DECIDED_S = 2.5
"""A decision so long after the user's words may still be about them."""
ANSWER_S = 6.0
"""An answer that begins later than this after an interruption is none."""


def conversation(index: int, seed: int, echo: str = 'reference') -> Scene:
    """A minute of conversation in a room of its own.

    Args:
        index: which one; delays and levels are spread over the whole of their ranges.
        seed: of everything that is drawn.
        echo: what the microphone does about it; see `scenes.format.Room`.
    """
    rng = np.random.default_rng([seed, index])
    room = Room(
        echo_db=_spread(index, 5, LEVELS_DB, rng),
        echo_delay_ms=_spread(index, 7, DELAYS_MS, rng),
        reverb_s=float(rng.uniform(*REVERBS_S)),
        echo=echo,
    )
    voice = VOICES[index % len(VOICES)]
    first, second = (INTERRUPTIONS[i] for i in rng.choice(len(INTERRUPTIONS), 2, replace=False))
    said = (
        (1.0, LONG[index % 2]),
        (float(rng.uniform(3.8, 5.2)), first[0]),
        (18.0, LONG[(index + 1) % 2]),
        (33.0, ERRANDS[index % len(ERRANDS)]),
        (44.0, LONG[index % 2]),
        (float(rng.uniform(46.8, 48.2)), second[0]),
    )
    return Scene(
        name=f'echo_{index:03}',
        path=Path(f'echo_{index:03}'),
        user=tuple(Act(at=at, say=text, voice=voice) for at, text in said),
        robots={name: Double(after_s=3.0) for name in ('navigate_to_pose', 'pick_place', 'look')},
        room=room,
        lasts_s=LENGTH_S,
        seed=seed + index,
    )


def _spread(
    index: int, steps: int, limits: tuple[float, float], rng: np.random.Generator
) -> float:
    """A value in the `index`-th of so many equal parts of a range, round and round."""
    low, high = limits
    return float(low + (high - low) * (index % steps + rng.uniform()) / steps)


@dataclass(slots=True)
class Score:
    """What went wrong, counted over conversations.

    Attributes:
        seconds: of conversation.
        interruptions: words of the user over the robot's speech.
        answered: of these: the robot fell silent and its next turn answered them.
        self_interruptions: turns that ended although the user was silent.
        self_ducks: times the level sank although the user was silent.
        false_voices: voices that were heard although the user was silent.
        own_words: words of the robot's that count as the user's.
        heard_words: words that count as the user's.
        misses: what was wrong, in words.
    """

    seconds: float = 0.0
    interruptions: int = 0
    answered: int = 0
    self_interruptions: int = 0
    self_ducks: int = 0
    false_voices: int = 0
    own_words: int = 0
    heard_words: int = 0
    misses: list[str] = field(default_factory=list)

    def add(self, scene: Scene, log: Log, story: Story) -> None:
        """Count one conversation in."""
        self.seconds += log.end_s
        stretches = log.track.stretches
        where = f'{scene.name} {scene.room}'
        for t_s, event in story.events:
            self._judge(event, t_s, stretches, where)
        for stretch in stretches:
            self._interruption(stretch, story, where)
        for heard, robot in _transcripts(log, story):
            self._words(heard, robot, stretches, log, where)

    def record(self) -> dict[str, Any]:
        """As it stands in a report."""
        return {
            'minutes': round(self.seconds / 60, 1),
            'interruptions': {'n': self.interruptions, 'answered': self.answered},
            'self_interruptions': self.self_interruptions,
            'self_ducks': self.self_ducks,
            'false_voices': self.false_voices,
            'words': {'n': self.heard_words, 'own': self.own_words},
            'misses': self.misses,
        }

    def _judge(self, event: Event, t_s: float, stretches: tuple[Stretch, ...], where: str) -> None:
        late_s = DECIDED_S if event.kind is Kind.FLUSHED else 0.6
        if any(s.start_s <= t_s <= s.end_s + late_s for s in stretches):
            return
        if event.kind is Kind.FLUSHED:
            self.self_interruptions += 1
        elif event.kind is Kind.DUCKED:
            self.self_ducks += 1
        elif event.kind is Kind.USER_STARTED:
            self.false_voices += 1
        else:
            return
        self.misses.append(f'{where}: {event.kind.name} at {t_s:.2f} s: {event.reason}')

    def _interruption(self, stretch: Stretch, story: Story, where: str) -> None:
        word = dict(INTERRUPTIONS).get(stretch.words)
        over = any(turn.begin_s < stretch.start_s < turn.end_s for turn in story.turns)
        if word is None or not over:
            return
        self.interruptions += 1
        answers = [
            turn
            for turn in story.turns
            if stretch.start_s < turn.begin_s < stretch.end_s + ANSWER_S
        ]
        if any(word in turn.text.lower() for turn in answers):
            self.answered += 1
            return
        seen = ' / '.join(turn.text for turn in answers) or 'nothing'
        self.misses.append(f'{where}: {stretch.words!r} at {stretch.start_s:.1f} s: {seen}')

    def _words(
        self,
        heard: Transcript,
        robot: Counter[str],
        stretches: tuple[Stretch, ...],
        log: Log,
        where: str,
    ) -> None:
        begin_s, end_s = log.seconds(heard.start_ns), log.seconds(heard.end_ns)
        said: Counter[str] = Counter()
        for stretch in stretches:
            if stretch.start_s < end_s + 0.5 and begin_s - 0.5 < stretch.end_s:
                said += Counter(words(stretch.words))
        got = Counter(words(heard.text))
        own = ((got - said) & robot).total()
        self.heard_words += got.total()
        self.own_words += own
        if own:
            self.misses.append(f'{where}: {own} own words in {heard.text!r} at {begin_s:.1f} s')


def _transcripts(log: Log, story: Story) -> Iterator[tuple[Transcript, Counter[str]]]:
    """Each final transcript of the user, and the words of the robot's turns around it."""
    for _, _, heard in log.of(Transcript):
        if heard.role is not Role.USER or not heard.final:
            continue
        begin_s, end_s = log.seconds(heard.start_ns), log.seconds(heard.end_ns)
        robot: Counter[str] = Counter()
        for turn in story.turns:
            if turn.begin_s < end_s and begin_s - 1.0 < turn.end_s:
                robot += Counter(words(turn.text))
        yield heard, robot
