# SPDX-License-Identifier: Apache-2.0
"""A request that the user takes back: whoever is away meanwhile obeys when it is back."""

from __future__ import annotations

from typing import Any

import pytest

from venus_ros.core import messages as m
from venus_ros.core.errors import Code


def withdraw_while_the_harness_is_dead(bench: Any, span: str, away_s: float = 2.0) -> None:
    bench.kill_harness()
    bench.withdraw(span)
    bench.run(away_s)
    bench.start_harness()


@pytest.mark.parametrize('away_s', [2.0, 40.0])
def test_a_withdrawal_reaches_a_harness_that_was_dead(bench: Any, away_s: float) -> None:
    bench.robot.how.end_after = 60.0
    span = bench.ask('go kitchen then look kitchen')
    bench.run(1)
    withdraw_while_the_harness_is_dead(bench, span, away_s)
    bench.run(5)
    assert {w.state for w in bench.of(span)} == {m.State.CANCELLED}, bench.brief()
    assert not bench.robot.active and not bench.frontend.told


def test_what_was_asked_and_withdrawn_meanwhile_never_moves(bench: Any) -> None:
    """On the wire the harness gets all phases of a span, one after the other."""
    bench.kill_harness()
    span = bench.ask('go kitchen')
    phases = [s for _, _, s in bench.sent if isinstance(s, m.DelegateSpan)]
    bench.withdraw(span)
    phases.append(bench.sent[-1][2])
    bench.run(3)
    bench._latched = {k: v for k, v in bench._latched.items() if k[0] is not m.DelegateSpan}
    bench.start_harness()
    bench.send(*phases)
    bench.run(3)
    assert bench.count(m.RobotGoal) == 0 and not bench.works()


def test_a_withdrawal_of_one_request_leaves_the_others(bench: Any) -> None:
    bench.robot.how.end_after = 5.0
    first, second = bench.ask('go kitchen'), bench.ask('bring banana')
    bench.run(1)
    withdraw_while_the_harness_is_dead(bench, first)
    bench.run(12)
    assert bench.of(first)[0].state is m.State.CANCELLED, bench.brief()
    assert bench.of(second)[0].state is m.State.DELIVERED, bench.brief()


def test_an_old_withdrawal_does_not_touch_a_newer_request_for_the_same(bench: Any) -> None:
    bench.robot.how.end_after = 8.0
    first = bench.ask('go kitchen')
    bench.run(0.5)
    second = bench.ask('go kitchen')
    withdraw_while_the_harness_is_dead(bench, first)
    bench.run(15)
    assert bench.of(second)[0].state is m.State.DELIVERED, bench.brief()


def test_withdrawn_twice_is_cancelled_once(bench: Any) -> None:
    bench.robot.how.end_after = 60.0
    span = bench.ask('go kitchen')
    bench.run(1)
    for _ in range(3):
        bench.withdraw(span)
        bench.run(1)
    assert bench.of(span)[0].error_code == Code.CANCELLED
    assert sum(isinstance(x, m.DelegateCancel) for _, _, x in bench.sent) == 1


def test_a_correction_meanwhile_replaces_what_was_asked_meanwhile(bench: Any) -> None:
    bench.kill_harness()
    first = bench.ask('go kitchen')
    bench.run(1)
    second = bench.ask('go hall', corrects=first, epoch=1)
    bench.run(2)
    bench.start_harness()
    bench.run(8)
    assert [w.state for w in bench.of(second)] == [m.State.DELIVERED], bench.brief()
    assert bench.count(m.RobotGoal) == 1 and not bench.told('kitchen')
