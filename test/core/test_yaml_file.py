# SPDX-License-Identifier: Apache-2.0
"""What people write in YAML is read with its lines, or refused with file, line and key."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from venus_ros.core.errors import ConfigError
from venus_ros.yaml_file import MOST_BYTES, parse_yaml, read_yaml
from venus_ros.yaml_table import Table


def test_values_know_their_lines() -> None:
    document = parse_yaml('a: 1\nb:\n  - {c: x}\n  -\n    d: 2024-01-02\n', 'f.yaml')
    assert document.value == {'a': 1, 'b': [{'c': 'x'}, {'d': '2024-01-02'}]}
    assert document.where(('b', 1, 'd')) == 'f.yaml:5: b[1].d'
    assert document.where(('b', 0, 'missing')) == 'f.yaml:3: b[0].missing'
    assert document.where() == 'f.yaml:1'


def test_a_part_keeps_its_lines_and_its_name() -> None:
    part = parse_yaml('a: 1\nb:\n  - x\n  - y\n', 'f.yaml').part(('b',))
    assert part.value == ['x', 'y']
    assert part.where((1,)) == 'f.yaml:4: b[1]'


def test_anchors_hold_and_own_keys_win_over_merged_ones() -> None:
    text = 'one: &one {a: 1, b: 1}\ntwo: {b: 2, c: 2}\nboth:\n  <<: *one\n  b: 3\n'
    assert parse_yaml(text, 'f').value['both'] == {'a': 1, 'b': 3}
    text = 'one: &one {a: 1}\ntwo: &two {a: 2, b: 2}\nboth: {<<: [*one, *two]}\n'
    assert parse_yaml(text, 'f').value['both'] == {'a': 1, 'b': 2}


BOMB = 'a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n' + ''.join(
    f'a{n}: &a{n} [{", ".join([f"*a{n - 1}"] * 10)}]\n' for n in range(1, 10)
)


@pytest.mark.parametrize(
    ('text', 'place', 'words'),
    [
        ('', ':1', 'is empty'),
        ('# nothing\n---\n', ':1', 'is empty'),
        ('a: 1\n---\nb: 2\n', ':2', 'is no YAML'),
        ('a: 1\nb: {c: 2\n', ':3', 'is no YAML'),
        ('a:\n\t- x\n', ':2', 'indent with spaces'),
        ('a: 1\n  b: 2\n', ':2', 'is no YAML'),
        ('a: "x\n', ':2', 'is no YAML'),
        ('a: *none\n', ':1', 'is no YAML'),
        ('x: 1\na: 1\na: 2\n', ':3: a', 'is given twice, first in line 2'),
        ('a:\n  b: &b [1, *b]\n', ':2: a.b[1]', 'contains itself'),
        ('a: &a\n  b: {<<: *a}\n', ':1: a.b', 'contains itself'),
        ('a: {<<: 3}\n', ':1: a.<<', 'can only merge tables'),
        (BOMB, ':', 'stands for too many values'),
        ('[' * 3000, ':1', 'nested too deeply'),
        ('a: ' + '9' * 5000, ':1: a', 'cannot be read'),
        ('a: 1\nb: 99999999999999999999\n', ':2: b', 'is too large a number'),
        ('yes: 1\n', ':1', 'a key must be a word, not yes; put it in quotes'),
        ('1.5: 1\n', ':1', 'a key must be a word, not 1.5'),
        ('? [a]\n: 1\n', ':1', 'a key must be a word, not a list'),
        ('a: !!python/object:os.system {}\n', ':1: a', 'has a tag without meaning'),
        ('a: !mine x\n', ':1: a', 'has a tag without meaning'),
        ('a: !!int x\n', ':1: a', 'cannot be read'),
        ('a: 1\nb: "\\ud800"\n', ':2: b', 'has a character that is no text'),
        ('a: 1\nb: "\\0"\n', ':2: b', 'has a character that is no text'),
        ('a: 1\nb: \x07\n', ':2', 'is no text: it has the character U+0007'),
    ],
)
def test_refuses_with_file_line_and_key(text: str, place: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_yaml(text, 'f.yaml')
    assert str(caught.value).startswith(f'f.yaml{place}') and words in str(caught.value), (
        caught.value
    )


def test_refuses_what_is_no_text_file(tmp_path: Path) -> None:
    binary, large, pipe = tmp_path / 'binary', tmp_path / 'large', tmp_path / 'pipe'
    binary.write_bytes(b'a: 1\nb: \xff\xfe\n')
    large.write_text('a' * (MOST_BYTES + 1))
    os.mkfifo(pipe)
    for file, words in {
        tmp_path / 'none': 'none: cannot be read: No such file',
        tmp_path / 'none' / 'in': 'cannot be read',
        Path('a\0b'): 'cannot be read',
        tmp_path: 'is a folder; name a YAML file',
        pipe: 'is no ordinary file',
        binary: 'binary:2: is not UTF-8 text',
        large: 'is larger than',
    }.items():
        with pytest.raises(ConfigError) as caught:
            read_yaml(file)
        assert words in str(caught.value), caught.value


@given(st.text() | st.binary().map(lambda raw: raw.decode('latin-1')))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        document = parse_yaml(text, 'f.yaml')
    except ConfigError as error:
        assert str(error).startswith('f.yaml:')
    else:
        assert document.lines[()] >= 1


def test_a_table_tells_what_each_key_must_be() -> None:
    text = 'a: x\nb: [1, .nan]\nc: 2.5\nd: [1, -1]\ne: 10\nf: [x, 3]\ng: "("\nh: {1: x}\n'
    table = Table(parse_yaml(text, 'f.yaml'))
    for read, words in {
        lambda: table.number('a'): 'f.yaml:1: a: must be a number, not text (x)',
        lambda: table.numbers('b'): 'f.yaml:2: b[1]: must be a finite number, not nan',
        lambda: table.count('c'): 'f.yaml:3: c: must be a whole number, not 2.5',
        lambda: table.counts('d'): 'f.yaml:4: d[1]: must be a finite number from 0, not -1',
        lambda: table.number('e', most=9, least=0): 'f.yaml:5: e: must lie in 0 to 9, not 10',
        lambda: table.texts('f'): 'f.yaml:6: f[1]: must be a list of words, not a number (3)',
        lambda: table.pattern('g'): 'f.yaml:7: g: is no regular expression',
        lambda: table.flag('a'): 'f.yaml:1: a: must be true or false, not text (x)',
        lambda: table.table('b'): 'f.yaml:2: b: must be a table of keys, not a list',
        lambda: table.done(): 'f.yaml:8: h: unknown key; known here: a, b, c, d, e, f, g',
    }.items():
        with pytest.raises(ConfigError) as caught:
            read()
        assert str(caught.value).startswith(words)
    assert table.values('h') == {'1': 'x'} and table.counts('e') == (10,)
