# SPDX-License-Identifier: Apache-2.0
"""A bench in counted time: harness and servers between a frontend and robots that obey."""

from __future__ import annotations

import re
import uuid
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from venus_ros.core import messages as m
from venus_ros.core.errors import Code
from venus_ros.harness.harness import Harness
from venus_ros.harness.journal import Journal
from venus_ros.harness.planner.base import Plan, PlanContext, PlannedStep, Refusal
from venus_ros.harness.server import CapabilityServer
from venus_ros.harness.skills import Skills, load

STEP_S = 0.05
BASE_NS = 1_000_000_000_000
TAKES = {
    'harness': (
        m.DelegateSpan, m.DelegateGoal, m.DelegateCancel, m.DelegateAnswer, m.DelegateFeedback,
        m.DelegateResult, m.Works, m.NoteAnswer, m.Event, m.ConversationState, m.Stopped,
        m.Playout, m.RobotServer,
    ),
    'server': (
        m.DelegateGoal, m.DelegateCancel, m.RobotAnswer, m.RobotFeedback, m.RobotResult,
        m.RobotServer, m.Works, m.Stopped,
    ),
    'robot': (m.RobotGoal, m.RobotCancel),
    'frontend': (m.AdmitNote, m.Works),
}  # fmt: skip
LATCHED = (
    m.Works, m.Stopped, m.ConversationState, m.Playout, m.RobotServer, m.DelegateSpan
)  # fmt: skip


class WordPlanner:
    """Plans a tiny language, `go kitchen`, `bring banana`, `look kitchen`, joined by `then`."""

    def plan(self, task: str, context: PlanContext) -> Plan | Refusal:
        steps: list[PlannedStep] = []
        for part in task.split(' then '):
            verb, _, name = part.partition(' ')
            after = len(steps) - 1
            if verb == 'go':
                steps.append(PlannedStep('navigation', 'go_to', {'place': name}, after))
            elif verb == 'bring':
                arguments = {'action': 'bring', 'object': name}
                steps.append(PlannedStep('manipulation', 'pick_place', arguments, after))
            elif verb == 'look':
                arguments = {'question': 'what is there', 'place': name}
                steps.append(PlannedStep('search', 'look', arguments, after))
            elif verb == 'crash':
                raise RuntimeError('a planner that is broken')
            else:
                return Refusal(Code.NOT_UNDERSTOOD, f'I cannot {verb}.')
        return Plan(tuple(steps))


@dataclass
class Behaviour:
    """How the robot's servers treat goals from now on; times in s after the goal."""

    accept_after: float | None = 0.05
    refuse: str = ''
    end_after: float | None = 2.0
    status: m.GoalStatus = m.GoalStatus.SUCCEEDED
    result: dict[str, Any] = field(default_factory=dict)
    feedback_every: float | None = 0.5
    cancel_after: float | None = 0.1


@dataclass
class _Run:
    goal: m.RobotGoal
    how: Behaviour
    began_s: float
    answered: bool = False
    ended: bool = False
    fed_s: float = 0.0
    cancelled_s: float | None = None


