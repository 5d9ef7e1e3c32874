# SPDX-License-Identifier: Apache-2.0
"""Scenes as data: what the user does, how the robot and its nodes behave, what must come of it.

All times are seconds of the conversation: t = 0 is the first sample of sound after every node is
ready. `docs/scenes.md` describes the file format; `scenes.reading` reads it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from venus_ros.core.messages import Kind, Scope, State
from venus_ros.yaml_file import Located

NOISES = ('white', 'pink', 'hum', 'babble')
FRONTENDS = ('embedded', 'scripted', 'omni', 'remote')
RESULTS = ('ok', 'abort', 'refuse', 'silent')
ECHO = ('none', 'reference')


@dataclass(frozen=True, slots=True)
class Noise:
    """Sound around the user.

    Attributes:
        kind: one of `NOISES`.
        snr_db: level of the speech above the noise; without speech of its own, of ordinary speech.
        for_s: how long; none = as long as what is said.
    """

    kind: str
    snr_db: float = 10.0
    for_s: float | None = None


@dataclass(frozen=True, slots=True)
class Act:
    """One thing that the user does at `at` seconds; exactly one of the kinds is set.

    Attributes:
        say: words that are spoken in `voice`.
        wav: sound file that is played.
        text: words that are typed.
        image: picture that the camera shows from now on.
        stop: scope of a call of the `stop` service.
        noise: beside `say` or `wav`, or alone.
        gain_db: applied to `say` or `wav`.
    """

    at: float
    say: str = ''
    voice: str = 'alice'
    wav: Path | None = None
    text: str = ''
    image: Path | None = None
    stop: Scope | None = None
    noise: Noise | None = None
    gain_db: float = 0.0
    line: int = 0

    @property
    def sounds(self) -> bool:
        """Whether it is part of the user's sound."""
        return bool(self.say or self.wav or self.noise)


@dataclass(frozen=True, slots=True)
class Double:
    """How a double of one of the robot's action servers behaves.

    Attributes:
        result: one of `RESULTS`; silent = accepted, and then nothing comes any more.
        after_s: from acceptance to the result.
        feedback_hz: feedback while it works; 0 = none.
        accept_after_s: from the goal to the answer.
        ignore_cancel: a cancel is accepted and changes nothing.
        die_at_s: the server vanishes for good at this time of the scene.
        unavailable_until_s: the server cannot be seen before this time of the scene.
        error_code: the robot's own code of an abort.
        error_msg: the robot's own words of an abort.
    """

    result: str = 'ok'
    after_s: float = 2.0
    feedback_hz: float = 2.0
    accept_after_s: float = 0.0
    ignore_cancel: bool = False
    die_at_s: float | None = None
    unavailable_until_s: float = 0.0
    error_code: int = 0
    error_msg: str = ''


@dataclass(frozen=True, slots=True)
class Camera:
    """A camera that sends one picture after another, beside the conversation; only live.

    Attributes:
        hz: pictures per second.
        width: of each picture, pixels.
        height: of each picture, pixels.
    """

    hz: float = 30.0
    width: int = 640
    height: int = 480


@dataclass(frozen=True, slots=True)
class Room:
    """How the microphone hears the loudspeaker; only in counted time.

    Attributes:
        echo_db: power of the echo against what is played, dB.
        echo_delay_ms: from the loudspeaker's device to the microphone's samples.
        reverb_s: in which the echo loses 60 dB; 0 = it is heard once only.
        echo: one of `ECHO`: what the microphone does about it.
    """

    echo_db: float = -10.0
    echo_delay_ms: float = 120.0
    reverb_s: float = 0.2
    echo: str = 'reference'


class Do(Enum):
    """What can be done to a node."""

    KILL = 'kill'
    FREEZE = 'freeze'
    THAW = 'thaw'
    RESTART = 'restart'


@dataclass(frozen=True, slots=True)
class Fault:
    """At `at` seconds, `do` something to the process of `node`."""

    at: float
    node: str
    do: Do
    line: int = 0


