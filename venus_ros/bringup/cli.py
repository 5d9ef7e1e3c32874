# SPDX-License-Identifier: Apache-2.0
"""The command `venus`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from venus_ros.bringup.choices import CHOICES, chosen_plan
from venus_ros.bringup.domain import domain_of
from venus_ros.bringup.interrupt import interruptible
from venus_ros.bringup.plan import namespace_of
from venus_ros.core.errors import Code, InputError, VenusError
from venus_ros.core.messages import Scope, StopRequest

if TYPE_CHECKING:
    from venus_ros.nodes.client import Client

_ABSENT = 'say `. .venv/venus.sh` after `make demo`, or source a ROS 2 workspace with venus_ros'


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Returns its exit status: 0 well, 1 not held, 2 wrongly asked or set up."""
    try:
        with interruptible():
            chosen = _parser().parse_args(arguments)
            command: Callable[[argparse.Namespace], int] = chosen.command
            return command(chosen)
    except VenusError as error:
        print(f'venus: {error}', file=sys.stderr)
        return 2 if error.code in (Code.BAD_CONFIG, Code.BAD_INPUT) else 1
    except ModuleNotFoundError as error:
        print(f'venus: {error.name} is not here; {_ABSENT}', file=sys.stderr)
        return 1
    except BrokenPipeError:  # whoever read has enough, as `head` has
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except OSError as error:
        print(f'venus: {error}', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        'venus', description='A robot that hears, speaks and works at the same time.'
    )
    commands = parser.add_subparsers(required=True, metavar='COMMAND')

    def command(
        name: str, run: Callable[[argparse.Namespace], int], about: str
    ) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=about, description=about)
        made.set_defaults(command=run)
        return made

    demo = command('demo', _demo, 'hold one live conversation with the simulated robot')
    demo.add_argument(
        '--report', type=Path, default=Path('out/demo'), help='folder for the report'
    )
    demo.add_argument('--verbose', action='store_true', help='show what the nodes print')
    _robot_options(command('up', _up, 'run the whole robot until Ctrl-C'))
    _robot_options(command('talk', _talk, 'run the whole robot and show the conversation'))
    tell = command('tell', _tell, 'type words to the robot, as its user')
    tell.add_argument('text', nargs='+')
    _namespace_option(tell)
    speak = command('speak', _speak, 'let the robot say something')
    speak.add_argument('text', nargs='+')
    _namespace_option(speak)
    play = command('play', _play, 'play scenes and judge them')
    play.add_argument('scene', nargs='*', help='files, or names of shipped scenes; none = all')
    play.add_argument('--report', type=Path, help='folder for report.json, sound and picture')
    play.add_argument(
        '--skills', default='', metavar='FILE', help='skills that add to or override the shipped'
    )
    play.add_argument('--live', action='store_true', help='real processes, real DDS, real time')
    play.add_argument('--verbose', action='store_true', help='show what the nodes print')
    _namespace_option(command('works', _works, "show the harness' table of works"))
    stop = command('stop', _stop, 'stop the robot now')
    stop.add_argument('--scope', choices=('speech', 'motion', 'all'), default='all')
    _namespace_option(stop)
    bench = command('bench', _bench, 'measure live conversations against the budgets')
    bench.add_argument('name', nargs='*', help='idle, talk, talk_with_pictures; none = all')
    bench.add_argument(
        '--report', type=Path, default=Path('out/bench'), help='folder for bench.json'
    )
    bench.add_argument('--verbose', action='store_true', help='show what the nodes print')
    _eval_options(
        command('eval', _eval, 'measure full duplex: who may interrupt, and how quickly')
    )
    doctor = command('doctor', _doctor, 'say what is here, what is missing, and what to do')
    _namespace_option(doctor)
    return parser


def _eval_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        '--part', choices=('tune', 'held'), help='voices and sentences; both if left out'
    )
    parser.add_argument(
        '--only', action='append', default=[], metavar='NAME', help='this scenario; may repeat'
    )
    parser.add_argument('--limit', type=_positive, metavar='N', help='items of each scenario')
    parser.add_argument('--jobs', type=_positive, default=1, metavar='N', help='processes')
    parser.add_argument(
        '--report', type=Path, default=Path('out/eval'), help='folder for the report and the clips'
    )
    instead = parser.add_mutually_exclusive_group()
    for name, value, about in (
        ('live', 'N', 'N items of each scenario in counted time and live'),
        ('sweep', 'N', 'N items of each scenario at several thresholds'),
        ('soak', 'MINUTES', 'one conversation of so long'),
    ):
        instead.add_argument(
            f'--{name}', type=_positive, metavar=value, help=f'instead of all that: {about}'
        )


