# SPDX-License-Identifier: Apache-2.0
"""The conversation: hears `audio`, sends `speech`, delegates; any frontend may stand behind it."""

from __future__ import annotations

import array
import gc
import secrets
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.task import Future
from sensor_msgs.msg import CompressedImage
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger

from venus_ros.core import messages as m
from venus_ros.core.session import Session
from venus_ros.core.step import Prompt
from venus_ros.frontends.registry import make_frontend
from venus_ros.language.understand import warm
from venus_ros.nodes import intake, qos
from venus_ros.nodes.clock import now_s
from venus_ros.nodes.convert import from_ros, to_ros, to_time
from venus_ros.nodes.eye import Eye
from venus_ros.nodes.handover import Handover
from venus_ros.nodes.interfaces import srv
from venus_ros.nodes.learner import Learner
from venus_ros.nodes.lifecycle import Health, Level, Param, VenusNode
from venus_ros.nodes.pictures import to_jpeg
from venus_ros.nodes.process import run
from venus_ros.nodes.run_id import run_id
from venus_ros.nodes.session_thread import SessionThread
from venus_ros.nodes.speak_server import SpeakServer

PICTURE_PERIOD_S = 1.0
HEARS_S = 0.5
"""Without sound for so long, units are made of silence, and no time to them is measured."""
TOLD = {
    m.SpeechChunk: ('speech', qos.SPEECH),
    m.DelegateSpan: ('delegations', qos.DELEGATIONS),
    m.Event: ('events', qos.EVENTS),
    m.Transcript: ('transcript', qos.EVENTS),
    m.UnitReport: ('units', qos.EVENTS),
    m.ConversationState: ('state', qos.LATCHED),
}
HEARD = {
    m.Playout: ('playout', qos.LATCHED_READER),
    m.Works: ('works', qos.LATCHED),
    m.Stopped: ('stopped', qos.LATCHED),
}


