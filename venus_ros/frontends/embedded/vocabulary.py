# SPDX-License-Identifier: Apache-2.0
"""What this robot's user is likely to say: a hint for recognition, from the capabilities alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from venus_ros.core.messages import Capability

MOST_VALUES = 40
USUAL = (
    'Hello robot. Uh-huh. Mm-hmm. Okay. Yeah.',
    'Stop talking. Be quiet. Cancel that. No, wait.',
)


def expected_words(name: str, capabilities: Sequence[Capability]) -> str:
    """Words that are likely, as a text in the style in which they are said.

    Args:
        name: what the robot is called.
        capabilities: their first examples and the values of their arguments are taken.
    """
    values: dict[str, None] = {}
    for capability in capabilities:
        for value in _enums(json.loads(capability.arguments_json or '{}')):
            values.setdefault(value.replace('_', ' '))
    asked = [e.capitalize() + '.' for c in capabilities for e in c.examples[:1]]
    names = f'The {", the ".join(list(values)[:MOST_VALUES])}.' if values else ''
    return ' '.join(filter(None, [f'Hello {name}.', USUAL[0], *asked, names, USUAL[1]]))


def _enums(schema: Any) -> Iterator[str]:
    """Texts that arguments may take, anywhere in a JSON schema."""
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == 'enum' and isinstance(value, list):
                yield from (v for v in value if isinstance(v, str))
            else:
                yield from _enums(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _enums(value)
