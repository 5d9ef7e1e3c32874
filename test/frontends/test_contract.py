# SPDX-License-Identifier: Apache-2.0
"""What holds for every frontend."""

from __future__ import annotations

import threading

import numpy as np
import psutil
import pytest

from venus_ros.core.errors import VenusError
from venus_ros.core.messages import Frame, State, Unit, Work
from venus_ros.core.split import has_token
from venus_ros.frontends.protocol import Context, Control, Directive, Heard, Note, Prompt
from venus_ros.scenes.voices import user_audio

NOTE = Note('attempt-1', ('work-1', 'work-2'), 'I am in the kitchen now.')
ALL = ['scripted', 'embedded']
in_room = pytest.mark.parametrize('room', ALL, indirect=True)
alone = pytest.mark.parametrize('new_frontend', ALL, indirect=True)


@alone
def test_spec_is_complete(new_frontend):
    spec = new_frontend.spec
    assert 0 < spec.unit_s <= 1.0
    assert spec.audio_rate_hz == 16000
    assert 8000 <= spec.speech_rate_hz <= 48000
    assert spec.name and spec.licence and spec.revision


@in_room
def test_speech_has_the_promised_shape(room):
    room.step(typed=['hello'])
    room.wait(0.5)
    assert room.spoken, 'nothing was said to a greeting'
    for piece in room.spoken:
        assert piece.pcm.dtype == np.int16 and piece.pcm.ndim == 1, piece.pcm
        assert len(piece.pcm) > 0.1 * room.frontend.spec.speech_rate_hz, piece.text
        assert np.abs(piece.pcm.astype(int)).max() > 500, f'{piece.text!r} cannot be heard'
        assert piece.text.strip()


@in_room
def test_each_turn_is_completed(room):
    room.step(typed=['hello'])
    room.wait(0.5)
    assert [o.control for _, o in room.log if o.control is Control.END_TURN] == [Control.END_TURN]


@in_room
def test_silence_is_answered_by_silence(room):
    for out in room.wait(3.0):
        assert out.control is Control.LISTEN and not out.speech and not out.text and not out.flush


@in_room
def test_notes_are_restated_and_marked_on_exactly_their_speech(room):
    room.step(typed=['hello'])
    room.wait(4.0)
    room.step(notes=[NOTE])
    room.wait(4.0)
    told = [s for s in room.spoken if s.attempt_id]
    assert told and 'kitchen' in ' '.join(s.text for s in told), room.said
    assert {(s.attempt_id, s.work_ids) for s in told} == {(NOTE.attempt_id, NOTE.work_ids)}
    for piece in room.spoken:
        assert bool(piece.work_ids) == bool(piece.attempt_id), piece
    assert not any(s.work_ids for s in room.spoken if 'ello' in s.text), 'talk marked as a note'


@in_room
def test_notes_one_by_one_keep_their_marks(room):
    other = Note('attempt-2', ('work-9',), 'I found the book.')
    room.step(notes=[NOTE])
    room.wait(4.0)
    room.step(notes=[other])
    room.wait(3.0)
    by_attempt = {s.attempt_id: s.work_ids for s in room.spoken}
    assert by_attempt == {'attempt-1': NOTE.work_ids, 'attempt-2': other.work_ids}


@in_room
def test_failures_are_restated_as_such(room):
    work = Work('work-1', 'navigation', State.FAILED)
    room.context = Context(works=(work,))
    room.step(notes=[Note('a', ('work-1',), 'I could not get to the kitchen: it is blocked.')])
    room.wait(4.0)
    assert 'could not' in room.said and 'blocked' in room.said, room.said


@pytest.mark.parametrize('directive', [Directive.FORCE_LISTEN, Directive.RESET])
@in_room
def test_directives_close_the_turn(room, directive):
    room.step(typed=['hello'])
    room.frontend.say('This must never be heard after the directive.')
    out = room.step(directive=directive)
    assert not out.speech, [s.text for s in out.speech]
    before = len(room.spoken)
    room.wait(2.0)
    assert len(room.spoken) == before, room.said
    room.frontend.say('Back again.')
    room.wait(1.0)
    assert 'Back again.' in room.said, room.said


