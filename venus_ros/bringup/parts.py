# SPDX-License-Identifier: Apache-2.0
"""The robot's nodes as parts of the in-process graph, under the names of the plan."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from venus_ros.core.messages import (
    AdmitNote,
    AudioChunk,
    Capabilities,
    ConversationState,
    DelegateAnswer,
    DelegateCancel,
    DelegateFeedback,
    DelegateGoal,
    DelegateResult,
    DelegateSpan,
    Engine,
    Event,
    Frame,
    NoteAnswer,
    Pcm,
    Playout,
    Pose,
    RobotAnswer,
    RobotCancel,
    RobotFeedback,
    RobotGoal,
    RobotResult,
    RobotServer,
    Say,
    SpeechChunk,
    Stopped,
    StopRequest,
    Transcript,
    TypedText,
    Works,
)
from venus_ros.core.session import Session
from venus_ros.core.speaker import Speaker
from venus_ros.core.step import DuplexFrontend, Prompt
from venus_ros.harness.harness import Harness
from venus_ros.harness.journal import Journal
from venus_ros.harness.server import CapabilityServer
from venus_ros.harness.skills import Skills, moves
from venus_ros.scenes.format import Scene
from venus_ros.scenes.graph import STEP_S, ZERO_NS, CountedClock, Part
from venus_ros.scenes.log import Log
from venus_ros.scenes.track import RATE_HZ, Track, read_picture

PICTURE_EVERY_S = 0.5
STEP_SAMPLES = round(STEP_S * RATE_HZ)


class Microphone:
    """The user's track as sound chunks of one step each, from t = 0."""

    def __init__(self, track: Track, clock: CountedClock, source_id: str) -> None:
        self._track = track
        self._clock = clock
        self._source_id = source_id

    def receive(self, message: Any, now_s: float) -> list[Any]:
        """Nothing concerns a microphone."""
        return []

    def tick(self, now_s: float) -> list[Any]:
        """The chunk that ends now."""
        first = (self._clock.steps - 1) * STEP_SAMPLES
        if first < 0:
            return []
        pcm = self._track.chunk(first, STEP_SAMPLES)
        stamp_ns = ZERO_NS + first * 1_000_000_000 // RATE_HZ
        return [AudioChunk(stamp_ns, self._source_id, first, RATE_HZ, pcm, 'microphone')]


class Camera:
    """Shows the newest picture of the scene, twice a second."""

    def __init__(self, scene: Scene, clock: CountedClock) -> None:
        self._clock = clock
        self._pictures = [(a.at, read_picture(a.image)) for a in scene.user if a.image]
        self._next_s = 0.0

    def receive(self, message: Any, now_s: float) -> list[Any]:
        """Nothing concerns a camera."""
        return []

    def tick(self, now_s: float) -> list[Any]:
        """The picture of this moment, if one is due."""
        t_s = self._clock.t_s
        shown = [picture for at, picture in self._pictures if at <= t_s]
        if not shown or t_s < self._next_s:
            return []
        self._next_s = t_s + PICTURE_EVERY_S
        return [Frame(self._clock.stamp(), shown[-1].pixels, shown[-1].frame_id)]


class Loudspeaker:
    """A speaker and its device, whose clock is the counted one."""

    def __init__(self, speaker: Speaker, clock: CountedClock, played: list[Any]) -> None:
        self._speaker = speaker
        self._clock = clock
        self._played = played

    def receive(self, message: Any, now_s: float) -> list[Any]:
        """As the speaker does."""
        return self._speaker.receive(message, now_s)

    def tick(self, now_s: float) -> list[Any]:
        """Hand the samples of one step to the device, then report."""
        rate_hz = self._speaker.rate
        pcm = self._speaker.pull(round(rate_hz * STEP_S))
        self._played.append((self._clock.t_s - STEP_S, rate_hz, pcm))
        return self._speaker.tick(now_s)


def assemble(played: Sequence[tuple[float, int, Pcm]]) -> tuple[Pcm, int]:
    """What was played from t = 0 on, and its rate: that of most of the sound."""
    rates = [rate_hz for t_s, rate_hz, pcm in played if t_s >= 0 and pcm.any()]
    rate_hz = max(set(rates), key=rates.count) if rates else RATE_HZ
    ours = [(t_s, pcm) for t_s, rate, pcm in played if rate == rate_hz and t_s >= -1e-9]
    if not ours:
        return np.zeros(0, np.int16), rate_hz
    out = np.zeros(round(ours[-1][0] * rate_hz) + len(ours[-1][1]), np.int16)
    for t_s, pcm in ours:
        first = round(t_s * rate_hz)
        out[first : first + len(pcm)] = pcm[: len(out) - first]
    return out, rate_hz


