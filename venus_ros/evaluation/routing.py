# SPDX-License-Identifier: Apache-2.0
"""How well requests are told from talk, and routed: only the decision is scored, nothing is run.

A labelled file (YAML) holds parts, each with groups of utterances: `text`, and `steps` (capability
and arguments of each work that it asks for), `capabilities` alone, or neither; `kind` and `topic`
(one, or a list of those that will do) where it matters which kind of talk it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from venus_ros.core.messages import Capability
from venus_ros.language.acts import ActKind
from venus_ros.language.understand import understand

RATES = ('recall', 'specificity', 'capability', 'arguments', 'kind')


@dataclass
class Rate:
    """Hits of n, and the sentences that missed."""

    hits: int = 0
    n: int = 0
    missed: list[str] = field(default_factory=list)

    def add(self, hit: bool, sentence: str) -> None:
        """Count one."""
        self.n += 1
        self.hits += hit
        if not hit:
            self.missed.append(sentence)

    @property
    def value(self) -> float:
        """Share of hits."""
        return self.hits / self.n if self.n else math.nan

    def __str__(self) -> str:
        low, high = wilson(self.hits, self.n)
        return f'{self.value:.3f} [{low:.3f}, {high:.3f}] n={self.n}'


def wilson(hits: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """95 % interval of a rate (Wilson 1927)."""
    if not n:
        return 0.0, 1.0
    p, d = hits / n, 1 + z * z / n
    middle = (p + z * z / (2 * n)) / d
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / d
    return max(0.0, middle - half), min(1.0, middle + half)


def score(groups: Mapping[str, Any], capabilities: Sequence[Capability]) -> dict[str, Rate]:
    """Rates over the groups of one part.

    `recall`: share of requests that are delegated; `specificity`: share of talk that is not;
    `capability`, `arguments`: share of requests with exactly the right works; `kind`: share of
    talk that is taken for the right kind and topic, where that is labelled.
    """
    rates = {name: Rate() for name in RATES}
    for entry in (entry for entries in groups.values() for entry in entries):
        act = understand(entry['text'], capabilities=capabilities)
        delegated = act.kind in (ActKind.DELEGATE, ActKind.CORRECT)
        got = [(s.capability, s.arguments) for s in act.steps] if delegated else []
        seen = f'{entry["text"]!r}: {act.kind.value} {act.topic} {got} {act.question}'
        if 'steps' in entry:
            wanted = [next(iter(step.items())) for step in entry['steps']]
            rates['recall'].add(delegated, seen)
            rates['capability'].add([c for c, _ in got] == [c for c, _ in wanted], seen)
            rates['arguments'].add(_same(got, wanted), seen)
            continue
        if 'capabilities' in entry:
            rates['recall'].add(delegated, seen)
            rates['capability'].add([c for c, _ in got] == entry['capabilities'], seen)
            continue
        rates['specificity'].add(not delegated, seen)
        if 'kind' in entry:
            fits = _is(act.kind.value, entry['kind']) and _is(act.topic, entry.get('topic'))
            rates['kind'].add(fits, seen)
    return rates


def load(file: Path) -> dict[str, Any]:
    """Part -> group -> utterances."""
    return yaml.safe_load(file.read_text(encoding='utf-8'))


def _is(value: str, wanted: str | Sequence[str] | None) -> bool:
    """Whether a value is the wanted one, or one of several; none is wanted = any will do."""
    return wanted is None or value in ([wanted] if isinstance(wanted, str) else wanted)


def _same(
    got: Sequence[tuple[str, Mapping[str, Any]]], wanted: Sequence[tuple[str, Mapping[str, Any]]]
) -> bool:
    """Every wanted argument and no other; of a question only that there is one."""
    return len(got) == len(wanted) and all(
        one[0] == other[0]
        and set(one[1]) == set(other[1])
        and all(k == 'question' or one[1][k] == v for k, v in other[1].items())
        for one, other in zip(got, wanted, strict=True)
    )
