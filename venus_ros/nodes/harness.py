# SPDX-License-Identifier: Apache-2.0
"""The table of works on the graph: requests in, goals to the capability servers, tellings out."""

from __future__ import annotations

import array
import os
import threading
import uuid
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from action_msgs.srv import CancelGoal
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Odometry
from rclpy.node import Node
from sensor_msgs.msg import CompressedImage

from venus_ros.core import messages as m
from venus_ros.harness.evidence import Evidence, Picture
from venus_ros.harness.harness import Harness
from venus_ros.harness.journal import Journal
from venus_ros.harness.planner.embedded import EmbeddedPlanner
from venus_ros.harness.skills import load
from venus_ros.language.understand import warm
from venus_ros.nodes import qos
from venus_ros.nodes.capability_server import CAPABILITIES_FILE
from venus_ros.nodes.convert import from_ros, from_time, to_ros, to_time
from venus_ros.nodes.delegate_clients import DelegateClients
from venus_ros.nodes.delegate_server import DelegateServer
from venus_ros.nodes.interfaces import msg, srv
from venus_ros.nodes.lifecycle import WATCH_S, Health, Level, Param, VenusNode
from venus_ros.nodes.poses import pose_from_ros, pose_to_ros
from venus_ros.nodes.process import run
from venus_ros.nodes.run_id import run_id

HEARD = {
    m.DelegateSpan: ('delegations', qos.DELEGATIONS),
    m.Event: ('events', qos.EVENTS),
    m.ConversationState: ('state', qos.LATCHED_READER),
    m.Playout: ('playout', qos.LATCHED_READER),
    m.Transcript: ('transcript', qos.EVENTS),
    m.Stopped: ('stopped', qos.LATCHED),
}
TOLD = {
    m.Works: ('works', qos.LATCHED),
    m.Capabilities: ('capabilities', qos.LATCHED),
    m.Event: ('events', qos.EVENTS),
}


def default_journal(node: Node) -> Path:
    """Where the journal lies unless told otherwise: in the user's state folder, for each robot."""
    state = os.environ.get('XDG_STATE_HOME') or Path.home() / '.local' / 'state'
    robot = f'{node.context.get_domain_id()}{node.get_namespace().rstrip("/")}'
    return Path(state) / 'venus_ros' / robot / 'journal.sqlite'


