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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from venus_ros.core.errors import ConfigError
from venus_ros.core.messages import Kind

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
    """Read a YAML or JSON script. Raises ConfigError with file and entry."""
    import yaml

    try:
        content = yaml.safe_load(Path(path).read_text(encoding='utf-8'))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f'cannot be read as a script: {error}', str(path)) from error
    return parse(content, str(path))


def parse(content: object, where: str = 'script') -> list[Entry]:
    """Check a script of plain values. Raises ConfigError with the entry's number."""
    if not isinstance(content, Sequence) or isinstance(content, str):
        raise ConfigError('a script is a list of entries', where)
    return [_entry(item, f'{where}: entry {n}') for n, item in enumerate(content, 1)]


def _entry(item: object, where: str) -> Entry:
    if not isinstance(item, Mapping):
        raise ConfigError(f'an entry is a mapping, not {item!r}', where)
    unknown = [str(k) for k in item if k not in CUES + DEEDS]
    if unknown:
        raise ConfigError(
            f'unknown key {unknown[0]!r}; there are {", ".join(CUES + DEEDS)}', where
        )
    cues = [k for k in CUES if k in item]
    if len(cues) != 1:
        raise ConfigError(f'needs one cue of {", ".join(CUES)}, has {len(cues)}', where)
    cue = cues[0]
    return Entry(
        cue,
        _cue_value(cue, item[cue], where),
        say=str(item.get('say', '')),
        delegate=str(item.get('delegate', '')),
        corrects=_count(item.get('corrects', 0), 'corrects', where),
        cancel=tuple(_count(n, 'cancel', where) for n in _listed(item.get('cancel', ()))),
        flush=bool(item.get('flush', False)),
        decide=_kind(item.get('decide'), where),
    )


def _cue_value(cue: str, value: object, where: str) -> Any:
    if cue in ('typed', 'note'):
        return str(value).lower()
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not 0 <= float(value) < 1e9:  # type: ignore[arg-type]
        raise ConfigError(f'{cue} must be a number of at least 0, not {value!r}', where)
    return value


def _listed(value: object) -> Sequence[object]:
    return value if isinstance(value, Sequence) and not isinstance(value, str) else (value,)


def _count(value: object, key: str, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ConfigError(f'{key} must be a whole number of at least 0, not {value!r}', where)
    return value


def _kind(value: object, where: str) -> Kind | None:
    if value is None:
        return None
    try:
        return Kind[str(value).upper()]
    except KeyError:
        names = ', '.join(k.name for k in Kind)
        raise ConfigError(f'unknown kind {value!r}; there are {names}', where) from None
