# SPDX-License-Identifier: Apache-2.0
"""The embedded planner: steps in order, and refusals that can be spoken."""

from __future__ import annotations

import pytest

from venus_ros.core.errors import Code
from venus_ros.harness.planner.base import Plan, PlanContext, Refusal
from venus_ros.harness.planner.embedded import EmbeddedPlanner
from venus_ros.harness.skills import load


@pytest.fixture(scope='module')
def planner() -> EmbeddedPlanner:
    return EmbeddedPlanner(load())


def test_two_steps_depend_on_each_other(planner: EmbeddedPlanner) -> None:
    plan = planner.plan('go to the kitchen and tell me what is on the table', PlanContext())
    assert isinstance(plan, Plan), plan
    assert [(s.capability, dict(s.arguments), s.after) for s in plan.steps] == [
        ('navigation', {'place': 'kitchen'}, -1),
        ('search', {'question': 'what is on the table', 'place': 'kitchen'}, 0),
    ]


@pytest.mark.parametrize(
    ('task', 'place'),
    [
        ('what is on the kitchen table', 'kitchen'),
        ('is the red cup on the counter', 'kitchen'),
        ('look what is on the hallway table', 'hall'),
        ('what is on the table in the bedroom', 'bedroom'),
        ('what is on the table', None),
    ],
)
def test_a_named_table_is_looked_at_where_it_stands(
    planner: EmbeddedPlanner, task: str, place: str | None
) -> None:
    plan = planner.plan(task, PlanContext())
    assert isinstance(plan, Plan), plan
    (step,) = plan.steps
    assert (step.capability, step.arguments.get('place')) == ('search', place), step


@pytest.mark.parametrize(
    ('task', 'code', 'words'),
    [
        ('go to the garage', Code.INVALID_ARGUMENT, 'garage'),
        ('bring me the hammer', Code.INVALID_ARGUMENT, 'hammer'),
        ('bring me the cup', Code.MISSING_ARGUMENT, 'The red cup or the blue cup?'),
        ('open the window', Code.NOT_UNDERSTOOD, "don't know how"),
        ('hello', Code.NOT_UNDERSTOOD, "don't know how"),
        ('', Code.NOT_UNDERSTOOD, "don't know how"),
        ("don't go to the kitchen", Code.NOT_UNDERSTOOD, ''),
    ],
)
def test_refusals(planner: EmbeddedPlanner, task: str, code: Code, words: str) -> None:
    refused = planner.plan(task, PlanContext())
    assert isinstance(refused, Refusal), refused
    assert refused.code is code
    assert words in refused.sentence and refused.sentence.endswith(('.', '?'))


def test_a_pronoun_is_resolved_from_the_context(planner: EmbeddedPlanner) -> None:
    plan = planner.plan('bring it to me', PlanContext(mentioned={'object': 'ball'}))
    assert isinstance(plan, Plan), plan
    assert dict(plan.steps[0].arguments) == {'action': 'bring', 'object': 'ball'}


def test_one_capability_only(planner: EmbeddedPlanner) -> None:
    plan = planner.plan('go to the hall', PlanContext(capability='navigation'))
    assert isinstance(plan, Plan), plan
    refused = planner.plan('go to the hall', PlanContext(capability='manipulation'))
    assert isinstance(refused, Refusal), refused
    refused = planner.plan('go to the hall', PlanContext(capability='cooking'))
    assert isinstance(refused, Refusal) and refused.code is Code.UNKNOWN_CAPABILITY


def test_the_same_task_gives_the_same_plan(planner: EmbeddedPlanner) -> None:
    task = 'bring me the red cup and then go to the hall'
    assert planner.plan(task) == EmbeddedPlanner(load()).plan(task)
