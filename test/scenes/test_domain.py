# SPDX-License-Identifier: Apache-2.0
"""A domain of one's own is one that nobody listens on."""

from __future__ import annotations

import socket

import pytest

from venus_ros.bringup import domain
from venus_ros.core.errors import DeviceError


@pytest.fixture
def listener() -> socket.socket:
    """A socket where the third participant of a free domain would listen."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        made.bind(('', 7400 + 250 * domain.free_domain() + 14))
        yield made


def test_a_domain_with_a_participant_is_in_use(listener: socket.socket) -> None:
    taken = (listener.getsockname()[1] - 7414) // 250
    assert domain.in_use(taken)
    listener.close()
    assert not domain.in_use(taken)


def test_only_free_domains_are_drawn(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = (listener.getsockname()[1] - 7414) // 250
    other = next(d for d in range(20, 100) if d != taken and not domain.in_use(d))
    monkeypatch.setattr(domain, 'DOMAINS', [taken, other])
    assert {domain.free_domain() for _ in range(20)} == {other}
    monkeypatch.setattr(domain, 'DOMAINS', [taken])
    with pytest.raises(DeviceError, match='in use'):
        domain.free_domain()
