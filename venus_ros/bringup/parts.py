# SPDX-License-Identifier: Apache-2.0
"""The robot's nodes as parts of the in-process graph, under the names of the plan."""

from __future__ import annotations

import random
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from venus_ros.core import messages as m
from venus_ros.core.session import Session
from venus_ros.core.speaker import Speaker
from venus_ros.core.step import DuplexFrontend, Prompt
from venus_ros.harness.harness import Harness
from venus_ros.harness.journal import Journal
from venus_ros.harness.planner.base import Planner
from venus_ros.harness.server import CapabilityServer
from venus_ros.harness.skills import Skills, moves
from venus_ros.reflex.echo import EchoCanceller
from venus_ros.reflex.reflex import Reflex
from venus_ros.scenes.air import Air
from venus_ros.scenes.devices import Camera, Loudspeaker, Microphone, Played
from venus_ros.scenes.format import Scene
from venus_ros.scenes.graph import CountedClock, Part
from venus_ros.scenes.track import RATE_HZ, Track
from venus_ros.silero import open_voice

AUDIO = 'audio'
"""Process in which microphone, speaker and reflex share a sound clock."""

REFLEX = (m.StopRequest, m.AudioChunk, m.Playout, m.Event)
SPEAKER = (m.SpeechChunk, m.ConversationState, m.Stopped, m.Event)
FRONTEND = (
    *(m.AudioChunk, m.Frame, m.TypedText, m.Say, m.Unsay),
    *(m.Playout, m.AdmitNote, m.Works, m.Capabilities, m.Stopped),
)
HARNESS = (
    *(m.DelegateSpan, m.Event, m.Transcript, m.ConversationState, m.NoteAnswer, m.Playout),
    *(m.DelegateGoal, m.DelegateAnswer, m.DelegateFeedback, m.DelegateResult, m.Works),
    *(m.Stopped, m.Pose, m.Frame, m.RobotServer),
)
SERVER = (
    *(m.DelegateGoal, m.DelegateCancel, m.Works, m.Stopped),
    *(m.RobotAnswer, m.RobotFeedback, m.RobotResult, m.RobotServer),
)
ROBOT = (m.RobotGoal, m.RobotCancel)


@dataclass(slots=True)
class Cast:
    """Makes the parts of one run, and makes them again after a kill.

    Attributes:
        scene: what is played.
        track: the user's sound.
        skills: what can be asked for.
        planner: routes requests.
        open_frontend: gives the scene's frontend in counted mode.
        clock: counted time.
        folder: where the journal lives.
        played: takes what the loudspeaker plays.
    """

    scene: Scene
    track: Track
    skills: Skills
    planner: Planner
    open_frontend: Callable[[Scene], DuplexFrontend]
    clock: CountedClock
    folder: Path
    played: Played
    _runs: Counter[str] = field(default_factory=Counter)
    _frontends: list[DuplexFrontend] = field(default_factory=list)
    _ids: random.Random = field(init=False)
    _air: Air | None = field(init=False)

    def __post_init__(self) -> None:
        self._ids = random.Random(self.scene.seed)
        self._air = Air(self.scene.room, self.scene.seed) if self.scene.room else None

    def parts(self) -> list[Part]:
        """All parts, in the order in which time reaches them."""
        return [
            Part('microphone', self._microphone, (), within=AUDIO),
            *self._camera(),
            Part('reflex', self._reflex, REFLEX, within=AUDIO),
            Part('frontend', self._session, FRONTEND, _public, self._end_session),
            Part('harness', self._harness, HARNESS),
            *(self._server(name) for name in self.skills.capabilities()),
            *self._robots(),
            Part('speaker', self._speaker, SPEAKER, within=AUDIO),
        ]

    def _run(self, name: str) -> str:
        """`name` and which run of it this is."""
        self._runs[name] += 1
        return f'{name}#{self._runs[name]:04x}'

    def _new_id(self) -> str:
        return str(uuid.UUID(int=self._ids.getrandbits(128), version=4))

    def _microphone(self) -> m.Engine:
        room = self.scene.room
        canceller = EchoCanceller() if room and room.echo == 'reference' else None
        return Microphone(self.track, self.clock, self._run('microphone'), self._air, canceller)

    def _camera(self) -> Iterator[Part]:
        if any(act.image for act in self.scene.user):
            yield Part('camera', lambda: Camera(self.scene, self.clock), ())

    def _reflex(self) -> m.Engine:
        return Reflex(
            moves(self.skills),
            open_voice(hasty=True),
            source=self._run('reflex'),
            stamp=self.clock.stamp,
        )

    def _session(self) -> m.Engine:
        source = self._run('frontend')
        self._frontends.append(self.open_frontend(self.scene))
        prompt = Prompt(session_id=f's{source[-4:]}')
        return Session(self._frontends[-1], prompt, source=source)

    def _end_session(self, _: m.Engine) -> None:
        while self._frontends:
            self._frontends.pop().close()

    def _harness(self) -> m.Engine:
        return Harness(
            self.skills,
            self.planner,
            Journal(self.folder / 'journal.sqlite'),
            source=self._run('harness'),
            stamp=self.clock.stamp,
            new_id=self._new_id,
        )

    def _server(self, name: str) -> Part:
        def make() -> m.Engine:
            return CapabilityServer(
                name,
                self.skills,
                source=self._run(name),
                stamp=self.clock.stamp,
                planner=self.planner,
            )

        def hears(message: Any) -> bool:
            ours = not isinstance(message, m.DelegateGoal) or message.capability == name
            return ours and _public(message)

        return Part(name, make, SERVER, hears, serves=(f'{name}/delegate',))

    def _robots(self) -> Iterator[Part]:
        """Doubles of the servers that the scene names; the simulated robot for all others."""
        from venus_ros.sim.double import RobotDouble

        def double(server: str) -> Callable[[], m.Engine]:
            behaviour = self.scene.robots[server]
            return lambda: RobotDouble(server, behaviour, start_s=self.clock.t_s)

        for server in self.scene.robots:
            yield Part(f'double_{server}', double(server), ROBOT, _at({server}))
        if left := {skill.server for skill in self.skills} - set(self.scene.robots):
            yield Part('sim', self._sim, ROBOT, _at(left))

    def _sim(self) -> m.Engine:
        from venus_ros.sim.robot import SimRobot
        from venus_ros.sim.world import SimWorld

        world = SimWorld(seed=self.scene.seed)
        for door in self.scene.blocked:
            world.set_door(door, is_open=False)
        return SimRobot(world, without=self.scene.robots)

    def _speaker(self) -> m.Engine:
        speaker = Speaker(RATE_HZ, source=self._run('speaker'), stamp=self.clock.stamp)
        return Loudspeaker(speaker, self.clock, self.played, self._air)


def _at(servers: set[str]) -> Callable[[Any], bool]:
    """Hears what is sent to these of the robot's servers."""
    return lambda message: message.server in servers


def _public(message: Any) -> bool:
    """Of the works, the frontend and the servers hear the harness' table only."""
    return not isinstance(message, m.Works) or message.source == 'harness'
