# SPDX-License-Identifier: Apache-2.0
"""`venus talk`: the whole robot at this machine's microphone, and the conversation as text."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from venus_ros.bringup.claim import sole_robot
from venus_ros.bringup.plan import Plan
from venus_ros.bringup.supervisor import Supervisor
from venus_ros.bringup.up import asked_to_end
from venus_ros.scenes.narrator import Narrator

SPIN_S = 0.1
LEAVE_S = 0.5
"""For leaving the middleware, which may hang, or wait for a node that did not say good-bye; all
else has ended by then, and the end of all nodes may have taken seconds."""
LOG = Path('out/talk/nodes.log')
TROUBLE = ('[ERROR]', '[FATAL]', 'error:', 'ended (')
"""What is shown beside the conversation."""


def talk(plan: Plan) -> int:
    """Run `plan` until SIGINT or SIGTERM; what the nodes print goes to a file.

    Returns the exit status. Half a second after the nodes' end this process ends with it whatever
    it does then, since the middleware may hang.

    Raises:
        BackendError: such a robot is up already.
    """
    from venus_ros.nodes.farewell import exit_after
    from venus_ros.nodes.recorder import Recorder

    LOG.parent.mkdir(parents=True, exist_ok=True)
    narrator = Narrator(lambda line: print(line, flush=True), sys.stdout.isatty())
    begin_s = time.monotonic()

    def see(source: str, message: Any, now_ns: int) -> None:
        narrator.see(time.monotonic() - begin_s, source, message)

    with (
        sole_robot(plan.namespace),
        LOG.open('w', encoding='utf-8', buffering=1) as log,
        asked_to_end() as end,
    ):

        def say(name: str, line: str) -> None:
            print(f'{name}: {line}', file=log)
            if any(word in line for word in TROUBLE):
                print(f'         {name}: {line}', flush=True)

        supervisor = Supervisor(plan, say)
        recorder = Recorder(see, namespace=plan.namespace)
        print(f'starting; the nodes write to {LOG}; Ctrl-C ends', flush=True)
        try:
            supervisor.start()
            while not end.is_set():
                supervisor.poll()
                recorder.spin(SPIN_S)
        finally:
            supervisor.end()
            status = int(any(child.given_up for child in supervisor.children.values()))
            exit_after(LEAVE_S, status)
            recorder.close()
    return status
