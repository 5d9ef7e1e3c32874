# SPDX-License-Identifier: Apache-2.0
"""When a scene is over: its script has run and nothing goes on any more."""

from __future__ import annotations

import math
from typing import Any

from venus_ros.core.messages import (
    ConversationState,
    DelegateSpan,
    Floor,
    Playout,
    PlayoutState,
    SpanPhase,
    SpeechChunk,
    State,
    UnitReport,
    Works,
)
from venus_ros.core.work import ended
from venus_ros.scenes.format import ExpectEvent, ExpectSilence, Scene
from venus_ros.scenes.track import Track

QUIET_S = 4.0
"""So long nothing may go on before a scene counts as over."""
ASKED_S = 15.0
"""So long a request may take to become a work."""
LONGEST_S = 90.0
"""A scene in which something goes on for ever is ended so long after its script."""


class Ending:
    """Watches the messages of a run and says when it is over."""

    def __init__(self, scene: Scene, track: Track) -> None:
        self._least_s = max(scene.script_end_s, track.end_s, scene.lasts_s or 0.0, _looks(scene))
        self._busy_s = 0.0
        self._floor = Floor.FREE
        self._playing = False
        self._open: dict[str, bool] = {}
        self._lag_s = 0.0
        self._asked_s: dict[str, float] = {}

    def see(self, t_s: float, message: Any) -> None:
        """Take a message that was sent at `t_s`."""
        if isinstance(message, ConversationState):
            self._floor = message.floor
        elif isinstance(message, Playout):
            self._playing = message.queued > 0 or message.state in (
                PlayoutState.PLAYING,
                PlayoutState.DUCKED,
            )
        elif isinstance(message, SpeechChunk):
            self._busy_s = max(self._busy_s, t_s)
        elif isinstance(message, DelegateSpan) and message.phase is SpanPhase.CLOSED:
            self._asked_s[message.span_id] = t_s
        elif isinstance(message, DelegateSpan) and message.phase is SpanPhase.VOID:
            self._asked_s.pop(message.span_id, None)
        elif isinstance(message, UnitReport):
            self._lag_s = message.lag_ms / 1000
        elif isinstance(message, Works) and message.source == 'harness':
            known = self._open
            for work in message.works:
                self._asked_s.pop(work.request_id, None)
            self._open = {work.work_id: not ended(work) for work in message.works}
            if known != self._open or any(w.state is State.FAILED for w in message.works):
                self._busy_s = max(self._busy_s, t_s)

    def over(self, t_s: float) -> bool:
        """Whether the run can end at `t_s`."""
        held = self._floor in (Floor.USER, Floor.ROBOT, Floor.THINKING)
        asked = any(t_s - since_s < ASKED_S for since_s in self._asked_s.values())
        if held or asked or self._playing or any(self._open.values()):
            self._busy_s = max(self._busy_s, t_s)
        if t_s >= self._least_s + LONGEST_S:
            return True
        return t_s - self._lag_s >= max(self._least_s, self._busy_s) + QUIET_S


def _looks(scene: Scene) -> float:
    """The latest moment that an expectation looks at."""
    latest = 0.0
    for expectation in scene.expect:
        if isinstance(expectation, ExpectSilence):
            latest = max(latest, expectation.after + expectation.ms / 1000)
            continue
        latest = max(latest, expectation.span.after)
        if math.isfinite(expectation.span.before):
            latest = max(latest, expectation.span.before)
        if isinstance(expectation, ExpectEvent) and expectation.within_s is not None:
            latest = max(latest, expectation.span.after + expectation.within_s)
    return latest
