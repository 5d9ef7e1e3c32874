# SPDX-License-Identifier: Apache-2.0
"""One robot for each domain and namespace: whoever starts another is told at once.

Two graphs of the same names would answer each other's requests. The claim is a socket that the
kernel gives to one process of the machine and takes back at its end, however it ends; it has no
file, and whoever asks learns who has it.
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from venus_ros.bringup.domain import domain_of
from venus_ros.core.errors import BackendError


@contextmanager
def sole_robot(namespace: str, environment: Mapping[str, str] = os.environ) -> Iterator[None]:
    """Hold the claim while the block runs. Raises as `claim`."""
    held = claim(namespace, environment)
    try:
        yield
    finally:
        held.close()


def claim(namespace: str, environment: Mapping[str, str] = os.environ) -> socket.socket:
    """Claim this environment's domain and `namespace`; close it to give it back.

    Raises:
        BackendError: another process has it.
        ConfigError: the environment names no domain.
    """
    domain, path = domain_of(environment), f'/{namespace.strip("/")}'
    held = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    if not hasattr(socket, 'SO_PEERCRED'):  # names without files are Linux' own
        return held
    name = f'\0venus_ros {domain} {path}'[:100]
    try:
        held.bind(name)
        held.listen()
    except OSError:
        held.close()
        raise BackendError(
            f'a robot is already up on domain {domain}, namespace {path}{_whose(name)}; end it, '
            'or choose another --namespace or ROS_DOMAIN_ID',
            'venus up',
        ) from None
    return held


def _whose(name: str) -> str:
    """The process that holds a claim, in words; '' if it has just ended."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking, suppress(OSError):
        asking.settimeout(0.5)
        asking.connect(name)
        credentials = asking.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        return f' (process {struct.unpack("3i", credentials)[0]})'
    return ''
