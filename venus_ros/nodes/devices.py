# SPDX-License-Identifier: Apache-2.0
"""Microphones and loudspeakers of this machine, by PortAudio."""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from venus_ros.core.errors import DeviceError
from venus_ros.core.messages import Pcm

BLOCK_S = 0.02
"""Devices hold two blocks: shorter ones run dry whenever this process has to wait for a core."""


@dataclass(frozen=True, slots=True)
class Device:
    """One end of a sound device."""

    index: int
    name: str
    rate_hz: int
    channels: int


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Sound libraries write pages of trial and error to stderr while they look for devices."""
    kept, silent = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(silent)


@cache
def _silence_alsa() -> Any:
    """ALSA writes a line for every lost block; they are counted instead. Returns what it needs."""
    handler_type = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p)
    handler = handler_type(lambda *_: None)
    with contextlib.suppress(OSError):
        ctypes.CDLL('libasound.so.2').snd_lib_error_set_handler(handler)
    return handler


class PortAudio:
    """PortAudio, opened until `close`.

    Attributes:
        glitches: blocks that were lost (input) or ran dry (output).

    Raises:
        DeviceError: PyAudio is not installed.
    """

    def __init__(self) -> None:
        self.glitches = 0
        _silence_alsa()
        try:
            with _quiet():
                import pyaudio

                self._audio = pyaudio.PyAudio()
        except ImportError:
            raise DeviceError(
                'PyAudio is missing; sudo apt install python3-pyaudio, or pip install pyaudio',
                'sound',
            ) from None
        self._pyaudio = pyaudio

    def close(self) -> None:
        """Release PortAudio."""
        self._audio.terminate()

    def devices(self, direction: str) -> list[Device]:
        """Devices of a direction, 'input' or 'output', that have channels."""
        found = []
        for index in range(self._audio.get_device_count()):
            info = self._audio.get_device_info_by_index(index)
            channels = int(info['max' + direction.capitalize() + 'Channels'])
            if channels:
                rate_hz = int(info['defaultSampleRate'])
                found.append(Device(index, str(info['name']), rate_hz, channels))
        return found

    def find(self, wanted: str, direction: str) -> Device:
        """The device whose index or part of the name is `wanted`; empty = the default one.

        Raises:
            DeviceError: there is none; the message lists those that there are.
        """
        devices = self.devices(direction)
        if wanted:
            for device in devices:
                if wanted == str(device.index) or wanted.lower() in device.name.lower():
                    return device
        else:
            default = self._default(direction)
            for device in devices:
                if device.index == default:
                    return device
        listed = ', '.join(f'{d.index}: {d.name}' for d in devices) or 'none at all'
        which = f'no {direction} device {wanted!r}' if wanted else f'no default {direction} device'
        raise DeviceError(f'{which}; there are: {listed}', 'sound')

    def _default(self, direction: str) -> int:
        try:
            if direction == 'input':
                return int(self._audio.get_default_input_device_info()['index'])
            return int(self._audio.get_default_output_device_info()['index'])
        except OSError:
            return -1

    def listen(self, device: Device, channels: int, heard: Callable[[bytes], None]) -> Any:
        """Start a stream at the native rate; `heard` gets int16 bytes on the device's thread."""

        def callback(raw: bytes, _: Any, __: Any, status: int) -> tuple[None, int]:
            self.glitches += bool(status)
            heard(raw)
            return None, self._pyaudio.paContinue

        return self._open(device, channels, 'input', callback)

    def play(self, device: Device, channels: int, pull: Callable[[int], Pcm]) -> Any:
        """Start a stream at the native rate; `pull` gives mono samples on the device's thread."""

        def callback(_: Any, frames: int, __: Any, status: int) -> tuple[bytes, int]:
            self.glitches += bool(status)
            pcm = np.repeat(pull(frames), channels) if channels > 1 else pull(frames)
            return pcm.tobytes(), self._pyaudio.paContinue

        return self._open(device, channels, 'output', callback)

    def _open(self, device: Device, channels: int, direction: str, callback: Any) -> Any:
        try:
            with _quiet():
                return self._audio.open(
                    rate=device.rate_hz,
                    channels=channels,
                    format=self._pyaudio.paInt16,
                    frames_per_buffer=round(device.rate_hz * BLOCK_S),
                    stream_callback=callback,
                    **{direction: True, f'{direction}_device_index': device.index},
                )
        except (OSError, ValueError) as error:
            raise DeviceError(
                f'{device.name} does not open at {device.rate_hz} Hz with {channels} channels '
                f'({error}); is another program using it?',
                'sound',
            ) from None
