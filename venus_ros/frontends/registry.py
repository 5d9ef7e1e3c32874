# SPDX-License-Identifier: Apache-2.0
"""Frontends by name, as the parameter `frontend` and scenes write it."""

from __future__ import annotations

from collections.abc import Callable

from venus_ros.core.errors import ConfigError
from venus_ros.core.step import DuplexFrontend


def make_frontend(name: str, *, counted: bool = False, script: str = '') -> DuplexFrontend:
    """A frontend that is not open yet.

    Args:
        name: one of `NAMES`.
        counted: it waits for its workers, so that a run repeats exactly.
        script: path of the script, for `scripted`.

    Raises:
        ConfigError: there is no such frontend, or its script is wrong.
    """
    if name not in _MAKERS:
        raise ConfigError(f'no such frontend; there are: {", ".join(NAMES)}', name)
    return _MAKERS[name](counted, script)


def _scripted(counted: bool, script: str) -> DuplexFrontend:
    from venus_ros.frontends.scripted.frontend import ScriptedFrontend
    from venus_ros.frontends.scripted.script import load

    return ScriptedFrontend(load(script) if script else ())


def _embedded(counted: bool, script: str) -> DuplexFrontend:
    from venus_ros.frontends.embedded.frontend import EmbeddedFrontend

    return EmbeddedFrontend(counted=counted)


_MAKERS: dict[str, Callable[[bool, str], DuplexFrontend]] = {
    'scripted': _scripted,
    'embedded': _embedded,
}
NAMES = tuple(_MAKERS)
