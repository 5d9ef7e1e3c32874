# SPDX-License-Identifier: Apache-2.0
"""When a lag is one, and what it costs."""

from __future__ import annotations

from venus_ros.core.lag import Lag

UNIT_S = 0.1


def feed(lag: Lag, first: int, units: int, late_s: float = 0.0, pace: float = 1.0) -> list[str]:
    times = [(k + 1) * UNIT_S for k in range(first, first + units)]
    return [said for t in times if (said := lag.measure(t, t * pace + late_s))]


def test_jitter_is_no_lag():
    lag = Lag(UNIT_S, 3.0)
    for k in range(100):
        assert not lag.measure((k + 1) * UNIT_S, (k + 1) * UNIT_S + 0.3 * (k % 3 == 0))
    assert not lag.late


def test_clocks_that_run_apart_are_no_lag():
    for pace in (1.0001, 0.9999):
        lag = Lag(UNIT_S, 3.0)
        assert feed(lag, 0, 36000, pace=pace) == []
        assert lag.lag_s < 0.1, lag.lag_s


def test_late_then_too_late_then_caught_up_each_said_once():
    lag = Lag(UNIT_S, 3.0)
    feed(lag, 0, 10)
    assert 'pictures' in feed(lag, 10, 10, late_s=1.0)[0] and lag.late and not lag.too_late
    assert feed(lag, 20, 10, late_s=1.0) == []
    assert 'stops speaking' in feed(lag, 30, 10, late_s=3.5)[0] and lag.too_late
    assert feed(lag, 40, 10, late_s=1.0) == [] and lag.too_late, 'it must have caught up first'
    assert 'caught up' in feed(lag, 50, 10)[0] and not lag.late


def test_long_units_may_be_late_by_two_of_them():
    lag = Lag(1.0, 0.2)
    assert lag.measure(1.0, 1.0) == lag.measure(2.0, 3.9) == ''
    assert lag.measure(3.0, 5.1)


def test_a_new_count_starts_without_lag():
    lag = Lag(UNIT_S, 3.0)
    feed(lag, 0, 10)
    lag.restart()
    assert feed(lag, 10, 5, late_s=60.0) == []