class Robot:
    """All of the robot's action servers, with every vice that a test asks for."""

    def __init__(self) -> None:
        self.how = Behaviour()
        self.runs: dict[str, _Run] = {}
        self.log: list[tuple[float, str, str]] = []

    @property
    def active(self) -> list[str]:
        """Servers that execute a goal now."""
        return [r.goal.server for r in self.runs.values() if r.answered and not r.ended]

    def receive(self, message: Any, now_s: float) -> list[Any]:
        if isinstance(message, m.RobotGoal):
            assert message.goal_id not in self.runs, 'the same goal was sent twice'
            self.runs[message.goal_id] = _Run(message, self.how, now_s)
            self.log.append((now_s, 'goal', message.server))
        elif isinstance(message, m.RobotCancel):
            self.log.append((now_s, 'cancel', message.server))
            run = self.runs.get(message.goal_id)
            if message.goal_id and (run is None or run.ended):
                return [m.RobotResult(message.goal_id, m.GoalStatus.UNKNOWN, {})]
            for run in self.runs.values():
                wanted = message.goal_id in ('', run.goal.goal_id)
                if wanted and run.goal.server == message.server and run.cancelled_s is None:
                    run.cancelled_s = now_s
        return []

    def tick(self, now_s: float) -> list[Any]:
        return [out for run in self.runs.values() if not run.ended for out in self._go(run, now_s)]

    def _go(self, run: _Run, now_s: float) -> list[Any]:
        goal_id, how, age = run.goal.goal_id, run.how, now_s - run.began_s + 1e-9
        if not run.answered:
            if how.accept_after is None or age < how.accept_after:
                return []
            run.answered, run.ended = True, bool(how.refuse)
            run.fed_s = now_s
            if how.refuse:
                self.log.append((now_s, 'refused', run.goal.server))
            return [m.RobotAnswer(goal_id, not how.refuse, how.refuse)]
        obeys = run.cancelled_s is not None and how.cancel_after is not None
        if obeys and now_s - run.cancelled_s + 1e-9 >= how.cancel_after:
            return self._end(run, m.GoalStatus.CANCELED, {}, now_s)
        if how.end_after is not None and age >= how.end_after:
            return self._end(run, how.status, how.result, now_s)
        if how.feedback_every is not None and now_s - run.fed_s + 1e-9 >= how.feedback_every:
            run.fed_s = now_s
            return [m.RobotFeedback(goal_id, {'distance_remaining': 1.0, 'progress': 0.5})]
        return []

    def _end(self, run: _Run, status: m.GoalStatus, result: dict, now_s: float) -> list[Any]:
        run.ended = True
        self.log.append((now_s, status.name, run.goal.server))
        return [m.RobotResult(run.goal.goal_id, status, result)]


class Frontend:
    """Holds the floor as told, tells notes in `tell_s`, and has a speaker of its own."""

    def __init__(self, session_id: str = 's1', turns: dict | None = None) -> None:
        self.session_id = session_id
        self.floor = m.Floor.FREE
        self.tell_s = 1.0
        self.accepts = True
        self.tells = True
        self.speaker_reports = True
        self.told: list[str] = []
        self.heard_ids: list[str] = []
        self.notes: list[m.AdmitNote] = []
        self._telling: tuple[float, m.AdmitNote] | None = None
        self._said: m.Floor | None = None
        self._seen: set[str] = set()
        self.turns: dict[tuple[str, int], m.TurnPlayed] = {} if turns is None else turns

    def receive(self, message: Any, now_s: float) -> list[Any]:
        if not isinstance(message, m.AdmitNote):
            return []
        free = self.floor is m.Floor.FREE and self.accepts
        if message.attempt_id in self._seen:
            return [m.NoteAnswer(message.attempt_id, True)]
        if not free:
            return [m.NoteAnswer(message.attempt_id, False, 'floor_taken')]
        self._seen.add(message.attempt_id)
        self.notes.append(message)
        out = [m.NoteAnswer(message.attempt_id, True), self._event(m.Kind.NOTE_ADMITTED, message)]
        if self.tells:
            self._telling, self.floor = (now_s, message), m.Floor.ROBOT
            out += self._playout(message, played=1, finished=False)
        return out + self._state()

    def tick(self, now_s: float) -> list[Any]:
        out = self._state()
        if self._telling and now_s - self._telling[0] >= self.tell_s:
            note, self._telling, self.floor = self._telling[1], None, m.Floor.FREE
            self.told.append(note.text)
            self.heard_ids += note.work_ids
            out += [self._event(m.Kind.NOTE_HEARD, note), *self._state()]
            out += self._playout(note, played=100)
        return out

    def cut(self, share: float) -> list[Any]:
        """The user interrupts what is being told."""
        assert self._telling is not None, 'nothing is being told'
        note, self._telling, self.floor = self._telling[1], None, m.Floor.USER
        out = self._playout(note, played=int(100 * share), discarded=100 - int(100 * share))
        return [*out, self._event(m.Kind.NOTE_CUT, note, share), *self._state()]

    @property
    def telling(self) -> bool:
        """Whether a note is being told."""
        return self._telling is not None

    def _event(self, kind: m.Kind, note: m.AdmitNote, share: float = float('nan')) -> m.Event:
        return m.Event(
            kind, self.session_id, 'frontend#1', work_ids=note.work_ids, reason=note.attempt_id,
            confidence=share,
        )  # fmt: skip

    def _playout(self, note: m.AdmitNote, played: int, discarded: int = 0,
                 finished: bool = True) -> list[Any]:  # fmt: skip
        if not self.speaker_reports:
            return []
        turn_id = len(self.notes)
        turn = m.TurnPlayed(self.session_id, turn_id, note.work_ids, played, discarded, finished)
        state = m.PlayoutState.IDLE if finished else m.PlayoutState.PLAYING
        self.turns[self.session_id, turn_id] = turn
        return [
            m.Playout(0, self.session_id, turn_id, note.work_ids, played, 0, discarded, state,
                      recent=tuple(self.turns.values()))
        ]  # fmt: skip

    def _state(self) -> list[Any]:
        if self._said is self.floor:
            return []
        self._said = self.floor
        return [m.ConversationState(self.session_id, self.floor)]


