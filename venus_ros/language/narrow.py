# SPDX-License-Identifier: Apache-2.0
"""What a withdrawal takes back: all, one of several things, or something never asked for."""

from __future__ import annotations

import json
from dataclasses import replace

from venus_ros.core.messages import State
from venus_ros.language.acts import Act, ActKind, Step
from venus_ros.language.talk import Utterance
from venus_ros.language.template import as_order

_ENDED = frozenset({State.COMPLETED, State.DELIVERING, State.DELIVERED, State.UNSPOKEN})


def narrowed(act: Act, said: Utterance) -> Act:
    """A withdrawal that names some of the steps as a correction to the others.

    Steps that are done already are not asked for again. One that names only what nobody asked for
    says so in `about`. Any other act stays as it is.
    """
    if act.kind is not ActKind.CANCEL:
        return act
    values = _values(act.topic, said)
    if values and not values & _wanted(said):
        return replace(act, about=tuple(sorted(values)))
    if len(said.talk.steps) < 2:
        return act
    concerned = [step for step in said.talk.steps if values & set(_named(step))]
    if not concerned or len(concerned) == len(said.talk.steps):
        return act
    left = [s for s in said.talk.steps if s not in concerned and not _done(s, said)]
    task = ' and then '.join(as_order(said.reader.promise([step])) for step in left)
    if not task:
        return act
    promise = said.reader.promise(left)
    return Act(ActKind.CORRECT, task=task, steps=tuple(left), promise=f'only {promise}')


def _values(topic: str, said: Utterance) -> set[str]:
    """What the words name; 'the blue one' is one of the things that were asked for."""
    heard, lexicon = topic.split(), said.reader.lexicon
    found = {v for spot in lexicon.spots(heard) if spot.role != 'colour' for v in spot.values}
    if found:
        return found
    return {value for value in _wanted(said) if set(value.split('_')) & set(heard)}


def _wanted(said: Utterance) -> set[str]:
    """What the works and the last request are about."""
    named = {value for step in said.talk.steps for value in _named(step)}
    for work in said.talk.works:
        arguments = json.loads(work.arguments_json or '{}').values()
        named |= {value for value in arguments if isinstance(value, str)}
    return named


def _named(step: Step) -> list[str]:
    return [value for value in step.arguments.values() if isinstance(value, str)]


def _done(step: Step, said: Utterance) -> bool:
    """Whether the newest work of this kind has ended well."""
    for work in reversed(said.talk.works):
        same = (work.capability, work.skill) == (step.capability, step.skill)
        if same and json.loads(work.arguments_json or '{}') == dict(step.arguments):
            return work.state in _ENDED
    return False
