# SPDX-License-Identifier: Apache-2.0
"""A DDS domain that nobody on this machine uses, so that two graphs never hear each other."""

from __future__ import annotations

import random
import socket
from contextlib import closing

from venus_ros.core.errors import DeviceError

DOMAINS = range(20, 100)
"""Ports of higher ones lie where Linux takes those of outgoing connections."""

# Where a domain's participants listen, by the DDSI-RTPS specification (section 9.6.1).
_BASE, _PER_DOMAIN, _FIRST, _PER_PARTICIPANT, _PARTICIPANTS = 7400, 250, 10, 2, 30


def free_domain() -> int:
    """A domain id, drawn by chance, on which no process of this machine listens.

    Raises:
        DeviceError: all are in use.
    """
    for domain in random.SystemRandom().sample(DOMAINS, len(DOMAINS)):
        if not in_use(domain):
            return domain
    raise DeviceError('every domain is in use; end other ROS 2 processes', 'ROS_DOMAIN_ID')


def in_use(domain: int) -> bool:
    """Whether a participant of `domain` listens on this machine, whoever started it."""
    first = _BASE + _PER_DOMAIN * domain + _FIRST
    return any(_taken(first + _PER_PARTICIPANT * n) for n in range(_PARTICIPANTS))


def _taken(port: int) -> bool:
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as probe:
        try:
            probe.bind(('', port))
        except OSError:
            return True
    return False
