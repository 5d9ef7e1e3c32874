# SPDX-License-Identifier: Apache-2.0
"""One plan of what runs: processes, their nodes, parameters and remaps.

`launch/venus.launch.py` and `venus up` both read it, so that a robot is the same whichever way it
was started. A plan is data: making one starts nothing and imports no ROS.

Processes: `audio` (microphone, speaker and reflex share one sound clock), `frontend`, `harness`,
one for each capability server, and the simulated robot.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from venus_ros.core.errors import ConfigError

NODES = 'venus_ros.nodes'
SIM = 'venus_ros.sim'

EXECUTABLES: dict[str, str] = {
    'microphone': f'{NODES}.microphone',
    'audio_file': f'{NODES}.audio_file',
    'speaker': f'{NODES}.speaker',
    'reflex': f'{NODES}.reflex',
    'audio': f'{NODES}.audio',
    'frontend': f'{NODES}.frontend',
    'harness': f'{NODES}.harness',
    'capability_server': f'{NODES}.capability_server',
    'picture_file': f'{NODES}.picture_file',
    'sim': f'{SIM}.nodes',
    'robot_double': f'{SIM}.double_node',
}
"""Name of each installed executable and the module that it runs (`python -m`)."""

CAPABILITIES = ('navigation', 'manipulation', 'search')
"""Servers started unless told otherwise; a robot's own are added by `Options.capabilities`."""

MICROPHONES = ('device', 'file', 'none')
SPEAKERS = ('pyaudio', 'file', 'none')

_NAMESPACE = r'/?[A-Za-z_]\w*(/[A-Za-z_]\w*)*/?'


@dataclass(frozen=True, slots=True)
class NodePlan:
    """One node: `name` on the graph, its parameters and remaps (from, to)."""

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    remaps: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ProcessPlan:
    """One process. `executable` is a key of `EXECUTABLES`; several nodes = a composition."""

    name: str
    executable: str
    nodes: tuple[NodePlan, ...]

    @property
    def module(self) -> str:
        """The module that the process runs."""
        return EXECUTABLES[self.executable]

    @property
    def rename(self) -> str:
        """Name to give its only node, or '' where the node's own name is the right one."""
        return self.nodes[0].name if len(self.nodes) == 1 else ''


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that runs, in the order in which it is started.

    Attributes:
        namespace: of all nodes, without slashes around it.
        params_file: ROS parameter file whose values win over the plan's; '' = none.
        log_level: as `--log-level` takes it; '' = as ROS has it.
    """

    processes: tuple[ProcessPlan, ...]
    namespace: str = ''
    params_file: str = ''
    log_level: str = ''

    @property
    def nodes(self) -> dict[str, ProcessPlan]:
        """Node name → the process that holds it."""
        return {node.name: process for process in self.processes for node in process.nodes}

    def process_of(self, node: str) -> ProcessPlan:
        """The process of `node` (a node's or a process' name). Raises ConfigError."""
        by_name = {process.name: process for process in self.processes} | self.nodes
        if node not in by_name:
            raise ConfigError(f'no such node; the plan has {", ".join(sorted(by_name))}', node)
        return by_name[node]

    def parameters(self) -> dict[str, Any]:
        """Contents of one ROS parameter file for the whole plan, valid in any namespace."""
        return {
            f'/**/{node.name}': {'ros__parameters': dict(node.parameters)}
            for process in self.processes
            for node in process.nodes
            if node.parameters
        }

    def ros_arguments(self, process: ProcessPlan, parameters: str) -> list[str]:
        """What `process` is told behind `--ros-args`; `parameters` is a file of `parameters()`."""
        files = [parameters, *filter(None, [self.params_file])]
        arguments = [word for file in files for word in ('--params-file', file)]
        remaps = [
            f'{node.name}:{old}:={new}' for node in process.nodes for old, new in node.remaps
        ]
        if process.rename:
            remaps.append(f'__node:={process.rename}')
        if self.namespace:
            remaps.append(f'__ns:=/{self.namespace}')
        arguments += [word for remap in remaps for word in ('-r', remap)]
        return [*arguments, *(['--log-level', self.log_level] if self.log_level else [])]


@dataclass(frozen=True, slots=True)
class Options:
    """What can be chosen about a plan.

    Attributes:
        frontend: name of the frontend behind the session.
        script: script of the scripted frontend, a file's path.
        capabilities: capability servers to start.
        skills_path: file of skills that adds to or overrides the shipped ones; '' = none.
        microphone: 'device', 'file' (plays `user_wav`) or 'none'.
        user_wav: the user's side as a sound file, for `microphone='file'`.
        speaker: 'pyaudio', 'file' (writes `robot_wav`) or 'none'.
        robot_wav: where the robot's side goes, for `speaker='file'`.
        sim: whether the simulated robot runs.
        camera: parameters of a camera that shows pictures made before, in place of the simulated
            robot's; empty = no such camera.
        closed_doors: doors of the simulated house that are shut.
        doubles: server → behaviour, for servers that a robot double plays.
        journal: path of the harness' journal; '' = the user's own.
        namespace: namespace of all nodes.
        params_file: ROS parameter file; what it says wins over all that is chosen here.
        use_sim_time: ROS time comes from `/clock`.
        autostart: nodes configure and activate by themselves.
        user_waits: the user's sound begins only when its node is activated.
        log_level: of all nodes; '' = as ROS has it.
        parameters: node → further parameters; they win over the plan's.
    """

    frontend: str = 'embedded'
    script: str = ''
    capabilities: Sequence[str] = CAPABILITIES
    skills_path: str = ''
    microphone: str = 'device'
    user_wav: str = ''
    speaker: str = 'pyaudio'
    robot_wav: str = ''
    sim: bool = True
    camera: Mapping[str, Any] = field(default_factory=dict)
    closed_doors: Sequence[str] = ()
    doubles: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    journal: str = ''
    namespace: str = ''
    params_file: str = ''
    use_sim_time: bool = False
    autostart: bool = True
    user_waits: bool = False
    log_level: str = ''
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def make_plan(options: Options) -> Plan:
    """Lay out the whole robot. Raises ConfigError for choices that do not exist."""
    _check(options)
    processes = [
        *_audio(options),
        ProcessPlan('frontend', 'frontend', (_frontend(options),)),
        ProcessPlan('harness', 'harness', (_harness(options),)),
        *(_server(name, options) for name in options.capabilities),
        *_robot(options),
    ]
    _check_names(processes)
    plan = Plan(
        tuple(processes), namespace_of(options.namespace), options.params_file, options.log_level
    )
    common = {'use_sim_time': True} if options.use_sim_time else {}
    common |= {} if options.autostart else {'autostart': False}
    return _with_parameters(plan, common, options.parameters)


def namespace_of(given: str) -> str:
    """`given` without slashes around it. Raises ConfigError if it is no ROS namespace."""
    if given.strip('/') and not re.fullmatch(_NAMESPACE, given, re.ASCII):
        raise ConfigError(
            f'must be words of letters, digits and _ with / between, not {given}', 'namespace'
        )
    return given.strip('/')


def _check(options: Options) -> None:
    """Refuse choices that no node could follow."""
    for name, given, known in (
        ('microphone', options.microphone, MICROPHONES),
        ('speaker', options.speaker, SPEAKERS),
    ):
        if given not in known:
            raise ConfigError(f'must be one of {", ".join(known)}, not {given}', name)
    if options.microphone == 'file' and not options.user_wav:
        raise ConfigError('is missing: the sound file that is the user', 'user_wav')
    if options.speaker == 'file' and not options.robot_wav:
        raise ConfigError('is missing: the file that receives the speech', 'robot_wav')


def _check_names(processes: Sequence[ProcessPlan]) -> None:
    """Two nodes of one name would answer each other's requests."""
    names = [node.name for process in processes for node in process.nodes]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError('is the name of another node; call the capability otherwise', name)


