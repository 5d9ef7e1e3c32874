# SPDX-License-Identifier: Apache-2.0
"""A room in which a frontend talks: it gives it units and plays its speech in counted time."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from venus_ros.core.messages import Kind, Unit
from venus_ros.frontends.embedded.frontend import EmbeddedFrontend
from venus_ros.frontends.protocol import (
    Context,
    Control,
    Directive,
    Heard,
    Prompt,
    Speech,
    StepOutput,
)
from venus_ros.frontends.scripted.frontend import ScriptedFrontend
from venus_ros.frontends.scripted.script import parse
from venus_ros.yaml_file import Located


@dataclass
class Room:
    """Drives `frontend`; `log` holds (unit, output) and `spoken` all speech that was given."""

    frontend: object
    context: Context = field(default_factory=Context)
    k: int = 0
    log: list[tuple[int, StepOutput]] = field(default_factory=list)
    turn_id: int = 0
    _made: list[Speech] = field(default_factory=list)
    _played: int = 0
    _open: bool = False
    _busy: bool = False

    def step(self, pcm=None, *, typed=(), notes=(), directive=Directive.NONE) -> StepOutput:
        spec = self.frontend.spec
        size = round(spec.unit_s * spec.audio_rate_hz)
        pcm = np.zeros(size, np.int16) if pcm is None else pcm
        end_ns = round((self.k + 1) * spec.unit_s * 1e9)
        unit = Unit(self.k, pcm, end_ns, typed=tuple(typed))
        out = self.frontend.step(unit, tuple(notes), self._heard(), directive, self.context)
        self.log.append((self.k, out))
        self.k += 1
        self._take(out, directive)
        return out

    def hear(self, pcm, **more) -> list[StepOutput]:
        """Give `pcm`, int16 [samples], unit by unit; the last unit is filled up with silence."""
        size = round(self.frontend.spec.unit_s * self.frontend.spec.audio_rate_hz)
        padded = np.pad(pcm, (0, -len(pcm) % size))
        return [self.step(padded[i : i + size], **more) for i in range(0, len(padded), size)]

    def wait(self, seconds: float) -> list[StepOutput]:
        return [self.step() for _ in range(round(seconds / self.frontend.spec.unit_s))]

    @property
    def spoken(self) -> list[Speech]:
        return [s for _, out in self.log for s in out.speech]

    @property
    def said(self) -> str:
        return ' '.join(s.text for s in self.spoken)

    @property
    def tasks(self) -> list[str]:
        text = ''.join(out.text for _, out in self.log)
        return [part.split('</delegate>')[0] for part in text.split('<delegate>')[1:]]

    @property
    def kinds(self) -> list[Kind]:
        return [d.kind for _, out in self.log for d in out.decisions]

    @property
    def heard_words(self) -> list[str]:
        return [t.text for _, out in self.log for t in out.heard_user if t.final]

    @property
    def speaking(self) -> bool:
        return self._busy

    def _heard(self) -> Heard:
        total = sum(len(s.pcm) for s in self._made)
        words, at = [], 0
        for piece in self._made:
            share = min(1.0, max(0.0, (self._played - at) / max(1, len(piece.pcm))))
            split = piece.text.split()
            words += split[: int(share * len(split))]
            at += len(piece.pcm)
        finished = self._busy and not self._open and self._played >= total
        self._busy = self._busy and not finished
        return Heard(self.turn_id, ' '.join(words), self._busy, finished)

    def _take(self, out: StepOutput, directive: Directive) -> None:
        if out.flush or directive is not Directive.NONE:
            self._open = self._busy = False
        if out.speech and not self._open:
            self.turn_id += 1
            self._made, self._played, self._open, self._busy = [], 0, True, True
        self._made += out.speech
        if out.control is Control.END_TURN:
            self._open = False
        if self._busy:
            self._played += round(self.frontend.spec.unit_s * self.frontend.spec.speech_rate_hz)


MAKERS = {
    'scripted': lambda: ScriptedFrontend(parse(Located('script', SCRIPT))),
    'embedded': lambda: EmbeddedFrontend(counted=True),
}
SCRIPT = [
    {'typed': 'hello', 'say': 'Hello there.'},
    {'typed': 'kitchen', 'say': 'I will go to the kitchen.', 'delegate': 'go to the kitchen'},
    {'typed': 'bedroom', 'say': 'The bedroom, then.', 'delegate': 'go to the bedroom'},
]


@pytest.fixture
def new_frontend(request):
    """A frontend that nobody has opened."""
    made = MAKERS[request.param]()
    yield made
    made.close()


@pytest.fixture(scope='session')
def opened():
    """Frontends by name, each loaded once for all tests."""
    frontends = {}

    def give(name):
        if name not in frontends:
            frontends[name] = MAKERS[name]()
            frontends[name].open(Prompt('session'))
        return frontends[name]

    yield give
    for frontend in frontends.values():
        frontend.close()


@pytest.fixture
def room(request, opened):
    """A room with a frontend that has forgotten everything; the embedded one by default."""
    made = Room(opened(getattr(request, 'param', 'embedded')))
    made.step(directive=Directive.RESET)
    made.log.clear()
    return made