class FrontendNode(VenusNode):
    """One session while active; a new one after each activation."""

    PARAMS = (
        Param('frontend', 'embedded', 'What hears and speaks: embedded, scripted.'),
        Param('script', '', 'Path of the script, for the frontend scripted.'),
        Param('robot_name', 'Venus', 'What the user may call the robot.'),
        Param('instructions', '', 'Instructions for frontends that follow some; empty = none.'),
        Param('language', 'en', 'Language of the conversation, BCP 47.'),
        Param('max_lag_s', 3.0, 'Past this lag the robot stops speaking.', 0.2, 60.0),
        Param('pictures', True, 'Keep a picture a second as evidence, on ~/frames.'),
        *intake.PARAMS,
    )

    def __init__(self, **node_options: Any) -> None:
        super().__init__('frontend', **node_options)
        self._session: SessionThread | None = None
        self._session_id = ''
        self._eye: Eye | None = None
        self._sees = False
        self._kept_s = float('-inf')

    # ---- life --------------------------------------------------------------------------------

    def setup(self) -> None:
        for cls, (topic, profile) in TOLD.items():
            self.tell(cls, topic, profile)
        self.route(m.UnitReport, self._report(self._routes[m.UnitReport]))
        self.route(m.NoteAnswer, self._on_note_answer)
        for cls, (topic, profile) in HEARD.items():
            self.listen(cls, topic, profile, self._put)
        self._learner = Learner(self._warm, self._put)
        self.listen(m.Capabilities, 'capabilities', qos.LATCHED, self._learner.learn)
        self._answers: dict[str, list[Future[m.NoteAnswer]]] = {}
        self._speak = SpeakServer(self, self._put)
        self._intake = intake.Intake(self, self._put)
        self._frames = self.publisher(CompressedImage, '~/frames', qos.IMAGE)
        self.subscribe(String, 'text_in', qos.EVENTS, self._on_text)
        self.serve(SetBool, '~/mute', self._on_mute)
        self.serve(Trigger, '~/reset', self._on_reset)
        self._serve_notes()
        self._handover = Handover(self, lambda call: self.guarded(call)())
        self.own(self._handover.close)
        self.every(1.0, self._tell_loading)

    def start(self) -> None:
        self._session_id = secrets.token_hex(4)
        self._started_s = now_s()
        self._session = SessionThread(
            self._make_session,
            give=self._give,
            opened=lambda: self._handover.put(self._on_opened),
            failed=lambda why: self._handover.put(lambda: self._on_failed(why)),
            stamp=self.stamp,
        )
        if self._learner.known is not None:
            self._session.put(self._learner.known)
        self._eye = Eye(self, self._see) if self.param('pictures') else None
        self._tell_loading()

    def stop(self) -> None:
        session, self._session = self._session, None
        if session is None:
            return
        session.close()
        self._handover.drain()
        self._speak.end_all('the conversation ended')
        for attempt_id in tuple(self._answers):
            self._on_note_answer(m.NoteAnswer(attempt_id, False, 'empty'))
        if self._eye is not None:
            self._eye.close()

    def _make_session(self) -> Session:
        frontend = make_frontend(self.param('frontend'), script=self.param('script'))
        prompt = Prompt(
            self._session_id,
            self.param('robot_name'),
            self.param('instructions'),
            self.param('language'),
        )
        self._sees = frontend.spec.picture_size is not None
        if self._sees and self._eye is not None:
            self._eye.period_s = frontend.spec.unit_s
        return Session(
            frontend,
            prompt,
            source=run_id(self.get_name()),
            max_lag_s=self.param('max_lag_s'),
            timer=now_s,
        )

    def _on_opened(self) -> None:
        _keep_loaded()
        self.get_logger().info(f'ready after {now_s() - self._started_s:.1f} s')

    def _on_failed(self, reason: str) -> None:
        self._tell_stage('failed')
        self.lose(reason)

    # ---- in and out --------------------------------------------------------------------------

    def _put(self, message: Any) -> None:
        if self._session is not None:
            self._session.put(message)

    def _give(self, messages: list[Any]) -> None:
        if messages:
            self._handover.put(lambda: self.send(messages))

    def _report(self, publish: Any) -> Any:
        """Publish unit reports with the time that the sound took to get into its unit."""

        def send(report: m.UnitReport) -> None:
            since_end_ms = (self.stamp() - report.stamp_ns) * 1e-6
            waited_ms = since_end_ms - report.step_ms - report.core_ms
            hears = now_s() - self._intake.heard_s < HEARS_S
            publish(replace(report, mic_to_unit_ms=max(0.0, waited_ms) if hears else 0.0))

        return send

    def _tell_loading(self) -> None:
        if self._session is not None and not self._session.is_open:
            self._tell_stage('loading')

    def _tell_stage(self, stage: str) -> None:
        state = m.ConversationState(
            self._session_id,
            m.Floor.UNKNOWN,
            stage=stage,
            stage_s=now_s() - self._started_s,
            stamp_ns=self.stamp(),
        )
        self.send([state])

    def _warm(self, known: m.Capabilities) -> None:
        """What understanding needs for them is made before the session hears of them."""
        if self.param('frontend') == 'embedded':
            warm(known.capabilities)

    def _on_text(self, message: String) -> None:
        self._put(m.TypedText(self.stamp(), message.data))

    # ---- services ----------------------------------------------------------------------------

    def _serve_notes(self) -> None:
        """`admit_note` waits for the session, and must not hold up the other callbacks."""
        made = self.create_service(
            srv.AdmitNote,
            'admit_note',
            self._on_note,
            callback_group=ReentrantCallbackGroup(),
        )
        self.own(lambda: self.destroy_service(made))

    async def _on_note(self, request: Any, response: Any) -> Any:
        note = from_ros(request, m.AdmitNote)
        if self._session is None or not self._session.is_open:
            return to_ros(m.NoteAnswer(note.attempt_id, False, 'loading'))
        answered: Future[m.NoteAnswer] = Future(executor=self.executor)
        self._answers.setdefault(note.attempt_id, []).append(answered)
        self._session.put(note)
        return to_ros(await answered)

    def _on_note_answer(self, answer: m.NoteAnswer) -> None:
        for waiting in self._answers.pop(answer.attempt_id, ()):
            waiting.set_result(answer)

    def _on_mute(self, request: Any, response: Any) -> Any:
        muted = bool(request.data)
        return self._order(lambda session: session.mute(muted), response)

    def _on_reset(self, request: Any, response: Any) -> Any:
        return self._order(lambda session: session.reset(), response)

    def _order(self, order: Any, response: Any) -> Any:
        session = self._session
        if session is not None and session.is_open:
            session.order(order)
            response.success = True
        else:
            response.message = 'no conversation is open'
        return response

    # ---- pictures ----------------------------------------------------------------------------

    def _see(self, frame: m.Frame) -> None:
        """Feed frontends that see, and the ring of evidence. Runs in the eye's thread."""
        if self._sees:
            self._put(frame)
        if now_s() - self._kept_s >= PICTURE_PERIOD_S:
            self._kept_s = now_s()
            kept = CompressedImage(format='jpeg', data=array.array('B', to_jpeg(frame)))
            kept.header.stamp = to_time(frame.stamp_ns)
            kept.header.frame_id = frame.frame_id
            self._handover.put(lambda: self._frames.publish(kept))

    # ---- diagnostics -------------------------------------------------------------------------

    def diagnose(self) -> Iterator[Health]:
        session = self._session
        if session is not None and not session.is_open:
            values = {'stage': 'loading', 'seconds': now_s() - self._started_s}
            values['sound not heard, s'] = session.missed_s
            yield Health('session', Level.WARN, 'the frontend is loading', values)
        elif session is not None:
            values = {'session': self._session_id, 'waiting': session.waiting}
            yield Health('session', Level.OK, 'in conversation', values)
        skills = self._learner.available
        level = Level.OK if skills else Level.WARN
        yield Health('skills', level, f'{skills} can be asked for', {'available': skills})
        yield from self._intake.health()
        if self._eye is not None:
            yield from self._eye.health()


def _keep_loaded() -> None:
    """Take what is loaded out of the garbage collector's sight: a look at it all takes 30 ms."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def main() -> None:
    """Run the node until a signal."""
    run(FrontendNode)


if __name__ == '__main__':
    main()