def _positive(text: str) -> int:
    """A whole number from 1."""
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f'must be a whole number from 1, not {text}')
    return int(text)


def _robot_options(parser: argparse.ArgumentParser) -> None:
    for choice in CHOICES:
        option, about = f'--{choice.name.replace("_", "-")}', choice.about.replace('%', '%%')
        if isinstance(choice.default, bool):
            kind: dict[str, Any] = {'action': argparse.BooleanOptionalAction}
        else:
            kind = {'choices': choice.values} if choice.values else {'metavar': 'TEXT'}
        parser.add_argument(option, default=choice.default, help=about, **kind)


def _namespace_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        '--namespace', default='', metavar='TEXT', help='namespace of the robot; empty = none'
    )


def _demo(chosen: argparse.Namespace) -> int:
    from venus_ros.bringup.show import perform, shipped

    return perform([shipped('demo')], chosen.report, live=True, verbose=chosen.verbose)


def _play(chosen: argparse.Namespace) -> int:
    from venus_ros.bringup.show import all_shipped, perform, shipped

    files = [shipped(name) for name in chosen.scene] or all_shipped()
    return perform(
        files, chosen.report, live=chosen.live, verbose=chosen.verbose, skills_path=chosen.skills
    )


def _up(chosen: argparse.Namespace) -> int:
    from venus_ros.bringup.up import up

    return up(chosen_plan(vars(chosen)))


def _talk(chosen: argparse.Namespace) -> int:
    from venus_ros.bringup.talk import talk

    return talk(chosen_plan(vars(chosen)))


def _client(chosen: argparse.Namespace) -> Client:
    from venus_ros.nodes.client import Client

    domain_of(os.environ)
    return Client(namespace_of(chosen.namespace))


def _tell(chosen: argparse.Namespace) -> int:
    words = _words(chosen)
    with _client(chosen) as client:
        client.type_text(words)
    return 0


def _speak(chosen: argparse.Namespace) -> int:
    words = _words(chosen)
    with _client(chosen) as client:
        print(f'heard: {client.speak(words)}')
    return 0


def _words(chosen: argparse.Namespace) -> str:
    """The words given, as one text. Raises InputError where there are none, or no UTF-8."""
    words = ' '.join(chosen.text).strip()
    if not words:
        raise InputError('there are no words', 'text')
    try:
        words.encode()
    except UnicodeEncodeError:
        raise InputError('is not UTF-8 text', 'text') from None
    return words


def _works(chosen: argparse.Namespace) -> int:
    from venus_ros.scenes.narrator import describe

    with _client(chosen) as client:
        works = client.works().works
    for work in works:
        done = '' if work.progress != work.progress else f' {work.progress:.0%}'
        words = work.summary or work.text
        print(f'{work.work_id[:8]}  {work.state.name:<10}{done:>5}  {describe(work)}  {words}')
    if not works:
        print('no works')
    return 0


def _stop(chosen: argparse.Namespace) -> int:
    with _client(chosen) as client:
        print(client.stop(StopRequest('', Scope[chosen.scope.upper()])))
    return 0


def _bench(chosen: argparse.Namespace) -> int:
    from venus_ros.bringup.bench import bench

    return bench(chosen.name, chosen.report, verbose=chosen.verbose)


def _eval(chosen: argparse.Namespace) -> int:
    if chosen.soak:
        from venus_ros.bringup.soak import soak

        return 0 if soak(chosen.soak, chosen.report) else 1
    if chosen.sweep:
        from venus_ros.bringup.sweep import sweep

        sweep(chosen.report, chosen.part or 'tune', chosen.sweep)
        return 0
    from venus_ros.bringup import evaluating

    if chosen.live:
        part = chosen.part or 'held'
        return 0 if evaluating.compare_live(chosen.report, part, chosen.only, chosen.live) else 1
    parts = (chosen.part,) if chosen.part else evaluating.PARTS
    limit = chosen.limit or evaluating.EACH
    evaluating.evaluate(chosen.report, parts, chosen.only, limit, chosen.jobs)
    return 0


def _doctor(chosen: argparse.Namespace) -> int:
    from venus_ros.bringup.doctor import examine

    domain_of(os.environ)
    return examine(print, namespace_of(chosen.namespace))


if __name__ == '__main__':
    sys.exit(main())
