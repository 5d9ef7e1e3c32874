# SPDX-License-Identifier: Apache-2.0
"""The robot's voice in its child process, and the cutting of what it says."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from importlib.util import find_spec

import numpy as np
import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from venus_ros.core.errors import BackendError
from venus_ros.frontends.embedded.frontend import SPEECH_RATE_HZ
from venus_ros.frontends.embedded.phrasing import pieces
from venus_ros.frontends.embedded.voice import Piece, Voice, best_engine, speakable


@pytest.fixture
def voice():
    made = Voice(steady=True)
    made.open()
    yield made
    made.close()


def child_of(voice: Voice) -> psutil.Process:
    return psutil.Process(voice._child.pid)


def test_pieces_come_in_order_with_their_tags(voice):
    for number in range(5):
        voice.say(Piece(f'Number {number}.', number))
    made = voice.wait()
    assert [p.tag for p in made] == list(range(5))
    assert all(p.pcm is not None and p.pcm.dtype == np.int16 and len(p.pcm) for p in made)


def test_ready_does_not_wait(voice):
    voice.say(Piece('This is a sentence of some length, which takes its time.'))
    assert voice.ready() == []
    assert len(voice.wait()) == 1


def test_what_was_dropped_never_comes(voice):
    voice.say(Piece('This is thrown away.', 'old'))
    voice.drop()
    voice.say(Piece('This is kept.', 'new'))
    assert [p.tag for p in voice.wait()] == ['new']


def test_a_sentence_is_made_once_also_after_one_was_dropped(voice, monkeypatch):
    sent, send = [], voice._send
    monkeypatch.setattr(voice, '_send', lambda: (sent.append(voice._queue[0][1].tag), send()))
    voice.say(Piece('This is thrown away while it is being made.', 'old'))
    voice.drop()
    for tag in (1, 2, 3):
        voice.say(Piece(f'Number {tag}.', tag))
    voice.wait()
    assert sent == ['old', 1, 2, 3]


def test_a_killed_child_is_replaced_and_its_sentence_made(voice):
    voice.say(Piece('One.', 1))
    os.kill(voice._child.pid, signal.SIGKILL)
    voice.say(Piece('Two.', 2))
    made = voice.wait()
    assert [(p.tag, p.failed) for p in made] == [(1, ''), (2, '')]
    assert voice.restarts == 1


def test_a_hanging_child_is_replaced():
    voice = Voice(patience_s=0.5)
    voice.open()
    os.kill(voice._child.pid, signal.SIGSTOP)
    voice.say(Piece('Hello again.'))
    (piece,) = voice.wait(20)
    voice.close()
    assert piece.pcm is not None and not piece.failed
    assert voice.restarts == 1


def test_a_sentence_that_fails_twice_is_reported_and_the_next_is_made(voice):
    command, voice._command = voice._command, [sys.executable, '-c', 'input()']
    os.kill(voice._child.pid, signal.SIGKILL)
    voice.say(Piece('Bad luck.', 1))
    (bad,) = voice.wait()
    voice._command = command
    voice.say(Piece('Good.', 2))
    (good,) = voice.wait()
    assert (bad.tag, bad.pcm, bool(bad.failed)) == (1, None, True)
    assert (good.tag, good.failed) == (2, '')


def test_closing_leaves_no_process(voice):
    child = child_of(voice)
    voice.say(Piece('I was about to say something rather long.'))
    voice.close()
    assert not child.is_running()


def test_the_child_dies_with_its_parent():
    code = (
        'from venus_ros.frontends.embedded.voice import Voice\n'
        'import os, signal\n'
        'voice = Voice()\n'
        'print(voice._child.pid, flush=True)\n'
        'os.kill(os.getpid(), signal.SIGKILL)\n'
    )
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True)
    pid = int(done.stdout)
    end = time.monotonic() + 10
    while psutil.pid_exists(pid) and time.monotonic() < end:
        if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            break
        time.sleep(0.05)
    gone = not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    assert gone, f'process {pid} outlives its parent'


def test_odd_words_are_no_reason_to_fail(voice):
    for text in (
        '...',
        '日本',
        '<b>bold</b>',
        'a' * 300,
        '\x00',
        "it's 50% of 3°C & more_or_less",
    ):
        voice.say(Piece(text))
    assert all(not p.failed for p in voice.wait())


def test_unknown_engines_are_named():
    with pytest.raises(BackendError, match='nobody'):
        Voice('nobody')


def test_an_engine_is_found():
    assert best_engine() in ('piper', 'espeak')


def test_marks_are_spoken_as_words():
    assert speakable('red_cup & 5%') == 'red cup and 5 percent'


def test_the_first_piece_is_short():
    text = 'Okay, I will go to the kitchen and tell you what is on the table. I will be quick.'
    assert pieces(text)[0] == 'Okay,'
    text = 'I can go to the kitchen, bring you the cup and tell you what is on the table.'
    assert pieces(text)[0] == 'I can go to the kitchen,'


@given(st.text(alphabet='abc ,.;:!?-…\n', max_size=300))
def test_cutting_loses_no_word(text):
    assert ' '.join(pieces(text)).split() == text.split()


@pytest.mark.parametrize('engine', ['piper', 'espeak'])
def test_each_engine_speaks_at_the_promised_rate(engine):
    there = find_spec('piper') if engine == 'piper' else shutil.which('espeak-ng')
    if not there:
        pytest.skip(f'{engine} is not installed')
    voice = Voice(engine)
    voice.open()
    voice.say(Piece('One two three.'))
    (piece,) = voice.wait()
    voice.close()
    assert voice.rate_hz == SPEECH_RATE_HZ
    assert 0.5 < len(piece.pcm) / voice.rate_hz < 2.5
