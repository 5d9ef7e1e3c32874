# SPDX-License-Identifier: Apache-2.0
"""What the robot says about itself and in small talk; it claims nothing that it cannot do."""

from __future__ import annotations

import json
from collections.abc import Sequence

from venus_ros.core.messages import Capability
from venus_ros.language import template

_QUESTION_WORDS = ('what', 'where', 'which', 'who', 'how', 'is ', 'are ', 'do ', 'does ')
_SWAP = {'me': 'you', 'my': 'your', 'mine': 'yours', 'i': 'you', 'myself': 'yourself'}

SMALLTALK = {
    'how_are_you': "I'm fine, thank you.",
    'joke': 'Why did the robot go on holiday? To recharge its batteries.',
    'praise': 'Thank you, that is kind.',
    'blame': "I'm sorry. I'll try to do better.",
    'nice_to_meet_you': 'Nice to meet you, too.',
    'sorry': 'No problem.',
    'feeling': 'I see. Tell me if I can do something for you.',
}
KNOWN = {'places': 'place', 'objects': 'object'}
"""Topics that ask for the values of an argument, by the argument's role."""


def about_self(topic: str, name: str, capabilities: Sequence[Capability]) -> str:
    """An answer to a question about the robot itself.

    Args:
        topic: `name`, `abilities`, `places`, `objects`, `body`, `what`, `how`, `hear` or `see`.
    """
    if topic == 'name':
        return f'My name is {name}.'
    if topic == 'abilities':
        return abilities(capabilities)
    if topic in KNOWN:
        values = known(KNOWN[topic], capabilities)
        return f'I know {template.listed(values)}.' if values else "I don't know any."
    if topic == 'body':
        return f"I don't know much about my body. {abilities(capabilities)}"
    if topic == 'how':
        return "I don't know that about myself."
    if topic == 'hear':
        return 'Yes, I can hear you.'
    if topic == 'see':
        if any(c.capability == 'search' and c.available for c in capabilities):
            return 'While we talk I only listen. But I can go and look, if you ask me to.'
        return "No, I can't see. I only listen and talk."
    return f"I'm {name}, a robot. I listen and talk while I work."


def known(role: str, capabilities: Sequence[Capability]) -> list[str]:
    """Everything that can be named in the role of an argument, with its article."""
    values: dict[str, None] = {}
    for capability in capabilities:
        schema = json.loads(capability.arguments_json or '{}')
        for argument, of in schema.get('properties', {}).items():
            if of.get('x-role', argument) == role:
                values |= dict.fromkeys(of.get('enum', ()))
    return ['the ' + value.replace('_', ' ') for value in values]


def abilities(capabilities: Sequence[Capability]) -> str:
    """What can be asked for now, by one example for each skill."""
    found = [wish_of(c.examples[0]) for c in capabilities if c.available and c.examples]
    if not found:
        return 'At the moment I can only talk with you.'
    return f'I can, for example, {template.listed(found)}.'


def wish_of(example: str) -> str:
    """A user's request as the robot says it after "I can": 'bring me' -> 'bring you'."""
    words = [_SWAP.get(w.lower(), w) for w in example.strip(' .?!').split()]
    text = ' '.join(words)
    return f'tell you {text}' if text.lower().startswith(_QUESTION_WORDS) else text


def small_talk(topic: str) -> str:
    """A short honest answer."""
    return SMALLTALK.get(topic, "I don't know much about that, I'm afraid.")
