# SPDX-License-Identifier: Apache-2.0
"""The planner that needs no network: the same understanding of words as the conversation's."""

from __future__ import annotations

from venus_ros.core.errors import Code, VenusError
from venus_ros.harness.planner.base import Plan, PlanContext, PlannedStep, Refusal
from venus_ros.harness.skills import Skills, check_arguments
from venus_ros.language.acts import ActKind, Talk
from venus_ros.language.requests import reader, task_tokens
from venus_ros.language.understand import understand

_REFUSED = Refusal(Code.NOT_UNDERSTOOD, "I don't know how to do that.")


class EmbeddedPlanner:
    """Plans a task by the skills' examples and schemas; see `language.understand`."""

    def __init__(self, skills: Skills) -> None:
        self._skills = skills
        self._offer = skills.offer()

    def plan(self, task: str, context: PlanContext | None = None) -> Plan | Refusal:
        """Plan `task`. Never raises for what a user said."""
        context = context or PlanContext()
        offer = tuple(c for c in self._offer if context.capability in ('', c.capability))
        if not offer:
            return Refusal(
                Code.UNKNOWN_CAPABILITY, f'I have no capability called {context.capability}.'
            )
        act = understand(task, capabilities=offer, context=Talk(mentioned=context.mentioned))
        if act.question:
            missing = act.kind is ActKind.CLARIFY
            code = Code.MISSING_ARGUMENT if missing else Code.INVALID_ARGUMENT
            return Refusal(code, act.question)
        if act.kind is not ActKind.DELEGATE or not act.steps:
            return _REFUSED
        planned = []
        for i, step in enumerate(act.steps):
            try:
                arguments = check_arguments(
                    self._skills.get(step.capability, step.skill), step.arguments
                )
            except VenusError as error:
                return Refusal(error.code, error.message)
            planned.append(
                PlannedStep(step.capability, step.skill, arguments, after=i - 1, task=step.text)
            )
        return Plan(tuple(planned))

    def warm(self) -> None:
        """Load what planning needs, so that the first plan is quick (takes seconds)."""
        reader(self._offer).clauses(task_tokens('hello'), {})
