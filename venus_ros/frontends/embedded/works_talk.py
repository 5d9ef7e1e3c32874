# SPDX-License-Identifier: Apache-2.0
"""What the robot says about its own works: from their records, and nothing else."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Sequence

from venus_ros.core.messages import Capability, State, Work
from venus_ros.language import template

OPEN = frozenset({State.QUEUED, State.WAITING, State.RUNNING, State.CANCELLING})
TOLD = frozenset({State.DELIVERED, State.UNSPOKEN})
MOST_TOLD = 3
ENDED_WELL = TOLD | {State.COMPLETED, State.DELIVERING}


def answer(
    topic: str,
    works: Sequence[Work],
    capabilities: Sequence[Capability],
    about: Collection[str] = (),
) -> str:
    """A truthful answer to a question about the works, oldest first.

    Args:
        topic: `doing`, `where`, `progress`, `done`, `history`, `result` or `next`.
        about: values of arguments, one of which the question names; empty = any work.
    """
    if about:
        works = [w for w in works if set(map(str, _arguments(w).values())) & set(about)]
        if not works:
            return 'I was not asked to do that.'
    if topic == 'history':
        return _history(works, capabilities)
    underway = [w for w in works if w.state in OPEN]
    running = [w for w in underway if w.state is not State.WAITING and w.state is not State.QUEUED]
    later = [w for w in underway if w.state is State.WAITING or w.state is State.QUEUED]
    if topic == 'next':
        return _later(later, capabilities) or 'There is nothing else to do after this.'
    if not underway:
        return _at_rest(topic, works, capabilities)
    now = running[-1] if running else later[0]
    doing = _doing(now, capabilities)
    if topic in ('done', 'result'):
        return _join('Not yet.', doing, _how_far(now))
    if topic in ('where', 'progress'):
        return _join(doing, _how_far(now))
    return _join(doing, _how_far(now), _later([w for w in later if w is not now], capabilities))


def wish(work: Work, capabilities: Sequence[Capability]) -> str:
    """What `work` is, after "I will": 'go to the kitchen'; empty if it cannot be told."""
    arguments = _arguments(work)
    for capability in capabilities:
        if capability.capability == work.capability and work.skill in ('', capability.skill):
            cases = json.loads(capability.arguments_json or '{}').get('x-say') or []
            cases = [{'say': cases}] if isinstance(cases, str) else cases
            return template.say(template.choose(cases, arguments).get('say', ''), arguments)
    return ''


def gerund(phrase: str) -> str:
    """'go to the kitchen' -> 'going to the kitchen'; each verb after 'and' likewise."""
    return ' and '.join(_ing(part) for part in phrase.split(' and ')) if phrase else ''


def _ing(phrase: str) -> str:
    verb, space, rest = phrase.partition(' ')
    vowels = sum(c in 'aeiou' for c in verb)
    if verb.endswith('e') and not verb.endswith(('ee', 'oe')) and vowels > 1:
        verb = verb[:-1]
    elif vowels == 1 and len(verb) > 2 and verb[-2] in 'aeiou' and verb[-1] not in 'wxyaeiouk':
        verb += verb[-1]
    return f'{verb}ing{space}{rest}'


def _doing(work: Work, capabilities: Sequence[Capability]) -> str:
    what = gerund(wish(work, capabilities)) or f'busy with {work.capability}'
    if work.state is State.CANCELLING:
        return f"I'm just giving up {what}."
    if work.state is State.WAITING or work.state is State.QUEUED:
        return f"I'm about to start {what}."
    return f"I'm {what}."


def _how_far(work: Work) -> str:
    if work.state is not State.RUNNING:
        return ''
    if work.text:
        return work.text
    if math.isfinite(work.progress) and work.progress > 0:
        return f'About {round(10 * work.progress) * 10} percent is done.'
    return ''


def _later(works: Sequence[Work], capabilities: Sequence[Capability]) -> str:
    told = [wish(w, capabilities) for w in works]
    told = [t for t in told if t]
    return f"After that I'll {template.listed(told)}." if told else ''


def _at_rest(topic: str, works: Sequence[Work], capabilities: Sequence[Capability]) -> str:
    last = works[-1] if works else None
    if last is None:
        return {
            'done': "There was nothing to do, so I'm not busy.",
            'result': 'I have no result to tell.',
            'where': "I'm not going anywhere.",
        }.get(topic, "Nothing at the moment. I'm free.")
    ended = _ended(last, capabilities)
    if topic in ('done', 'result', 'progress'):
        return ended
    if topic == 'where':
        return _join("I'm not going anywhere.", last.summary if last.state in TOLD else '')
    return _join("Nothing at the moment. I'm free.", '' if topic == 'doing' else ended)


def _history(works: Sequence[Work], capabilities: Sequence[Capability]) -> str:
    """What was done, what failed, what goes on: a sentence each."""
    done = _wishes([w for w in works if w.state in ENDED_WELL], capabilities)
    failed = _wishes([w for w in works if w.state is State.FAILED], capabilities)
    underway = [w for w in works if w.state in OPEN]
    return (
        _join(
            f'I have managed to {template.listed(done)}.' if done else '',
            f'I could not {template.listed(failed)}.' if failed else '',
            _doing(underway[0], capabilities) if underway else '',
        )
        or 'Nothing so far.'
    )


def _wishes(works: Sequence[Work], capabilities: Sequence[Capability]) -> list[str]:
    """The last few, each once."""
    told = dict.fromkeys(wish(w, capabilities) for w in works)
    return [t for t in told if t][-MOST_TOLD:]


def _ended(work: Work, capabilities: Sequence[Capability]) -> str:
    """How `work` ended. A result that is still to be told is left to its own telling."""
    what = wish(work, capabilities)
    if work.state in ENDED_WELL:
        return _join("Yes, I'm done.", work.summary if work.state in TOLD else '')
    if work.state is State.CANCELLED:
        return f'No, I stopped{" before I could " + what if what else " it"}.'
    if work.state is State.FAILED:
        reason = (work.summary or work.error_msg) if work.delivered else ''
        return _join('No, that did not work.', reason)
    return 'No. It was no longer wanted.'


def _arguments(work: Work) -> dict[str, object]:
    try:
        found = json.loads(work.arguments_json or '{}')
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _join(*sentences: str) -> str:
    return ' '.join(s for s in sentences if s)
