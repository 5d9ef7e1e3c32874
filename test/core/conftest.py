# SPDX-License-Identifier: Apache-2.0
"""A conversation in counted time: a frontend that obeys a script, and a speaker that plays."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from venus_ros.core.messages import AudioChunk, Event, Kind, Pcm, Playout, SpeechChunk, Unit
from venus_ros.core.session import Session
from venus_ros.core.speaker import Speaker
from venus_ros.core.step import FrontendSpec, Prompt, Speech, StepOutput

UNIT_S = 0.1
SPEECH_HZ = 24000
MIC_HZ = 16000
Script = Callable[[Unit, Any, Any, Any, Any], StepOutput]


class ScriptedFrontend:
    """Does at unit k what `script[k]` says, listens otherwise, and remembers what it was given."""

    def __init__(self, script: dict[int, StepOutput | Exception] | Script) -> None:
        self.spec = FrontendSpec(
            'script', UNIT_S, MIC_HZ, SPEECH_HZ, (8, 8), True, 'Apache-2.0', ''
        )
        self.script = script
        self.steps: list[tuple[Any, ...]] = []
        self.said: list[str] = []
        self.closed = 0

    def open(self, prompt: Prompt) -> None:
        self.prompt = prompt

    def step(self, *given: Any) -> StepOutput:
        self.steps.append(given)
        if callable(self.script):
            return self.script(*given)
        output = self.script.get(given[0].k, StepOutput())
        if isinstance(output, Exception):
            raise output
        return output

    def say(self, text: str) -> None:
        self.said.append(text)

    def close(self) -> None:
        self.closed += 1


class Talk:
    """Session and speaker on one counted clock, in steps of 20 ms.

    Attributes:
        log: everything that either of them gave, in order.
        heard: what was played, int16 [samples] at 24 kHz.
    """

    def __init__(self, script: Any, session_id: str = 's', speaker: bool = True) -> None:
        self.now_ns = 1_000_000_000
        self.begin(script, session_id)
        self.speaker = self.new_speaker() if speaker else None
        self.log: list[Any] = []
        self.samples = 0
        self.blocks: list[Pcm] = []

    def begin(self, script: Any, session_id: str) -> None:
        """Start a session; one that was there before is dead from now on."""
        self.frontend = ScriptedFrontend(script)
        self.session = Session(self.frontend, Prompt(session_id), source=f'frontend#{session_id}')

    def new_speaker(self) -> Speaker:
        return Speaker(SPEECH_HZ, source='speaker#1', stamp=lambda: self.now_ns)

    @property
    def now_s(self) -> float:
        return self.now_ns / 1e9

    def give(self, message: Any) -> None:
        """Hand a message to the session and route what follows."""
        self.route(self.session.receive(message, self.now_s))

    def route(self, messages: list[Any]) -> None:
        """Carry messages, and what they cause, in the order in which they were sent."""
        queue = deque(messages)
        while queue:
            message = queue.popleft()
            self.log.append(message)
            if isinstance(message, SpeechChunk) and self.speaker is not None:
                queue += self.speaker.receive(message, self.now_s)
            elif isinstance(message, Playout):
                queue += self.session.receive(message, self.now_s)

    def run(self, seconds: float) -> Talk:
        for _ in range(round(seconds / 0.02)):
            chunk = AudioChunk(self.now_ns, 'mic', self.samples, MIC_HZ, np.zeros(320, np.int16))
            self.samples += 320
            self.now_ns += 20_000_000
            self.give(chunk)
            self.route(self.session.tick(self.now_s))
            if self.speaker is not None:
                self.blocks.append(self.speaker.pull(480))
                self.route(self.speaker.tick(self.now_s))
        return self

    def of(self, kind: type) -> list[Any]:
        return [message for message in self.log if isinstance(message, kind)]

    def events(self, *kinds: Kind) -> list[Event]:
        return [event for event in self.of(Event) if not kinds or event.kind in kinds]

    @property
    def heard(self) -> Pcm:
        return np.concatenate(self.blocks) if self.blocks else np.zeros(0, np.int16)


def speech(text: str, seconds: float, attempt_id: str = '', work_ids: Any = ()) -> Speech:
    """Return a loud steady sound that says `text`."""
    pcm = np.full(round(seconds * SPEECH_HZ), 8000, np.int16)
    return Speech(pcm, text, tuple(work_ids), attempt_id)


@pytest.fixture(name='new_talk', scope='session')
def talk_class() -> type[Talk]:
    return Talk


@pytest.fixture(name='speech', scope='session')
def speech_maker() -> Callable[..., Speech]:
    return speech