@dataclass(frozen=True, slots=True)
class Span:
    """Part of the scene in which an expectation looks: after <= t < before, s."""

    after: float = 0.0
    before: float = float('inf')

    def holds(self, t_s: float) -> bool:
        """Whether `t_s` lies inside."""
        return self.after <= t_s < self.before


@dataclass(frozen=True, slots=True)
class ExpectWork:
    """A work of this capability whose arguments hold all of `arguments`.

    Attributes:
        walk: all states, in order; WAITING counts only if the walk names it.
        ends: its last state.
        within_s: the walk or end is reached so long after `span.after` where the file gives
            `after`, else after the work was queued.
        span: when the work was queued.
        anchored: whether the file gave `after`.
        times: how many such works; none = at least one.
        summary: pattern of the result in spoken form.
    """

    capability: str
    arguments: dict[str, Any] = field(default_factory=dict)
    walk: tuple[State, ...] = ()
    ends: State | None = None
    within_s: float | None = None
    span: Span = field(default_factory=Span)
    anchored: bool = False
    times: int | None = None
    summary: str = ''
    line: int = 0


@dataclass(frozen=True, slots=True)
class ExpectNoWork:
    """No work at all that matches."""

    capability: str = ''
    arguments: dict[str, Any] = field(default_factory=dict)
    span: Span = field(default_factory=Span)
    line: int = 0


@dataclass(frozen=True, slots=True)
class ExpectWords:
    """Words of the robot that were heard (`said`), or words of the user (`heard`).

    Attributes:
        who: 'said' or 'heard'.
        matches: regular expression, searched without regard to case.
        wanted: false for `not_said` and `not_heard`.
        times: how many turns; none = at least one.
    """

    who: str
    matches: str
    wanted: bool = True
    span: Span = field(default_factory=Span)
    times: int | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class ExpectSilence:
    """The robot falls silent at most `ms` after `after`."""

    after: float
    ms: float
    line: int = 0


@dataclass(frozen=True, slots=True)
class ExpectEvent:
    """An event of this kind.

    Attributes:
        within_s: counted from `span.after`.
        reason: pattern of the event's reason.
        source: beginning of its source's name.
        times: how many; none = at least one, 0 = none at all.
    """

    kind: Kind
    span: Span = field(default_factory=Span)
    within_s: float | None = None
    reason: str = ''
    source: str = ''
    times: int | None = None
    line: int = 0


Expectation = ExpectWork | ExpectNoWork | ExpectWords | ExpectSilence | ExpectEvent


@dataclass(frozen=True, slots=True)
class Scene:
    """One scene.

    Attributes:
        script: of the scripted frontend; what it holds was checked.
        robots: server → its double; servers not named are the simulated robot's.
        camera: sends pictures instead of the simulated robot's camera; none = that one does.
        room: an echo of the robot's voice in the microphone; none = there is none.
        blocked: doors of the simulated house that are blocked.
        lasts_s: shortest length; none = until nothing goes on any more.
        seed: of everything that is drawn.
        fails: for a scene that must fail: pattern of the failure that is right.
    """

    name: str
    path: Path
    about: str = ''
    frontend: str = 'embedded'
    script: Located | None = None
    user: tuple[Act, ...] = ()
    robots: dict[str, Double] = field(default_factory=dict)
    camera: Camera | None = None
    room: Room | None = None
    blocked: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()
    expect: tuple[Expectation, ...] = ()
    lasts_s: float | None = None
    seed: int = 1
    fails: str = ''

    @property
    def script_end_s(self) -> float:
        """Time of the last thing that the script does by itself (sound counts by its start)."""
        return max([0.0, *(act.at for act in self.user), *(fault.at for fault in self.faults)])

    def comes_back(self, kill: Fault) -> bool:
        """Whether a killed node is started again at once: not if the scene does it later."""
        return not any(
            fault.node == kill.node and fault.do is Do.RESTART and fault.at >= kill.at
            for fault in self.faults
        )
