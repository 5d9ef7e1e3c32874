# SPDX-License-Identifier: Apache-2.0
"""Scenes are read whole, or refused with file, line and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from venus_ros.core.errors import ConfigError
from venus_ros.core.messages import Kind, Scope, State
from venus_ros.scenes.format import (
    Do,
    ExpectEvent,
    ExpectSilence,
    ExpectWords,
    ExpectWork,
    Room,
)
from venus_ros.scenes.reading import read_scene

FULL = """\
name: all
frontend: embedded
user:
  - {at: 6.0, say: "no wait", voice: bob, gain_db: -3, noise: {kind: pink, snr_db: 10}}
  - {at: 1.0, text: "typed"}
  - {at: 9.0, stop: motion}
  - {at: 2.0, noise: {kind: hum, for_s: 2}}
robots:
  navigate_to_pose: {result: abort, after_s: 8, die_at_s: 4, error_msg: "no way"}
faults:
  - {at: 4.0, node: harness, do: kill}
expect:
  - work: {capability: navigation, arguments: {place: hall}, walk: [QUEUED, FAILED], within_s: 9}
  - no_work: {}
  - said: {matches: "hall", after: 6.0, times: 1}
  - not_said: {matches: "kitchen"}
  - silent_within: {after: 6.0, ms: 1500}
  - event: {kind: CORRECTION, after: 6.0, within_s: 3}
"""


def write(folder: Path, text: str, name: str = 'scene.yaml') -> Path:
    file = folder / name
    file.write_text(text, encoding='utf-8')
    return file


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        read_scene(write(folder, text))
    return str(caught.value)


def test_reads_everything(tmp_path: Path) -> None:
    scene = read_scene(write(tmp_path, FULL))
    assert [act.at for act in scene.user] == [1.0, 2.0, 6.0, 9.0]
    assert scene.user[3].stop is Scope.MOTION
    assert scene.user[2].noise is not None and scene.user[2].noise.snr_db == 10
    assert scene.robots['navigate_to_pose'].die_at_s == 4
    assert scene.faults[0].do is Do.KILL
    work, _, said, not_said, silent, event = scene.expect
    assert isinstance(work, ExpectWork) and work.walk == (State.QUEUED, State.FAILED)
    assert isinstance(said, ExpectWords) and said.times == 1 and said.span.after == 6
    assert isinstance(not_said, ExpectWords) and not not_said.wanted
    assert isinstance(silent, ExpectSilence) and silent.ms == 1500
    assert isinstance(event, ExpectEvent) and event.kind is Kind.CORRECTION


@pytest.mark.parametrize(
    ('old', 'new', 'line', 'words'),
    [
        ('name: all', 'nmae: all', 1, 'nmae: unknown key'),
        ('name: all', 'name: 7', 1, 'name: must be text'),
        ('frontend: embedded', 'frontend: magic', 2, 'must be one of embedded'),
        ('voice: bob', 'vioce: bob', 4, 'user[0].vioce: unknown key'),
        ('voice: bob', 'voice: zoe', 4, 'user[0].voice: must be one of alice'),
        ('"no wait"', '"..."', 4, 'user[0].say: has no words'),
        ('at: 6.0, say', 'at: soon, say', 4, 'user[0].at: must be a number'),
        ('at: 6.0, say', 'at: -1, say', 4, 'user[0].at: must lie in'),
        ('at: 6.0, say', 'at: .nan, say', 4, 'user[0].at: must lie in'),
        ('kind: pink', 'kind: green', 4, 'user[0].noise.kind: must be one of white'),
        ('text: "typed"', 'text: "typed", say: "hi"', 5, 'needs exactly one of say'),
        ('text: "typed"', 'tekst: "typed"', 5, 'tekst: unknown key'),
        ('stop: motion', 'stop: legs', 6, 'user[2].stop: must be one of'),
        ('hum, for_s: 2', 'hum', 7, 'user[3].noise: noise alone needs for_s'),
        ('result: abort', 'result: bad', 9, 'robots.navigate_to_pose.result: must be one of'),
        ('die_at_s', 'dies_at_s', 9, 'robots.navigate_to_pose.dies_at_s: unknown key'),
        ('do: kill', 'do: tickle', 11, 'faults[0].do: must be one of kill'),
        ('walk: [QUEUED', 'walk: [QUED', 13, 'expect[0].work.walk[0]: must be one of'),
        ('no_work', 'no_wok', 14, 'expect[1].no_wok: unknown key'),
        ('matches: "hall"', 'matches: "(hall"', 15, 'is no regular expression'),
        ('times: 1', 'times: 1.5', 15, 'must be a whole number'),
        ('ms: 1500', 'after_ms: 1500', 17, 'silent_within'),
        ('kind: CORRECTION', 'kind: MIRACLE', 18, 'must be one of'),
        ('within_s: 3}', 'within_s: 3', 19, 'is no YAML'),
    ],
)
def test_refuses_with_file_line_and_key(
    tmp_path: Path, old: str, new: str, line: int, words: str
) -> None:
    assert old in FULL
    said = refusal(tmp_path, FULL.replace(old, new, 1))
    assert f'scene.yaml:{line}' in said and words in said, said


@pytest.mark.parametrize('content', [b'', b'\xff\xfe name', b'- 1\n', b'name: a\nname: b\n'])
def test_refuses_what_is_no_scene(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / 'scene.yaml'
    file.write_bytes(content)
    with pytest.raises(ConfigError, match=r'scene\.yaml:\d'):
        read_scene(file)


def test_missing_files_are_named(tmp_path: Path) -> None:
    assert 'no such file' in refusal(tmp_path, 'user:\n  - {at: 1, wav: none.wav}\n')
    with pytest.raises(ConfigError, match='cannot be read'):
        read_scene(tmp_path / 'none.yaml')


def test_like_takes_over_what_is_not_given(tmp_path: Path) -> None:
    write(tmp_path, FULL, 'base.yaml')
    twin = read_scene(write(tmp_path, 'like: base.yaml\nexpect: []\nfails: x\n', 'twin.yaml'))
    assert (twin.name, twin.expect, twin.fails, len(twin.user)) == ('twin', (), 'x', 4)


def test_like_itself_is_refused(tmp_path: Path) -> None:
    assert 'is like itself' in refusal(tmp_path, 'like: scene.yaml\n')


@pytest.mark.parametrize(
    ('room', 'words'),
    [
        ('{echo_db: 12}', 'room.echo_db: must lie in -60 to 6'),
        ('{echo: loud}', 'room.echo: must be one of none, reference'),
        ('{delay_ms: 80}', 'room.delay_ms: unknown key'),
        ('{echo_delay_ms: 10}', 'room.echo_delay_ms: must lie in 30 to 500'),
    ],
)
def test_a_room_is_read_or_refused(tmp_path: Path, room: str, words: str) -> None:
    said = refusal(tmp_path, f'name: all\nroom: {room}\n')
    assert 'scene.yaml:2' in said and words in said, said
    scene = read_scene(write(tmp_path, 'room: {echo_db: -8, reverb_s: 0}\n'))
    assert scene.room == Room(echo_db=-8, echo_delay_ms=120, reverb_s=0, echo='reference')
