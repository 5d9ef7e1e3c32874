# SPDX-License-Identifier: Apache-2.0
"""What was known when a request was made, and nothing that came later."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest

from venus_ros.core import messages as m
from venus_ros.harness.evidence import EvidenceStore, Picture

S = 10**9


def test_nothing_later_than_the_request_is_inside_however_late_it_is_frozen() -> None:
    store = EvidenceStore()
    for second in range(100):
        store.see(Picture(second * S, b'%d' % second))
        store.hear(m.Transcript('s', m.Role.USER, 0, f'word {second}', stamp_ns=second * S))
        store.stand(m.Pose(second * S, float(second), 0.0, 0.0))
    frozen = store.freeze('s/1', 80 * S, unit=800)
    assert [p.stamp_ns // S for p in frozen.pictures] == list(range(69, 81))
    assert frozen.transcript == tuple(f'user: word {n}' for n in range(68, 81))
    assert frozen.pose is not None and frozen.pose.x == 80.0
    assert frozen.unit == 800


def test_the_first_freezing_counts() -> None:
    store = EvidenceStore()
    store.see(Picture(1 * S, b'a'))
    first = store.freeze('s/1', 1 * S)
    store.see(Picture(2 * S, b'b'))
    assert store.freeze('s/1', 2 * S) is first
    store.release('s/1')
    assert store.get('s/1') is None
    store.release('s/1')


def test_one_picture_a_second_is_kept_as_jpeg() -> None:
    store = EvidenceStore()
    pixels = np.zeros((48, 64, 3), np.uint8)
    pixels[:, :, 0] = 250
    for number in range(31):
        store.see(m.Frame(number * S // 10, pixels, 'camera'))
    frozen = store.freeze('s/1', 3 * S)
    assert [p.stamp_ns / S for p in frozen.pictures] == [0, 1, 2, 3]
    back = cv2.imdecode(np.frombuffer(frozen.pictures[0].jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert back.shape == pixels.shape and back[0, 0, 2] > 240 > 10 > back[0, 0, 0]


def test_partial_and_empty_words_are_no_evidence() -> None:
    store = EvidenceStore()
    store.hear(m.Transcript('s', m.Role.USER, 0, 'go to', final=False, stamp_ns=1))
    store.hear(m.Transcript('s', m.Role.USER, 0, '', stamp_ns=1))
    assert store.freeze('s/1', 2).transcript == ()


def test_requests_that_never_close_do_not_pile_up() -> None:
    store = EvidenceStore()
    for number in range(200):
        store.freeze(f's/{number}', 1)
    kept = [n for n in range(200) if store.get(f's/{n}')]
    assert kept == list(range(136, 200))


def test_what_is_no_picture_is_an_error_with_a_reason() -> None:
    with pytest.raises(ValueError, match='not an RGB picture'):
        EvidenceStore().see(m.Frame(1, np.zeros((4, 4), np.uint8)))


def test_evidence_lives_as_long_as_its_works(bench: Any) -> None:
    span = bench.ask('go kitchen')
    bench.run(1)
    assert bench.harness.evidence(span) is not None
    bench.run(6)
    assert bench.of(span)[0].delivered and bench.harness.evidence(span) is None


def test_a_void_request_leaves_no_evidence(bench: Any) -> None:
    for phase in (m.SpanPhase.OPENED, m.SpanPhase.VOID):
        bench.send(m.DelegateSpan('s1', 's1/1', phase, 1, 0, bench.stamp()))
    assert bench.harness.evidence('s1/1') is None and not bench.works()
