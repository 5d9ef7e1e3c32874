# SPDX-License-Identifier: Apache-2.0
"""Sessions of the evaluation in counted time: the robot is made to speak, and somebody speaks too.

The whole robot runs in this process, as in `playing`, but nothing is scripted by the clock: what
is said over the robot begins so long after the robot was first heard. Models are loaded once and
serve all sessions; every session starts as a conversation that knows nothing of an earlier one.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from venus_ros.bringup.kept import Frontend, Kept
from venus_ros.bringup.parts import Cast
from venus_ros.core.messages import ConversationState, Floor, Pcm, Playout, Say, TypedText
from venus_ros.evaluation.items import AROUND_S, LONGEST_S, Item, Sounds, make_sounds
from venus_ros.evaluation.outcome import WINDOW_S
from venus_ros.evaluation.records import Played
from venus_ros.harness.planner.embedded import EmbeddedPlanner
from venus_ros.harness.skills import load
from venus_ros.scenes.devices import Played as Output
from venus_ros.scenes.devices import assemble
from venus_ros.scenes.format import Double, Scene
from venus_ros.scenes.graph import ZERO_NS, CountedClock, Graph
from venus_ros.scenes.log import Log
from venus_ros.scenes.noise import Samples
from venus_ros.scenes.story import tell
from venus_ros.scenes.track import RATE_HZ, Stretch, Track

OPENING_S = 0.5
FREE_S = 0.4
"""The floor must have been free for so long before the robot is made to speak …"""
SETTLED_S = 0.9
"""… and so long must have passed since the opening; a robot that never is free is not waited for
longer than:"""
PATIENCE_S = 9.0
REST_S = 0.6
"""A session ends when nothing is said any more for so long, …"""
LEFT_S = 12.0
"""… or at the latest so long after the window."""
WORKING_S = 120.0
"""What the robot is asked to do takes longer than a session: no result is told in it."""


class Tape:
    """The user's side, which is written while it is played; float is added, int16 is heard.

    Attributes:
        pcm: what the microphone gets, int16 [samples] at 16 kHz.
        voice: the same without the noise.
    """

    def __init__(self, steady: Samples) -> None:
        self.pcm = _int16(steady)
        self.voice = np.zeros_like(self.pcm)

    def add(self, at_s: float, sound: Samples, voice: bool = True) -> None:
        """Let `sound` begin at `at_s`; what does not fit on the tape is cut.

        Args:
            voice: it is no noise.
        """
        first = max(0, round(at_s * RATE_HZ))
        for side in (self.pcm, self.voice) if voice else (self.pcm,):
            piece = side[first : first + len(sound)]
            piece[:] = np.clip(piece + _int16(sound[: len(piece)]).astype(np.int32), -32768, 32767)


class Sessions:
    """Runs items one after the other.

    Args:
        folder: where the clips are kept.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._frontend = Kept(Frontend())
        self._skills = load()
        self._planner = EmbeddedPlanner(self._skills)
        self._answers: dict[str, str] = {}

    def close(self) -> None:
        """End the models. Idempotent."""
        self._frontend.end()

    def play(self, item: Item) -> Played:
        """Run one item. Raises InputError if a voice cannot speak."""
        return self.play_timed(item)[0]

    def play_timed(self, item: Item) -> tuple[Played, float]:
        """As `play`, and when the robot was made to speak, s."""
        return self._run(item, make_sounds(item, self._folder), self._script(item))

    def _script(self, item: Item) -> str:
        """All words of the turn that is to be overlapped: what the robot says undisturbed."""
        if not item.question:
            return item.robot
        if item.question not in self._answers:
            alone = replace(item, opening='', sentence=replace(item.sentence, before=''))
            nothing = np.zeros(0)
            quiet = np.zeros(round(LONGEST_S * RATE_HZ))
            played, _ = self._run(alone, Sounds(nothing, nothing, 0.0, 0.0, quiet, nothing), '')
            turns = tell(played.log).turns
            self._answers[item.question] = next(
                (turn.text for turn in turns if turn.turn_id == played.turn_id), ''
            )
        return self._answers[item.question]

    def _run(self, item: Item, sounds: Sounds, script: str) -> tuple[Played, float]:
        tape, clock = Tape(sounds.steady), CountedClock()
        heard: Output = []
        track = Track(tape.pcm, ())
        log = Log(track, ZERO_NS)
        with self._graph(item, track, clock, log, heard) as graph:
            course = Course(item, sounds, tape, graph)
            while not course.over:
                graph.step()
                course.follow(log)
        log.robot_pcm, log.robot_rate_hz = assemble(heard)
        log.end_s = clock.t_s
        start_s = course.start_s if course.start_s is not None else clock.t_s
        end_s = start_s + sounds.over_s
        stretch = Stretch(start_s, end_s, item.sentence.say, speech=True)
        log.track = Track(tape.pcm[: round(clock.t_s * RATE_HZ)], (stretch,))
        voice = tape.voice[: len(log.track.pcm)]
        played = Played(log, voice, start_s, end_s, course.turn_id, script, sounds.rest_s)
        return played, course.asked_s or 0.0

    @contextmanager
    def _graph(
        self, item: Item, track: Track, clock: CountedClock, log: Log, heard: Output
    ) -> Iterator[Graph]:
        servers = {skill.server for skill in self._skills}
        robots = {server: Double(after_s=WORKING_S) for server in sorted(servers)}
        scene = Scene(item.id, Path(item.id), robots=robots)
        with tempfile.TemporaryDirectory(prefix='venus-eval-') as folder:
            cast = Cast(
                scene,
                track,
                self._skills,
                self._planner,
                lambda scene: self._frontend,
                clock,
                Path(folder),
                heard,
            )
            graph = Graph(cast.parts(), clock, log)
            try:
                yield graph
            finally:
                graph.close()