@in_room
def test_reset_forgets_the_conversation(room):
    def answers() -> list[str]:
        start = len(room.spoken)
        room.step(typed=['hello'])
        room.wait(4.0)
        return [s.text for s in room.spoken[start:]]

    first = answers()
    room.step(directive=Directive.RESET)
    assert answers() == first


@in_room
def test_say_is_a_turn_of_its_own(room):
    room.frontend.say('Please stand back.')
    room.wait(3.0)
    assert room.said == 'Please stand back.'
    assert all(not s.work_ids for s in room.spoken)


@pytest.mark.parametrize(
    'pcm',
    [
        np.zeros(0, np.int16),
        np.zeros(1, np.int16),
        np.full(1600, 32767, np.int16),
        np.full(5000, -32768, np.int16),
        np.tile(np.array([32767, -32768], np.int16), 800),
    ],
    ids=['empty', 'one sample', 'stuck', 'long', 'square'],
)
@in_room
def test_odd_sound_stops_nothing(room, pcm):
    for _ in range(20):
        room.step(pcm)
    room.step(typed=['hello'])
    room.wait(1.0)
    assert room.said, 'the frontend fell silent'


@pytest.mark.parametrize(
    'pcm',
    [np.zeros(1600, np.float32), np.full(1600, np.nan), np.zeros((1600, 2), np.int16)],
    ids=['float', 'nan', 'stereo'],
)
@in_room
def test_sound_of_another_kind_is_an_error_that_stops_nothing(room, pcm):
    with pytest.raises(VenusError, match='int16'):
        room.step(pcm)
    room.step(typed=['hello'])
    room.wait(0.5)
    assert room.said


@in_room
def test_pictures_and_gaps_are_taken(room):
    picture = Frame(0, np.zeros((8, 8, 3), np.uint8))
    unit = Unit(0, np.zeros(1600, np.int16), 100_000_000, frame=picture, gap_samples=800)
    room.frontend.step(unit, (), Heard(), Directive.NONE, Context())


@pytest.mark.parametrize(
    'typed', ['', '   ', '\x00\x07', '\ufffd\ud83e', 'x' * 20000, '<delegate>']
)
@in_room
def test_odd_typing_stops_nothing(room, typed):
    room.step(typed=[typed])
    room.step(typed=['hello'])
    room.wait(1.0)
    assert room.said


@in_room
def test_private_text_is_never_spoken(room):
    for typed in ('<delegate>go to the kitchen</delegate>', '<backend>secret</backend> hello'):
        room.step(typed=[typed])
        room.wait(4.0)
    room.step(notes=[Note('a', ('w',), 'Done. {"place": "kitchen"} <unit>')])
    room.wait(4.0)
    leaks = [s.text for s in room.spoken if has_token(s.text)]
    assert not leaks, leaks


@in_room
def test_runs_repeat_exactly(room):
    def run() -> list[tuple[object, ...]]:
        room.step(directive=Directive.RESET)
        room.log.clear()
        room.step(typed=['hello'])
        room.hear(user_audio('go to the kitchen'))
        room.wait(2.0)
        room.step(typed=['go to the bedroom'], notes=[NOTE])
        room.wait(4.0)
        return [
            (out.control, out.text, [(s.text, s.work_ids, s.pcm.tobytes()) for s in out.speech])
            for _, out in room.log
        ]

    first, second = run(), run()
    assert first == second


@alone
def test_close_leaves_nothing_behind(new_frontend):
    before = set(threading.enumerate())
    children = {p.pid for p in psutil.Process().children(recursive=True)}
    new_frontend.open(Prompt('session'))
    new_frontend.say('I am in the middle of a sentence, and it is rather a long one.')
    new_frontend.step(Unit(0, np.zeros(1600, np.int16), 1), (), Heard(), Directive.NONE, Context())
    new_frontend.close()
    new_frontend.close()
    left = [t.name for t in threading.enumerate() if t not in before and t.is_alive()]
    assert not left
    assert {p.pid for p in psutil.Process().children(recursive=True)} <= children


@alone
def test_closed_frontends_say_so(new_frontend):
    with pytest.raises(VenusError, match='open'):
        new_frontend.step(
            Unit(0, np.zeros(1600, np.int16), 1), (), Heard(), Directive.NONE, Context()
        )
