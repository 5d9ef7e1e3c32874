# SPDX-License-Identifier: Apache-2.0
"""Who holds the floor, which robot turn it is, and which intent of the user holds."""

from __future__ import annotations

from collections.abc import Callable

from venus_ros.core.messages import Floor, Kind
from venus_ros.core.step import Decision, StepOutput

HOLD_S = 0.3
"""So long the floor stays with a user who has just stopped speaking."""

DECISIONS = frozenset(
    {
        Kind.USER_STARTED,
        Kind.USER_ENDED,
        Kind.BACKCHANNEL,
        Kind.INTERRUPTION,
        Kind.CORRECTION,
        Kind.OTHER_DIRECTED,
        Kind.BACKGROUND,
        Kind.PAUSE,
    }
)
"""What a frontend may decide."""

Tell = Callable[..., None]
"""Says that something happened: `tell(kind, **fields of Event)`."""


class FloorKeeper:
    """Numbers turns and intents. Every turn that begins ends exactly once, with a reason.

    Attributes:
        turn_id: current or last turn; 0 before the first.
        intent_epoch: current intent; raised by a correction.
        thinking: an answer is being prepared.
        muted: the robot was told to be silent.
    """

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self.turn_id = 0
        self.intent_epoch = 0
        self.thinking = False
        self.muted = False
        self._open: list[int] = []
        self._user_speaks = False
        self._hold_until_ns = 0

    def begin_turn(self, work_ids: tuple[str, ...] = ()) -> int:
        """Return the id of the turn that begins now."""
        self.turn_id += 1
        self._open.append(self.turn_id)
        self._tell(Kind.TURN_STARTED, turn_id=self.turn_id, work_ids=work_ids)
        return self.turn_id

    def end_turn(self, turn_id: int, reason: str) -> None:
        """End a turn; one that has ended stays as it was."""
        if turn_id in self._open:
            self._open.remove(turn_id)
            self._tell(Kind.TURN_ENDED, turn_id=turn_id, reason=reason)

    def flush(self, reason: str) -> None:
        """End every open turn: what is left of them is dropped."""
        self._tell(Kind.FLUSHED, turn_id=self.turn_id + 1, reason=reason)
        for turn_id in tuple(self._open):
            self.end_turn(turn_id, reason)

    def obey(self, output: StepOutput, end_ns: int) -> None:
        """Take what a frontend decided in the unit that ends at `end_ns`.

        Whoever corrects raises the intent, and has decided that it is a correction.
        """
        decisions = [decision for decision in output.decisions if decision.kind in DECISIONS]
        if output.corrects:
            self.intent_epoch += 1
            if all(decision.kind is not Kind.CORRECTION for decision in decisions):
                decisions.append(Decision(Kind.CORRECTION))
        for decision in decisions:
            self._decide(decision, end_ns)
        self.thinking = output.thinking

    def _decide(self, decision: Decision, end_ns: int) -> None:
        if decision.kind is Kind.USER_STARTED:
            self._user_speaks = True
        elif decision.kind is Kind.USER_ENDED:
            self._user_speaks = False
            self._hold_until_ns = end_ns + int(HOLD_S * 1e9)
        self._tell(
            decision.kind,
            turn_id=self.turn_id if self._open else 0,
            reason=decision.reason,
            confidence=decision.confidence,
        )

    def forget_user(self) -> None:
        """The frontend starts anew: whether the user speaks is not known any more."""
        self._user_speaks, self.thinking = False, False

    def holder(self, now_ns: int) -> Floor:
        """Return who holds the floor at `now_ns`; a robot that speaks holds it."""
        if self._open:
            return Floor.ROBOT
        if self._user_speaks or now_ns < self._hold_until_ns:
            return Floor.USER
        return Floor.THINKING if self.thinking else Floor.FREE