class Bench:
    """Carries messages between the parts, step by step, and remembers them."""

    def __init__(self, skills: Skills, journal: str) -> None:
        self.skills = skills
        self.planner = WordPlanner()
        self.journal_path = journal
        self.now_s = 0.0
        self.robot = Robot()
        self.frontend = Frontend()
        self.sent: list[tuple[float, str, Any]] = []
        self._number = 0
        self._latched: dict[tuple[type, str, str], Any] = {}
        self.harness: Harness | None = None
        self.servers: dict[str, CapabilityServer] = {}
        self.frozen: dict[str, deque[Any]] = {}
        self.start_harness()
        for name in skills.capabilities():
            self.start_server(name)
        self.run(0.2)

    # ---- parts -------------------------------------------------------------------------------

    def stamp(self) -> int:
        return BASE_NS + round(self.now_s * 1e9)

    def new_id(self) -> str:
        self._number += 1
        return str(uuid.UUID(int=self._number))

    def start_harness(self) -> None:
        self.harness = Harness(
            self.skills, self.planner, Journal(self.journal_path),
            source=f'harness#{self._number}', stamp=self.stamp, new_id=self.new_id,
        )  # fmt: skip
        self.give_latched('harness')

    def kill_harness(self) -> None:
        self.harness = None
        self._latched = {k: v for k, v in self._latched.items() if k[1] != 'harness'}

    def start_server(self, name: str) -> None:
        self.servers[name] = CapabilityServer(
            name, self.skills, source=f'{name}#{self._number}', stamp=self.stamp,
            planner=self.planner,
        )  # fmt: skip
        self.give_latched(name)

    def kill_server(self, name: str) -> None:
        self.servers.pop(name)
        self._latched = {k: v for k, v in self._latched.items() if k[1] != name}

    def give_latched(self, name: str) -> None:
        """What a part that was just made finds on the latched topics."""
        engine = self.parts()[name]
        kind = 'server' if name in self.skills.capabilities() else 'harness'
        for (_, source, _), message in list(self._latched.items()):
            if source != name and isinstance(message, TAKES[kind]):
                self._carry(name, engine.receive(message, self.now_s))

    def parts(self) -> dict[str, Any]:
        parts: dict[str, Any] = {'robot': self.robot, 'frontend': self.frontend, **self.servers}
        if self.harness is not None:
            parts['harness'] = self.harness
        return parts

    # ---- time --------------------------------------------------------------------------------

    def run(self, seconds: float) -> None:
        """Let time pass."""
        for _ in range(round(seconds / STEP_S)):
            self.now_s += STEP_S
            for name, part in self.parts().items():
                if name not in self.frozen:
                    self._carry(name, part.tick(self.now_s))

    def run_until(self, condition: Callable[[], bool], within_s: float = 60.0) -> None:
        """Let time pass until `condition` holds; fails if it does not."""
        end_s = self.now_s + within_s
        while not condition():
            assert self.now_s < end_s, f'not within {within_s} s; works: {self.brief()}'
            self.run(STEP_S)

    def send(self, *messages: Any, source: str = 'test') -> None:
        """Send messages into the graph."""
        self._carry(source, messages)

    def freeze(self, name: str) -> None:
        self.frozen[name] = deque()

    def thaw(self, name: str) -> None:
        for message in self.frozen.pop(name):
            self._carry(name, self.parts()[name].receive(message, self.now_s))

    def _carry(self, source: str, messages: Any) -> None:
        queue = deque((source, message) for message in messages)
        while queue:
            sender, message = queue.popleft()
            self.sent.append((self.now_s, sender, message))
            if isinstance(message, LATCHED):
                which = getattr(message, 'server', '') or getattr(message, 'span_id', '')
                self._latched[type(message), sender, which] = message
            for name, part in self.parts().items():
                kind = 'server' if name in self.skills.capabilities() else name
                if name == sender or not isinstance(message, TAKES[kind]):
                    continue
                if isinstance(message, m.DelegateGoal) and message.capability != (
                    '' if name == 'harness' else name
                ):
                    continue
                if name in self.frozen:
                    self.frozen[name].append(message)
                else:
                    out = part.receive(message, self.now_s)
                    queue.extend((name, reply) for reply in out)

    # ---- asking and looking --------------------------------------------------------------------

    def ask(self, task: str, *, corrects: str = '', epoch: int = 0) -> str:
        """A request by voice; returns the span's id."""
        self._number += 1
        span_id = f'{self.frontend.session_id}/{self._number}'
        for phase in (m.SpanPhase.OPENED, m.SpanPhase.CLOSED):
            self.send(
                m.DelegateSpan(
                    self.frontend.session_id,
                    span_id,
                    phase,
                    1,
                    epoch,
                    self.stamp(),
                    task,
                    corrects,
                )
            )
        return span_id

    def withdraw(self, span_id: str) -> None:
        """The user takes a request back."""
        session_id = self.frontend.session_id
        self.send(m.DelegateSpan(session_id, span_id, m.SpanPhase.VOID, 1, 0, self.stamp()))

    def stop(self, scope: m.Scope = m.Scope.ALL) -> None:
        """The reflex: cancels every move by itself, then says so."""
        for server in ('navigate_to_pose', 'pick_place', 'look'):
            self.send(m.RobotCancel(server))
        self.send(m.Stopped(self.new_id(), self.stamp(), scope))

    def works(self) -> list[m.Work]:
        assert self.harness is not None
        return list(self.harness.works())

    def of(self, request_id: str) -> list[m.Work]:
        return [work for work in self.works() if work.request_id == request_id]

    def brief(self) -> str:
        return '; '.join(
            f'{w.capability} {" ".join(s.name for s, _ in w.states)} {w.error_code}'
            for w in self.works()
        )

    def count(self, kind: type) -> int:
        return sum(isinstance(message, kind) for _, _, message in self.sent)

    def sent_events(self, kind: m.Kind, reason: str) -> list[m.Event]:
        """Events of a kind whose reason begins with these words."""
        events = [e for _, _, e in self.sent if isinstance(e, m.Event)]
        return [e for e in events if e.kind is kind and e.reason.startswith(reason)]

    def told(self, pattern: str) -> int:
        """How often the user heard a note that matches."""
        return sum(bool(re.search(pattern, text)) for text in self.frontend.told)


def walk(work: m.Work) -> str:
    """The states of a work in order, by name."""
    return ' '.join(state.name for state, _ in work.states)


@pytest.fixture(scope='session')
def skills() -> Skills:
    return load()


@pytest.fixture
def bench(skills: Skills, tmp_path: Any) -> Bench:
    return Bench(skills, str(tmp_path / 'journal.sqlite'))
