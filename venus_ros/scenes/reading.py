# SPDX-License-Identifier: Apache-2.0
"""Read a scene's file. Unknown keys, wrong types and values name file, line and key."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from venus_ros.core.messages import Kind, Scope, State
from venus_ros.frontends.scripted.script import parse
from venus_ros.scenes.format import (
    ECHO,
    FRONTENDS,
    NOISES,
    RESULTS,
    Act,
    Camera,
    Do,
    Double,
    Expectation,
    ExpectEvent,
    ExpectNoWork,
    ExpectSilence,
    ExpectWords,
    ExpectWork,
    Fault,
    Noise,
    Room,
    Scene,
    Span,
)
from venus_ros.scenes.voices import DEFAULT_VOICE, SPEAKERS, slug
from venus_ros.yaml_file import Located, read_yaml
from venus_ros.yaml_table import Table, read_table

Timed = TypeVar('Timed', Act, Fault)

ACTS = ('say', 'wav', 'text', 'image', 'stop', 'noise')


def read_scene(file: Path | str) -> Scene:
    """The scene in `file`. Paths in it are relative to its folder.

    Raises:
        ConfigError: `file:line: key`, and what is wrong there.
    """
    return _read(Path(file), frozenset())


def _read(path: Path, above: frozenset[Path]) -> Scene:
    """The scene, over the one that it is `like`; `above` are those that are like it."""
    table = read_table(path)
    if path.resolve() in above:
        raise table.wrong('is like itself', 'like')
    base = _beside(table, 'like', path.parent, table.text('like'))
    scene = _read(base, above | {path.resolve()}) if base else Scene(path.stem, path)
    given = {
        'name': lambda: table.text('name'),
        'about': lambda: table.text('about'),
        'frontend': lambda: table.text('frontend', '', FRONTENDS),
        'script': lambda: _script(table, path),
        'user': lambda: _in_time(_act(item) for item in table.tables('user')),
        'robots': lambda: {name: _double(item) for name, item in table.named_tables('robots')},
        'camera': lambda: _camera(table.table('camera')),
        'room': lambda: _room(table.table('room')),
        'blocked': lambda: table.texts('blocked'),
        'faults': lambda: _in_time(_fault(item) for item in table.tables('faults')),
        'expect': lambda: tuple(_expectation(item) for item in table.tables('expect')),
        'lasts_s': lambda: table.number('lasts_s', None, least=0, most=3600),
        'seed': lambda: table.count('seed'),
        'fails': lambda: table.pattern('fails'),
    }
    changes = {key: read() for key, read in given.items() if key in table}
    table.done(given)
    scene = replace(scene, path=path, **{'name': path.stem, **changes})
    if scene.frontend == 'scripted' and scene.script is None:
        raise table.wrong('the scripted frontend needs a script', 'script')
    if scene.camera and any(act.image for act in scene.user):
        raise table.wrong('sends pictures of its own; leave out image under user', 'camera')
    return scene


def _in_time(items: Iterable[Timed]) -> tuple[Timed, ...]:
    return tuple(sorted(items, key=lambda item: item.at))


def _script(table: Table, path: Path) -> Located:
    """The entries in a file beside the scene, or in the scene itself."""
    given = table.any('script')
    file = _beside(table, 'script', path.parent, given) if isinstance(given, str) else None
    script = read_yaml(file) if file else table.part('script')
    parse(script)
    return script


def _beside(table: Table, key: str, folder: Path, name: str) -> Path | None:
    """A file named in a scene: beside it, or else from where the command runs."""
    if not name:
        return None
    for file in (folder / name, Path(name)):
        if file.is_file():
            return file
    raise table.wrong(f'no such file: {folder / name}', key)


def _act(table: Table) -> Act:
    folder = table.file.parent
    noise = table.table('noise')
    act = Act(
        at=_time(table, 'at'),
        say=table.text('say'),
        voice=table.text('voice', DEFAULT_VOICE, tuple(SPEAKERS)),
        wav=_beside(table, 'wav', folder, table.text('wav')),
        text=table.text('text'),
        image=_beside(table, 'image', folder, table.text('image')),
        stop=table.enum('stop', Scope),
        noise=_noise(noise) if noise else None,
        gain_db=table.number('gain_db', 0.0, least=-60, most=40),
        line=table.line,
    )
    table.done()
    kinds = [key for key in ACTS if key in table]
    if not kinds or len(set(kinds) - {'noise'}) > 1:
        raise table.wrong(f'needs exactly one of {", ".join(ACTS)}')
    if 'say' in table and not slug(act.say):
        raise table.wrong('has no words', 'say')
    if act.noise and not (act.say or act.wav) and act.noise.for_s is None:
        raise table.wrong('noise alone needs for_s', 'noise')
    return act


def _time(table: Table, key: str) -> float:
    if key not in table:
        raise table.wrong('is missing (seconds from the first sample)', key)
    return float(table.number(key, least=0, most=3600))


def _noise(table: Table) -> Noise:
    noise = Noise(
        kind=table.text('kind', 'white', NOISES),
        snr_db=table.number('snr_db', 10.0, least=-30, most=80),
        for_s=table.number('for_s', None, least=0.02, most=3600),
    )
    table.done()
    return noise


def _double(table: Table) -> Double:
    double = Double(
        result=table.text('result', 'ok', RESULTS),
        after_s=table.number('after_s', 2.0, least=0),
        feedback_hz=table.number('feedback_hz', 2.0, least=0, most=50),
        accept_after_s=table.number('accept_after_s', 0.0, least=0),
        ignore_cancel=table.flag('ignore_cancel'),
        die_at_s=table.number('die_at_s', None, least=0),
        unavailable_until_s=table.number('unavailable_until_s', 0.0, least=0),
        error_code=table.count('error_code', 0),
        error_msg=table.text('error_msg'),
    )
    table.done()
    return double


def _camera(table: Table | None) -> Camera | None:
    if table is None:
        return None
    hz = table.number('hz', 30.0, least=0.1, most=120)
    size = table.any('size', [640, 480])
    sides = size if isinstance(size, list) else []
    if len(sides) != 2 or not all(type(side) is int and 1 <= side <= 4096 for side in sides):
        raise table.wrong(f'must be [width, height] in pixels, 1 to 4096, not {size}', 'size')
    table.done()
    return Camera(hz, *sides)


def _room(table: Table | None) -> Room | None:
    if table is None:
        return None
    room = Room(
        echo_db=table.number('echo_db', -10.0, least=-60, most=6),
        echo_delay_ms=table.number('echo_delay_ms', 120.0, least=30, most=500),
        reverb_s=table.number('reverb_s', 0.2, least=0, most=1),
        echo=table.text('echo', 'reference', ECHO),
    )
    table.done()
    return room


def _fault(table: Table) -> Fault:
    at = _time(table, 'at')
    node = table.text('node')
    do = table.enum('do', Do)
    table.done()
    if not node or do is None:
        raise table.wrong('needs at, node and do')
    return Fault(at, node, do, table.line)


def _expectation(item: Table) -> Expectation:
    """The one expectation in a list item."""
    readers: dict[str, Callable[[Table, str], Expectation]] = {
        'work': _work,
        'no_work': _no_work,
        'said': _words,
        'not_said': _words,
        'heard': _words,
        'not_heard': _words,
        'silent_within': _silence,
        'event': _event,
    }
    inner = {key: item.table(key) for key in readers}
    item.done()
    given = [(key, table) for key, table in inner.items() if table is not None]
    if len(given) != 1:
        raise item.wrong(f'needs exactly one of {", ".join(readers)}')
    key, table = given[0]
    expectation = readers[key](table, key)
    table.done()
    return expectation


def _span(table: Table) -> Span:
    span = Span(
        after=table.number('after', 0.0, least=0),
        before=table.number('before', math.inf, least=0),
    )
    if span.before <= span.after:
        raise table.wrong('before must be later than after')
    return span


def _work(table: Table, _: str) -> ExpectWork:
    anchored = 'after' in table
    capability = table.text('capability')
    if not capability:
        raise table.wrong('is missing', 'capability')
    return ExpectWork(
        capability=capability,
        arguments=table.values('arguments'),
        walk=table.enums('walk', State),
        ends=table.enum('ends', State),
        within_s=table.number('within_s', None, least=0),
        span=_span(table),
        anchored=anchored,
        times=table.count('times'),
        summary=table.pattern('summary'),
        line=table.line,
    )


def _no_work(table: Table, _: str) -> ExpectNoWork:
    return ExpectNoWork(
        capability=table.text('capability'),
        arguments=table.values('arguments'),
        span=_span(table),
        line=table.line,
    )


def _words(table: Table, key: str) -> ExpectWords:
    if 'matches' not in table:
        raise table.wrong('is missing (a regular expression)', 'matches')
    return ExpectWords(
        who=key.removeprefix('not_'),
        matches=table.pattern('matches'),
        wanted=not key.startswith('not_'),
        span=_span(table),
        times=table.count('times'),
        line=table.line,
    )


def _silence(table: Table, _: str) -> ExpectSilence:
    after = _time(table, 'after')
    ms = table.number('ms', None, least=0)
    if ms is None:
        raise table.wrong('is missing', 'ms')
    return ExpectSilence(after, ms, table.line)


def _event(table: Table, _: str) -> ExpectEvent:
    kind = table.enum('kind', Kind)
    if kind is None:
        raise table.wrong('is missing', 'kind')
    return ExpectEvent(
        kind=kind,
        span=_span(table),
        within_s=table.number('within_s', None, least=0),
        reason=table.pattern('reason'),
        source=table.text('source'),
        times=table.count('times'),
        line=table.line,
    )
