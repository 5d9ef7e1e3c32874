# SPDX-License-Identifier: Apache-2.0
"""The script: what makes the robot do which things.

A script is a list of entries. Each has one cue and the things to do:

    - {at: 1.0, say: Hello.}                     # counted seconds since the session opened
    - {unit: 30, delegate: go to the kitchen, say: I'll go.}
    - {typed: stop, flush: true}                 # words that the user types contain these
    - {voice: 1, say: I hear you.}               # the user's first stretch of voice has ended
    - {note: any, say: 'They say: {note}'}       # a result was admitted; or words that it has

Things to do, in this order: `flush`, `cancel` (list of ordinals, 0 = all), `delegate` with
`corrects` (ordinal), `say`, `decide` (name of an event kind).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from venus_ros.core.messages import Kind
from venus_ros.yaml_file import Located, kind, read_yaml
from venus_ros.yaml_table import Table

CUES = ('at', 'unit', 'typed', 'voice', 'note')
DEEDS = ('say', 'delegate', 'corrects', 'cancel', 'flush', 'decide')


@dataclass(frozen=True, slots=True)
class Entry:
    """One cue and what follows from it."""

    cue: str
    value: Any
    say: str = ''
    delegate: str = ''
    corrects: int = 0
    cancel: tuple[int, ...] = ()
    flush: bool = False
    decide: Kind | None = None


def load(path: Path | str) -> list[Entry]:
    """Read a YAML or JSON script. Raises ConfigError with file, line and key."""
    return parse(read_yaml(path))


def parse(script: Located) -> list[Entry]:
    """Check a script. Raises ConfigError with file, line and key."""
    if not isinstance(script.value, list):
        raise script.wrong(f'must be a list of entries, not {kind(script.value)}')
    return [_entry(Table(script, (n,))) for n in range(len(script.value))]


def _entry(item: Table) -> Entry:
    cues = [cue for cue in CUES if cue in item]
    if len(cues) > 1:
        raise item.wrong(f'needs exactly one of {", ".join(CUES)}')
    cue = cues[0] if cues else ''
    entry = Entry(
        cue,
        item.text(cue).lower()
        if cue in ('typed', 'note')
        else item.number(cue, least=0, most=1e9),
        say=item.text('say'),
        delegate=item.text('delegate'),
        corrects=item.count('corrects', 0),
        cancel=item.counts('cancel'),
        flush=item.flag('flush'),
        decide=item.enum('decide', Kind),
    )
    item.done(CUES)
    if not cue:
        raise item.wrong(f'needs exactly one of {", ".join(CUES)}')
    return entry
