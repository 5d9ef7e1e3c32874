# SPDX-License-Identifier: Apache-2.0
"""What a capability message offers, as understanding needs it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from venus_ros.core.messages import Capability
from venus_ros.language import grammar
from venus_ros.language.lexicon import DETERMINERS, Lexicon
from venus_ros.language.slots import is_verbal, preposition
from venus_ros.language.text import words

Label = tuple[str, str]
"""(capability, skill)."""

_MARKER = re.compile(r'\{(\w+)\}')
_ON = frozenset(('in', 'on', 'at', 'under', 'near', 'by'))


@dataclass(frozen=True, slots=True)
class Free:
    """From an example 'say {text} to everybody': words `before` and `after` an argument."""

    argument: str
    before: tuple[str, ...]
    after: tuple[str, ...]

    def taken(self, said: Sequence[str]) -> str:
        """The words that the argument takes; empty if `said` is not of this form."""
        end = len(said) - len(self.after)
        whole = (*self.before, *said[len(self.before) : end], *self.after)
        return ' '.join(said[len(self.before) : end]) if whole == tuple(said) else ''


@dataclass(frozen=True, slots=True)
class Offered:
    """One skill that can be asked for.

    Attributes:
        schema: JSON Schema of its arguments.
        examples: its examples as orders, without politeness.
        roles: roles that its arguments take.
        needed: roles without which it cannot be asked for.
        placing: verbs of its examples that put things down: 'on the table' is a destination.
        free: arguments that take words as they are, with the words before and after them.
        leads: argument -> words that stand before its value in the examples ('bring me').
    """

    label: Label
    schema: Mapping[str, Any]
    examples: tuple[str, ...]
    roles: frozenset[str]
    needed: frozenset[str]
    placing: frozenset[str]
    free: tuple[Free, ...]
    leads: Mapping[str, tuple[tuple[str, ...], ...]]

    @property
    def properties(self) -> Mapping[str, Any]:
        """Schemas of the arguments by name."""
        return self.schema.get('properties', {})


def roles_of(name: str, prop: Mapping[str, Any]) -> frozenset[str]:
    """Roles whose values an argument takes; none if it takes no listed values."""
    if 'enum' not in prop:
        return frozenset()
    return frozenset(prop.get('x-roles', {}).values()) or frozenset((prop.get('x-role') or name,))


def is_named(prop: Mapping[str, Any]) -> bool:
    """Whether an argument's values are things with names."""
    return 'enum' in prop and not is_verbal(prop)


def read_offers(capabilities: Sequence[Capability]) -> tuple[list[Offered], Lexicon]:
    """All skills, and the words for everything that their arguments name."""
    schemas = [json.loads(c.arguments_json or '{}') for c in capabilities]
    verbal = {
        role
        for schema in schemas
        for name, prop in schema.get('properties', {}).items()
        if is_verbal(prop)
        for role in roles_of(name, prop)
    }
    lexicon = Lexicon(schemas, verbal)
    return [_offered(c, s, lexicon) for c, s in zip(capabilities, schemas, strict=True)], lexicon


def _offered(capability: Capability, schema: Mapping[str, Any], lexicon: Lexicon) -> Offered:
    properties = schema.get('properties', {})
    roles = {role for name, prop in properties.items() for role in roles_of(name, prop)}
    if any(prop.get('x-free') for prop in properties.values()):
        roles |= set(lexicon.roles)
    needed = {
        role
        for name in schema.get('required', ())
        if is_named(properties[name])
        for role in roles_of(name, properties[name])
    }
    plain = [_MARKER.sub(' ', example) for example in capability.examples]
    examples = tuple(grammar.as_order(' '.join(words(example))) for example in plain)
    placing, leads = _habits(examples, properties, lexicon)
    placing |= _same_verbs(placing, properties)
    return Offered(
        (capability.capability, capability.skill),
        schema,
        examples,
        frozenset(roles),
        frozenset(needed),
        frozenset(placing),
        _free(capability.examples),
        {name: tuple(some) for name, some in leads.items()},
    )


def _free(examples: Sequence[str]) -> tuple[Free, ...]:
    found = [(example, match) for example in examples if (match := _MARKER.search(example))]
    forms = [
        Free(match[1], tuple(words(e[: match.start()])), tuple(words(e[match.end() :])))
        for e, match in found
    ]
    return tuple(sorted(forms, key=lambda f: -len(f.before) - len(f.after)))


def _same_verbs(verbs: set[str], properties: Mapping[str, Any]) -> set[str]:
    """Verbs for a value that is named by one of `verbs`, if all of its values' verbs differ."""
    found: set[str] = set()
    for prop in properties.values():
        phrases = prop.get('x-words', {}).values() if is_verbal(prop) else ()
        first = [{phrase.split()[0] for phrase in some} for some in phrases]
        for own in first:
            others = set().union(*(other for other in first if other is not own))
            if (own - others) & verbs:
                found |= own - others
    return found


def _habits(
    examples: Sequence[str], properties: Mapping[str, Any], lexicon: Lexicon
) -> tuple[set[str], dict[str, set[tuple[str, ...]]]]:
    """`placing` and `leads` of the examples."""
    placing: set[str] = set()
    leads: dict[str, set[tuple[str, ...]]] = {}
    for example in examples:
        said = example.split()
        for spot in lexicon.spots(said):
            if preposition(said, spot.start) in _ON:
                placing.add(said[0])
            start = spot.start
            while start and said[start - 1] in DETERMINERS:
                start -= 1
            lead = tuple(said[max(0, start - 2) : start])
            for name, prop in properties.items():
                if lead and spot.role in roles_of(name, prop):
                    leads.setdefault(name, set()).add(lead)
    return placing, leads