class Course:
    """What happens in one session, step by step.

    Attributes:
        asked_s: when the robot was made to speak; none = not yet.
        start_s: when the voice that the item is about begins; none = not yet known.
        turn_id: the robot turn that it overlaps; 0 = none.
        over: whether the session is over.
    """

    def __init__(self, item: Item, sounds: Sounds, tape: Tape, graph: Graph) -> None:
        self._item, self._sounds, self._tape, self._graph = item, sounds, tape, graph
        self._seen = self._newest = self._before = 0
        self._floor = Floor.FREE
        self._free_s = self._busy_s = 0.0
        self._settled_s = OPENING_S
        self.asked_s: float | None = None
        self.start_s: float | None = None
        self.turn_id = 0
        self.over = False
        self._open()

    def _open(self) -> None:
        """What comes before: words of the user, spoken or typed."""
        if len(self._sounds.opening):
            self._tape.add(OPENING_S, self._sounds.opening)
            self._settled_s += len(self._sounds.opening) / RATE_HZ + SETTLED_S
        elif self._item.sentence.before:
            self._post(TypedText(self._graph.clock.stamp(), self._item.sentence.before))
            self._settled_s += SETTLED_S

    def follow(self, log: Log) -> None:
        """Take what a step of the graph brought, and do what is due."""
        for entry in log.entries[self._seen :]:
            self._see(entry.message)
        self._seen = len(log.entries)
        t_s = self._graph.clock.t_s
        if self._floor is not Floor.FREE:
            self._free_s = self._busy_s = t_s
        if self.asked_s is None:
            self._ask(t_s)
        self._end(t_s)

    def _see(self, message: Any) -> None:
        if isinstance(message, ConversationState):
            self._floor = message.floor
        elif isinstance(message, Playout):
            for turn in message.recent:
                if turn.played:
                    self._newest = max(self._newest, turn.turn_id)
                    if turn.turn_id > self._before and self._awaits_turn:
                        began_s = (turn.began_ns - ZERO_NS) / 1e9
                        self.turn_id = turn.turn_id
                        self._begin(began_s + self._item.into_turn_s)

    @property
    def _awaits_turn(self) -> bool:
        return self.asked_s is not None and self.start_s is None

    def _ask(self, t_s: float) -> None:
        """Make the robot speak, once nothing else goes on; where it is to be silent, go on."""
        ready = t_s >= self._settled_s and t_s - self._free_s >= FREE_S
        if not ready and t_s < self._settled_s + PATIENCE_S:
            return
        self.asked_s, self._before = t_s, self._newest
        if self._item.robot:
            self._post(Say(self._item.id, self._item.robot))
        elif self._item.question:
            self._post(TypedText(self._graph.clock.stamp(), self._item.question))
        else:
            self._begin(t_s + self._item.into_turn_s % 1.0)

    def _begin(self, at_s: float) -> None:
        self.start_s = round(at_s * RATE_HZ) / RATE_HZ
        self._tape.add(self.start_s, self._sounds.over)
        self._tape.add(self.start_s - AROUND_S, self._sounds.around, voice=False)

    def _end(self, t_s: float) -> None:
        if self.start_s is None:
            waited = self.asked_s is not None and t_s - self.asked_s > PATIENCE_S
            self.over = waited or t_s >= LONGEST_S
            return
        window_s = self.start_s + self._sounds.over_s + WINDOW_S
        quiet = t_s - self._busy_s >= REST_S
        self.over = t_s >= min(window_s if quiet else window_s + LEFT_S, LONGEST_S)

    def _post(self, message: Any) -> None:
        self._graph.post('user', message)


def _int16(sound: Samples) -> Pcm:
    return np.clip(np.rint(sound * 32768), -32768, 32767).astype(np.int16)
