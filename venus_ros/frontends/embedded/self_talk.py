# SPDX-License-Identifier: Apache-2.0
"""What the robot says about itself and in small talk; it claims nothing that it cannot do."""

from __future__ import annotations

from collections.abc import Sequence

from venus_ros.core.messages import Capability
from venus_ros.language import template

_QUESTION_WORDS = ('what', 'where', 'which', 'who', 'how', 'is ', 'are ', 'do ', 'does ')
_SWAP = {'me': 'you', 'my': 'your', 'mine': 'yours', 'i': 'you', 'myself': 'yourself'}

SMALLTALK = {
    'how_are_you': "I'm fine, thank you.",
    'compliment': 'Thank you, that is kind.',
    'insult': "I'm sorry. I'll try to do better.",
    'sorry': 'No problem.',
    'joke': 'Why did the robot go on holiday? To recharge its batteries.',
    'weather': "I don't know what the weather is like.",
    'time': "I don't know what time it is.",
    'date': "I don't know what day it is.",
    'age': "I don't know how old I am.",
    'love': 'That is kind. I like helping you.',
    'feelings': 'I have no feelings, but everything works.',
    'sing': "I can't sing, I'm afraid.",
    'bless': 'Thank you.',
    'nice': 'Good to hear.',
}


def about_self(topic: str, name: str, capabilities: Sequence[Capability]) -> str:
    """An answer to a question about the robot itself.

    Args:
        topic: `name`, `abilities`, `how`, `what`, `hear` or `see`.
    """
    if topic == 'name':
        return f'My name is {name}.'
    if topic == 'abilities':
        return abilities(capabilities)
    if topic == 'how':
        return "I'm fine, thank you."
    if topic == 'hear':
        return 'Yes, I can hear you.'
    if topic == 'see':
        if any(c.capability == 'search' and c.available for c in capabilities):
            return 'While we talk I only listen. But I can go and look, if you ask me to.'
        return "No, I can't see. I only listen and talk."
    return f"I'm {name}, a robot. I listen and talk while I work."


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