def _audio(options: Options) -> list[ProcessPlan]:
    speaker = NodePlan('speaker', _given(device=options.speaker, file=options.robot_wav))
    reflex = NodePlan('reflex', _given(capabilities_file=options.skills_path))
    if options.microphone == 'device':
        echo = 'reference' if options.speaker == 'pyaudio' else 'none'
        microphone = NodePlan('microphone', {'echo': echo})
        return [ProcessPlan('audio', 'audio', (microphone, speaker, reflex))]
    apart = [
        ProcessPlan('speaker', 'speaker', (speaker,)),
        ProcessPlan('reflex', 'reflex', (reflex,)),
    ]
    if options.microphone == 'file':
        waits = {'autostart': False} if options.user_waits else {}
        user = NodePlan('audio_file', {'file': options.user_wav, **waits})
        apart.append(ProcessPlan('audio_file', 'audio_file', (user,)))
    return apart


def _frontend(options: Options) -> NodePlan:
    return NodePlan('frontend', _given(frontend=options.frontend, script=options.script))


def _harness(options: Options) -> NodePlan:
    given = _given(capabilities_file=options.skills_path, journal=options.journal)
    return NodePlan('harness', given)


def _server(name: str, options: Options) -> ProcessPlan:
    given = _given(capability=name, capabilities_file=options.skills_path)
    return ProcessPlan(name, 'capability_server', (NodePlan(name, given),))


def _robot(options: Options) -> list[ProcessPlan]:
    robots = []
    if options.sim:
        given = _given(closed_doors=','.join(options.closed_doors))
        if options.doubles:
            given['without'] = sorted(options.doubles)
        if options.camera:
            given['camera_hz'] = 0.0
        robots.append(ProcessPlan('sim', 'sim', (NodePlan('sim', given),)))
    if options.camera:
        node = NodePlan('camera', options.camera)
        robots.append(ProcessPlan(node.name, 'picture_file', (node,)))
    for server, behaviour in options.doubles.items():
        given = _given(server=server, capabilities_file=options.skills_path)
        node = NodePlan(f'double_{server}', {**given, **behaviour})
        robots.append(ProcessPlan(node.name, 'robot_double', (node,)))
    return robots


def _given(**parameters: Any) -> dict[str, Any]:
    """Parameters that were chosen; empty ones leave the node's default."""
    return {name: value for name, value in parameters.items() if value != ''}


def _with_parameters(
    plan: Plan, common: Mapping[str, Any], extra: Mapping[str, Mapping[str, Any]]
) -> Plan:
    """`plan` with the parameters `common` to all nodes, and those of single ones, which win."""
    for node in extra:
        plan.process_of(node)

    def more(node: NodePlan) -> NodePlan:
        parameters = {**common, **node.parameters, **extra.get(node.name, {})}
        return replace(node, parameters=parameters)

    processes = (replace(p, nodes=tuple(map(more, p.nodes))) for p in plan.processes)
    return replace(plan, processes=tuple(processes))
