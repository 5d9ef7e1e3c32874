# SPDX-License-Identifier: Apache-2.0
"""What a session tells about itself: how a unit went, and which words of the robot were heard."""

from __future__ import annotations

from venus_ros.core.messages import Role, Transcript, Unit, UnitReport
from venus_ros.core.step import Prompt, StepOutput
from venus_ros.core.turn import Turn


def unit_report(
    prompt: Prompt, unit: Unit, output: StepOutput, *, step_s: float, core_s: float, lag_s: float,
    notes_waiting: int, unheard_s: float,
) -> UnitReport:  # fmt: skip
    """Return the report of one unit. `mic_to_unit_ms` is left to who knows ROS time."""
    return UnitReport(
        prompt.session_id,
        unit.k,
        unit.end_ns,
        step_ms=1000 * step_s,
        core_ms=1000 * core_s,
        lag_ms=1000 * lag_s,
        gap_samples=unit.gap_samples,
        tokens=output.tokens,
        notes_waiting=notes_waiting,
        speech_ahead_ms=1000 * unheard_s,
        stages=tuple(output.timings_ms),
        stages_ms=tuple(output.timings_ms.values()),
    )


def heard_words(prompt: Prompt, turn: Turn, now_ns: int) -> Transcript:
    """Return the words of a settled turn that were heard."""
    return Transcript(
        prompt.session_id,
        Role.ROBOT,
        turn.turn_id,
        turn.heard(),
        stamp_ns=now_ns,
        start_ns=turn.began_ns,
        end_ns=now_ns,
        language=prompt.language,
    )
