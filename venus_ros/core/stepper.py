# SPDX-License-Identifier: Apache-2.0
"""Runs a frontend's steps, and survives those that fail."""

from __future__ import annotations

from venus_ros.core.errors import VenusError
from venus_ros.core.floor import Tell
from venus_ros.core.messages import Kind, Unit
from venus_ros.core.step import (
    Context,
    Directive,
    DuplexFrontend,
    Heard,
    Note,
    StepOutput,
)

FAILURES = 3
"""After so many failed steps in a row the frontend is reset."""


class Stepper:
    """Calls `step`; one that raises counts as listening.

    Attributes:
        directive: the order for the next step.
        failed: whether the frontend has failed so often that it had to be reset.
    """

    def __init__(self, frontend: DuplexFrontend, tell: Tell) -> None:
        self._frontend = frontend
        self._tell = tell
        self._failures = 0
        self.directive = Directive.NONE

    @property
    def failed(self) -> bool:
        return self._failures >= FAILURES

    def listen(self) -> None:
        """Let the frontend close its turn in the next step; a reset does that, too."""
        if self.directive is not Directive.RESET:
            self.directive = Directive.FORCE_LISTEN

    def step(
        self, unit: Unit, notes: tuple[Note, ...], heard: Heard, context: Context
    ) -> StepOutput:
        """Run one step, and say what failed in it."""
        directive, self.directive = self.directive, Directive.NONE
        try:
            output = self._frontend.step(unit, notes, heard, directive, context)
            self._failures = 0
        except Exception as error:  # whatever a model raises, the conversation goes on
            output = StepOutput(faults=[f'a step failed: {_reason(error)}'])
            self._failures += 1
            if self._failures % FAILURES == 0:
                self.directive = Directive.RESET
        for fault in output.faults:
            self._tell(Kind.FAULT, reason=fault)
        return output


def _reason(error: Exception) -> str:
    """Say why, without what others' messages may hold of the user's words."""
    return str(error) if isinstance(error, VenusError) else type(error).__name__