def make_parts(
    scene: Scene,
    skills: Skills,
    track: Track,
    clock: CountedClock,
    log: Log,
    *,
    open_frontend: Callable[[Scene], DuplexFrontend],
    planner: Any,
    folder: Path,
    played: list[Any],
) -> list[Part]:
    """All parts of the graph of `scene`.

    Args:
        open_frontend: makes the frontend of the scene in counted mode; called at each start.
        folder: where the journal lives.
        played: takes (t_s, rate_hz, pcm) of all that the loudspeaker plays.
    """
    runs = {name: count() for name in ('microphone', 'frontend', 'speaker', 'reflex', 'harness')}
    ids = random.Random(scene.seed)

    def run_of(name: str) -> str:
        return f'{name}#{next(runs.setdefault(name, count())):04x}'

    def new_id() -> str:
        return str(uuid.UUID(int=ids.getrandbits(128), version=4))

    frontends: list[DuplexFrontend] = []

    def session() -> Engine:
        source = run_of('frontend')
        frontends.append(open_frontend(scene))
        prompt = Prompt(session_id=f's{source[-4:]}')
        return Session(frontends[-1], prompt, source=source)

    def end_session(_: Engine) -> None:
        while frontends:
            frontends.pop().close()

    def speaker() -> Engine:
        inner = Speaker(RATE_HZ, source=run_of('speaker'), stamp=clock.stamp)
        return Loudspeaker(inner, clock, played)

    def harness() -> Engine:
        journal = Journal(folder / 'journal.sqlite')
        source = run_of('harness')
        return Harness(skills, planner, journal, source=source, stamp=clock.stamp, new_id=new_id)

    return [
        Part('microphone', lambda: Microphone(track, clock, run_of('microphone')), ()),
        *_camera(scene, clock),
        _reflex(skills, clock, run_of),
        Part('frontend', session, _FRONTEND, hears=_from_harness, close=end_session),
        Part('harness', harness, _HARNESS),
        *(_server(name, skills, planner, clock, run_of) for name in skills.capabilities()),
        *_robots(scene, clock),
        Part('speaker', speaker, (SpeechChunk, Stopped, Event), within='audio'),
    ]


_FRONTEND = (
    AudioChunk, Frame, TypedText, Playout, AdmitNote, Works, Capabilities, Stopped, Say
)  # fmt: skip
_HARNESS = (
    DelegateSpan, DelegateGoal, DelegateAnswer, DelegateFeedback, DelegateResult, Works,
    NoteAnswer, Event, ConversationState, Playout, Stopped, Transcript, Pose, Frame, RobotServer,
)  # fmt: skip
_SERVER = (
    DelegateGoal, DelegateCancel, RobotAnswer, RobotFeedback, RobotResult, RobotServer, Works,
    Stopped,
)  # fmt: skip


def _from_harness(message: Any) -> bool:
    """Of the works, the frontend and the servers hear the harness' table only."""
    return not isinstance(message, Works) or message.source == 'harness'


def _camera(scene: Scene, clock: CountedClock) -> list[Part]:
    if not any(act.image for act in scene.user):
        return []
    return [Part('camera', lambda: Camera(scene, clock), ())]


def _reflex(skills: Skills, clock: CountedClock, run_of: Callable[[str], str]) -> Part:
    from venus_ros.reflex.reflex import Reflex
    from venus_ros.silero import open_voice

    def make() -> Engine:
        return Reflex(moves(skills), open_voice(), source=run_of('reflex'), stamp=clock.stamp)

    return Part('reflex', make, (StopRequest, AudioChunk, Playout, Event), within='audio')


def _server(
    name: str, skills: Skills, planner: Any, clock: CountedClock, run_of: Callable[[str], str]
) -> Part:
    def make() -> Engine:
        source = run_of(name)
        return CapabilityServer(name, skills, source=source, stamp=clock.stamp, planner=planner)

    def hears(message: Any) -> bool:
        ours = not isinstance(message, DelegateGoal) or message.capability == name
        return ours and _from_harness(message)

    return Part(name, make, _SERVER, hears=hears)


def _robots(scene: Scene, clock: CountedClock) -> list[Part]:
    """Doubles of the servers that the scene names, and the simulated robot for all others."""
    from venus_ros.sim.double import RobotDouble
    from venus_ros.sim.robot import SimRobot
    from venus_ros.sim.world import SimWorld

    def sim() -> Engine:
        world = SimWorld(seed=scene.seed)
        for door in scene.blocked:
            world.set_door(door, is_open=False)
        return SimRobot(world, without=scene.robots, stamp=clock.stamp)

    def double(server: str) -> Callable[[], Engine]:
        return lambda: RobotDouble(server, scene.robots[server], start_s=clock.t_s)

    takes = (RobotGoal, RobotCancel)
    parts = [Part(f'double_{server}', double(server), takes) for server in scene.robots]
    return [*parts, Part('sim', sim, takes)]
