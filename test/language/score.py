# SPDX-License-Identifier: Apache-2.0
"""Scores understanding on labelled utterances, as a routing benchmark does: only the decision."""

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

FILE = Path(__file__).parent / 'utterances.yaml'


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


def score(part: str, capabilities: Sequence[Capability]) -> dict[str, Rate]:
    """Rates for one part (`tune` or `held`) of the labelled utterances."""
    rates = {
        name: Rate()
        for name in ('recall', 'specificity', 'capability', 'arguments', 'kind', 'reasoning')
    }
    groups = yaml.safe_load(FILE.read_text(encoding='utf-8'))[part]
    for group, entries in groups.items():
        for entry in entries:
            act = understand(entry['text'], capabilities=capabilities)
            delegated = act.kind in (ActKind.DELEGATE, ActKind.CORRECT)
            got = [(s.capability, dict(s.arguments)) for s in act.steps]
            seen = f'{entry["text"]!r} -> {act.kind.value} {act.topic} {got} {act.question}'
            if 'steps' not in entry:
                rates['specificity'].add(not delegated, seen)
                if group == 'reasoning':
                    rates['reasoning'].add(not delegated, seen)
                if 'kind' in entry:
                    rates['kind'].add(act.kind.value == entry['kind'], seen)
                continue
            wanted = [next(iter(step.items())) for step in entry['steps']]
            rates['recall'].add(delegated, seen)
            rates['capability'].add([c for c, _ in got] == [c for c, _ in wanted], seen)
            rates['arguments'].add(_same(got, wanted), seen)
    return rates


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


if __name__ == '__main__':
    from venus_ros.harness.skills import load

    offer = load().offer()
    for part in ('tune', 'held'):
        for name, rate in score(part, offer).items():
            print(part, name, rate)
            if part == 'tune':
                print(*(f'    {m}' for m in rate.missed), sep='\n')