class HarnessNode(VenusNode):
    """The harness engine between frontend and capability servers."""

    PARAMS = (
        CAPABILITIES_FILE,
        Param('journal', '', "SQLite file of works; empty = the user's own, ':memory:' = none."),
        Param('frames', 'frontend/frames', 'Topic of the pictures that are kept as evidence.'),
    )

    def __init__(self, **node_options: Any) -> None:
        super().__init__('harness', **node_options)

    def setup(self) -> None:
        skills = load(self.param('capabilities_file'))
        self.engine = self._harness = Harness(
            skills,
            EmbeddedPlanner(skills),
            Journal(self.param('journal') or default_journal(self)),
            source=run_id(self.get_name()),
            stamp=self.stamp,
            new_id=lambda: str(uuid.uuid4()),
        )
        threading.Thread(target=warm, args=(skills.offer(),), daemon=True).start()
        for cls, (topic, profile) in TOLD.items():
            self.tell(cls, topic, profile)
        self._delegates = DelegateServer(self, 'delegate', '')
        self._servers_of_works = DelegateClients(self, skills.capabilities())
        self._watch_servers({skill.server for skill in skills})
        self._admit = self.create_client(srv.AdmitNote, 'admit_note')
        self.own(partial(self.destroy_client, self._admit))
        self.route(m.AdmitNote, self._send_note)
        for cls, (topic, profile) in HEARD.items():
            self.hear(cls, topic, profile)
        for capability in skills.capabilities():
            self.hear(m.Works, f'{capability}/works', qos.LATCHED_READER)
        self._listen_for_evidence()
        self.serve(srv.GetEvidence, 'get_evidence', self._on_get_evidence)
        self.every(0.5, self._look_for_servers)
        self.every(WATCH_S, self._work)

    def _work(self) -> None:
        self._servers_of_works.poll()
        self.tick()

    # ---- who is there ------------------------------------------------------------------------

    def _watch_servers(self, servers: set[str]) -> None:
        """Presence of the robot's action servers, seen by their cancel service."""
        self._presence: dict[str, Any] = {}
        self._seen: dict[str, bool] = {}
        for server in sorted(servers):
            client = self.create_client(CancelGoal, f'{server}/_action/cancel_goal')
            self._presence[server] = client
            self.own(partial(self.destroy_client, client))

    def _look_for_servers(self) -> None:
        now = {name: client.service_is_ready() for name, client in self._presence.items()}
        for capability, available in self._servers_of_works.available.items():
            now[f'{capability}/delegate'] = available
        for name, available in now.items():
            if self._seen.get(name) != available:
                self._seen[name] = available
                reason = '' if available else f'no server {name} is on the graph'
                self.feed(m.RobotServer(name, available, reason))

    # ---- telling -----------------------------------------------------------------------------

    def _send_note(self, note: m.AdmitNote) -> None:
        if not self._admit.service_is_ready():
            self.feed(m.NoteAnswer(note.attempt_id, False, 'absent'))
            return

        def answered(future: Any) -> None:
            response = future.result()
            if response is not None:
                self.feed(from_ros(response, m.NoteAnswer, attempt_id=note.attempt_id))

        self._admit.call_async(to_ros(note)).add_done_callback(self.guarded(answered))

    # ---- evidence ----------------------------------------------------------------------------

    def _listen_for_evidence(self) -> None:
        self.subscribe(CompressedImage, self.param('frames'), qos.IMAGE, self._on_picture)
        self.subscribe(
            Odometry,
            'odom',
            qos.POSE,
            lambda ros: self.feed(pose_from_ros(ros.header, ros.pose.pose)),
        )
        self.subscribe(
            PoseStamped,
            'pose',
            qos.POSE,
            lambda ros: self.feed(pose_from_ros(ros.header, ros.pose)),
        )

    def _on_picture(self, ros: CompressedImage) -> None:
        stamp_ns = from_time(ros.header.stamp)
        self.feed(Picture(stamp_ns, bytes(ros.data), ros.header.frame_id))

    def _on_get_evidence(self, request: Any, response: Any) -> Any:
        known = self._harness.evidence(request.evidence_id)
        return response if known is None else evidence_to_ros(known, response)

    # ---- diagnostics -------------------------------------------------------------------------

    def diagnose(self) -> Iterator[Health]:
        works = self._harness.works()
        states: dict[str, int] = {}
        for work in works:
            states[work.state.name.lower()] = states.get(work.state.name.lower(), 0) + 1
        yield Health('works', Level.OK, f'{len(works)} known', states)
        frontend = self._admit.service_is_ready()
        yield Health(
            'frontend',
            Level.OK if frontend else Level.WARN,
            'there' if frontend else 'absent: results cannot be told',
        )
        for name, available in self._seen.items():
            message = 'there' if available else 'not on the graph'
            yield Health(f'server {name}', Level.OK if available else Level.WARN, message)


def evidence_to_ros(known: Evidence, response: Any) -> Any:
    """Answer of `get_evidence`."""
    response.found = True
    response.unit = known.unit
    response.opened_at = to_time(known.opened_ns)
    response.transcript = '\n'.join(known.transcript)
    response.frames = [
        msg.EvidenceFrame(stamp=to_time(p.stamp_ns), format='jpeg', data=array.array('B', p.jpeg))
        for p in known.pictures
    ]
    if known.pose is not None:
        response.has_pose = True
        response.pose = pose_to_ros(known.pose)
    return response


def main() -> None:
    """Run the node until a signal."""
    run(HarnessNode)


if __name__ == '__main__':
    main()
