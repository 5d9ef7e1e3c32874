# SPDX-License-Identifier: Apache-2.0
"""The same samples give the same units, whatever the chunking."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from venus_ros.core.errors import InputError
from venus_ros.core.messages import AudioChunk, Frame, TypedText
from venus_ros.core.unit import RATE_HZ, UnitClock

SOUND = (np.arange(RATE_HZ) % 30000 + 1).astype(np.int16)
START_NS = 7_000_000_000
PIXELS = np.zeros((2, 2, 3), np.uint8)


def chunk(first: int, last: int, source_id: str = 'mic', shift_ns: int = 0) -> AudioChunk:
    stamp_ns = START_NS + first * 1_000_000_000 // RATE_HZ + shift_ns
    return AudioChunk(
        stamp_ns, source_id, first, RATE_HZ, SOUND[first % RATE_HZ :][: last - first]
    )


def push(clock: UnitClock, chunks):
    units = []
    for one in chunks:
        clock.push(one)
        while (unit := clock.pop()) is not None:
            units.append(unit)
    return units


def chunks_at(borders: list[int]) -> list[AudioChunk]:
    borders = sorted({0, RATE_HZ, *borders})
    return [chunk(a, b) for a, b in zip(borders, borders[1:], strict=False)]


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.integers(1, RATE_HZ - 1), max_size=60),
    st.sampled_from([0.02, 0.1, 0.25, 1.0]),
    st.integers(0, 5),
)
def test_any_chunking_and_doubled_chunks_give_the_same_units(borders, unit_s, doubled):
    chunks = chunks_at(borders)
    chunks = [c for i, c in enumerate(chunks) for _ in range(1 + (i % 5 == doubled))]
    clock = UnitClock(unit_s)
    units = push(clock, chunks)
    n = round(unit_s * RATE_HZ)
    assert [u.k for u in units] == list(range(RATE_HZ // n))
    assert np.array_equal(np.concatenate([u.pcm for u in units]), SOUND)
    assert [u.end_ns for u in units] == [
        START_NS + (k + 1) * n * 1_000_000_000 // RATE_HZ for k in range(len(units))
    ]
    assert clock.lost_samples == 0


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(1, RATE_HZ - 1), min_size=3, max_size=40), st.data())
def test_lost_chunks_become_counted_silence_and_nothing_moves(borders, data):
    chunks = chunks_at(borders)
    kept = [chunks[0], *(c for c in chunks[1:-1] if data.draw(st.booleans())), chunks[-1]]
    units = push(UnitClock(0.1), kept)
    expected = np.zeros(RATE_HZ, np.int16)
    for one in kept:
        expected[one.first_sample :][: len(one.pcm)] = one.pcm
    assert np.array_equal(np.concatenate([u.pcm for u in units]), expected)
    assert sum(u.gap_samples for u in units) == np.count_nonzero(expected == 0)


def test_chunks_out_of_order_within_a_unit_fall_into_place():
    order = [0, 2, 1, 3, 4]
    units = push(UnitClock(0.1), [chunk(320 * i, 320 * (i + 1)) for i in order])
    assert np.array_equal(units[0].pcm, SOUND[:1600])
    assert units[0].gap_samples == 0


def test_a_restarted_source_goes_on_without_loss():
    clock = UnitClock(0.1)
    units = push(clock, [chunk(0, 3200)])
    again = [chunk(0, 3200, shift_ns=9_000_000_000), chunk(3200, 4800, shift_ns=9_000_000_000)]
    units += push(clock, again)
    assert np.array_equal(np.concatenate([u.pcm for u in units[2:]]), SOUND[:4800])
    assert units[2].end_ns == START_NS + 9_100_000_000
    assert clock.lost_samples == 0


def test_another_source_is_taken_as_it_comes():
    clock = UnitClock(0.1)
    units = push(clock, [chunk(0, 1600), chunk(8000, 9600, 'other', 1_000_000_000)])
    assert [u.gap_samples for u in units] == [0, 0]
    assert np.array_equal(units[1].pcm, SOUND[8000:9600])


def test_a_long_gap_is_not_filled():
    clock = UnitClock(0.1)
    units = push(clock, [chunk(0, 1600), chunk(6 * RATE_HZ, 6 * RATE_HZ + 1600)])
    assert [u.gap_samples for u in units] == [0, 0]
    assert units[1].end_ns - units[0].end_ns == 6_000_000_000
    assert clock.anchors == 2


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(-3_000_000_000, 3_000_000_000), min_size=20, max_size=20))
def test_ends_are_monotonic_whatever_the_stamps(shifts):
    chunks = [chunk(320 * i, 320 * (i + 1), shift_ns=s) for i, s in enumerate(shifts)]
    ends = [u.end_ns for u in push(UnitClock(0.02), chunks)]
    assert ends == sorted(set(ends))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(-500, 1500), max_size=20), st.lists(st.integers(0, 1500), max_size=5))
def test_a_unit_holds_nothing_of_its_future(frames_ms, typed_ms):
    clock = UnitClock(0.1)
    for ms in sorted(frames_ms):
        clock.show(Frame(START_NS + ms * 1_000_000, PIXELS))
    for ms in typed_ms:
        clock.type(TypedText(START_NS + ms * 1_000_000, str(ms)))
    units = push(clock, [chunk(320 * i, 320 * (i + 1)) for i in range(50)])
    shown = [u.frame.stamp_ns for u in units if u.frame]
    assert shown == sorted(set(shown))
    assert all(u.frame.stamp_ns <= u.end_ns for u in units if u.frame)
    for unit in units:
        for text in unit.typed:
            early_ns = START_NS + int(text) * 1_000_000 - unit.end_ns
            assert early_ns <= 0 or early_ns > 1_000_000_000, f'{text} ms in unit {unit.k}'


def test_sound_of_the_wrong_kind_is_refused_with_a_sentence():
    clock = UnitClock(0.1)
    for pcm, rate in (
        (np.zeros(160, np.float32), 16000),
        (np.zeros((160, 2), np.int16), 16000),
        (np.zeros(160, np.int16), 44100),
    ):
        with pytest.raises(InputError, match='convert it at the intake'):
            clock.push(AudioChunk(0, 'mic', 0, rate, pcm))
    clock.push(AudioChunk(0, 'mic', 0, RATE_HZ, np.zeros((1600, 1), np.int16)))
    assert clock.pop() is not None


@given(st.integers(0, 1599))
def test_units_end_where_chunks_do_whatever_silence_came_before_the_first(silence: int) -> None:
    clock = UnitClock(0.1)
    clock.pass_silence(silence)
    for k in range(20):
        clock.push(chunk(320 * k, 320 * k + 320))
        while clock.pop() is not None:
            assert clock.waiting_samples == 0, 'a unit ended in the middle of a chunk'
