# SPDX-License-Identifier: Apache-2.0
"""DDS domains: that of the environment, and one that nobody on this machine uses."""

from __future__ import annotations

import random
import socket
from collections.abc import Mapping
from contextlib import closing

from venus_ros.core.errors import ConfigError, DeviceError

DOMAINS = range(20, 100)
"""Ports of higher ones lie where Linux takes those of outgoing connections."""

VARIABLE = 'ROS_DOMAIN_ID'
HIGHEST = 232
"""Ports of higher ones do not exist."""

# Where a domain's participants listen, by the DDSI-RTPS specification (section 9.6.1).
_BASE, _PER_DOMAIN, _FIRST, _PER_PARTICIPANT, _PARTICIPANTS = 7400, 250, 10, 2, 30


def domain_of(environment: Mapping[str, str]) -> int:
    """The domain that nodes started with `environment` use.

    Raises:
        ConfigError: `ROS_DOMAIN_ID` is no domain.
    """
    given = environment.get(VARIABLE, '').strip() or '0'
    if not given.isascii() or not given.isdecimal() or int(given) > HIGHEST:
        raise ConfigError(f'must be a whole number from 0 to {HIGHEST}, not {given}', VARIABLE)
    return int(given)


def free_domain() -> int:
    """A domain id, drawn by chance, on which no process of this machine listens.

    Raises:
        DeviceError: all are in use.
    """
    for domain in random.SystemRandom().sample(DOMAINS, len(DOMAINS)):
        if not in_use(domain):
            return domain
    raise DeviceError('every domain is in use; end other ROS 2 processes', VARIABLE)


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
