# SPDX-License-Identifier: Apache-2.0
"""Processor time and memory of child processes, while a scene runs.

Each child leads a session of its own, and what it starts stays in that session.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from venus_ros.core.errors import BackendError

EVERY_S = 1.0


@dataclass(slots=True)
class Usage:
    """What a process and all of its session took.

    Attributes:
        cpu_percent: of one core, over the whole watch.
        peak_percent: of one core, in the worst second.
        rss_mb: resident memory at each look, MB.
    """

    cpu_percent: float = 0.0
    peak_percent: float = 0.0
    rss_mb: list[float] = field(default_factory=list)

    @property
    def growth_mb(self) -> float:
        """Resident memory at the last look against that at half time: by then all is loaded."""
        return self.rss_mb[-1] - self.rss_mb[len(self.rss_mb) // 2] if self.rss_mb else 0.0

    def record(self) -> dict[str, float]:
        """As it stands in a report."""
        return {
            'cpu_percent': round(self.cpu_percent, 1),
            'peak_percent': round(self.peak_percent, 1),
            'first_mb': round(self.rss_mb[0], 1),
            'last_mb': round(self.rss_mb[-1], 1),
            'most_mb': round(max(self.rss_mb), 1),
            'growth_mb': round(self.growth_mb, 1),
        }


class Meter:
    """Looks at processes once a second; call `look` as often as you like.

    Args:
        from_s: scene time before which it does not look.

    Attributes:
        usage: process → what it took so far.

    Raises:
        BackendError: psutil is not installed.
    """

    def __init__(self, from_s: float = 0.0) -> None:
        try:
            import psutil
        except ModuleNotFoundError:
            raise BackendError('is not installed: pip install psutil', 'psutil') from None
        self._psutil = psutil
        self._next_s = from_s
        self._known: dict[str, _Watched] = {}
        self._counted: dict[str, list[tuple[float, float]]] = {}

    @property
    def usage(self) -> dict[str, Usage]:
        """Process → what it took so far."""
        return {name: watched.usage for name, watched in self._known.items()}

    def look(self, t_s: float, pids: Mapping[str, int]) -> None:
        """Take a sample of each process if it is time, and of this one as 'bench'.

        Args:
            t_s: scene time.
            pids: name → id of a child that leads a session.
        """
        if t_s < self._next_s:
            return
        self._next_s = t_s + EVERY_S
        this = self._psutil.Process()
        sessions: dict[int, list[Any]] = {}
        for process in this.children(recursive=True):
            with suppress(ProcessLookupError):
                sessions.setdefault(os.getsid(process.pid), []).append(process)
        families = {name: sessions.get(pid, []) for name, pid in pids.items()}
        for name, family in (families | {'bench': [this]}).items():
            with suppress(self._psutil.Error):
                self._sample(name, pids.get(name, this.pid), family)

    def _sample(self, name: str, pid: int, family: list[Any]) -> None:
        cpu_s = sum(sum(one.cpu_times()[:2]) for one in family)
        rss_mb = sum(one.memory_info().rss for one in family) / 1e6
        now_s = time.monotonic()
        watched = self._known.get(name)
        if watched is None or watched.pid != pid:
            self._known[name] = _Watched(pid, now_s, cpu_s, now_s, cpu_s, Usage())
        self._known[name].add(now_s, cpu_s, rss_mb)

    def count(self, t_s: float, name: str, total: Any) -> None:
        """Take note of a counter's value, for `rates`; none or no number is passed over."""
        try:
            self._counted.setdefault(name, []).append((t_s, float(total)))
        except (TypeError, ValueError):
            return

    def rates(self) -> dict[str, float]:
        """Counter → steps per second, from its first change to its last."""
        found = {}
        for name, seen in self._counted.items():
            changes = [b for a, b in zip(seen, seen[1:], strict=False) if b[1] != a[1]]
            if len(changes) > 1:
                (first_s, first), (last_s, last) = changes[0], changes[-1]
                found[name] = (last - first) / (last_s - first_s)
        return found


@dataclass(slots=True)
class _Watched:
    pid: int
    first_s: float
    first_cpu_s: float
    last_s: float
    last_cpu_s: float
    usage: Usage

    def add(self, now_s: float, cpu_s: float, rss_mb: float) -> None:
        usage = self.usage
        usage.rss_mb.append(rss_mb)
        if now_s <= self.last_s:
            return
        peak = 100 * (cpu_s - self.last_cpu_s) / (now_s - self.last_s)
        usage.peak_percent = max(usage.peak_percent, peak)
        usage.cpu_percent = 100 * (cpu_s - self.first_cpu_s) / (now_s - self.first_s)
        self.last_s, self.last_cpu_s = now_s, cpu_s
