# SPDX-License-Identifier: Apache-2.0
"""Sentences that others ask the robot to say: in order, each with its end, none lost."""

from __future__ import annotations

import pytest

from venus_ros.core.messages import Said, Say, Scope, Stopped, Unsay
from venus_ros.core.step import Control, Directive, StepOutput


class Obedient:
    """Says what it was asked to say, at the unit after; a directive makes it forget that."""

    def __init__(self, speech, seconds=0.5):
        self.speech, self.seconds = speech, seconds
        self.talk = None
        self.at = 0

    def __call__(self, unit, notes, heard, directive, context):
        asked = self.talk.frontend.said[self.at :]
        self.at += len(asked)
        if directive is not Directive.NONE or not asked:
            return StepOutput()
        return StepOutput(
            Control.END_TURN, speech=[self.speech(text, self.seconds) for text in asked]
        )


@pytest.fixture
def talk(new_talk, speech):
    script = Obedient(speech)
    made = new_talk(script)
    script.talk = made
    return made.run(0.3)


def ends(talk):
    return {said.request_id: said for said in talk.of(Said) if said.done}


def test_one_after_the_other_and_the_urgent_one_first(talk):
    for name, priority in (('first', 0), ('low', 0), ('urgent', 9), ('last', 0)):
        talk.give(Say(name, f'the {name} one', priority))
    talk.run(4.0)
    assert talk.frontend.said == [f'the {name} one' for name in ('first', 'urgent', 'low', 'last')]
    assert all(said.completed for said in ends(talk).values()) and len(ends(talk)) == 4
    assert len({said.turn_id for said in ends(talk).values()}) == 4


def test_what_is_withdrawn_while_it_waits_is_never_given_and_cuts_nobody(talk):
    talk.give(Say('a', 'here I am'))
    talk.give(Say('b', 'never heard'))
    talk.run(0.3)
    talk.give(Unsay('b'))
    talk.give(Unsay('nobody'))
    talk.run(2.0)
    assert talk.frontend.said == ['here I am']
    assert ends(talk)['a'].completed and 'withdrawn' in ends(talk)['b'].error


def test_what_is_withdrawn_while_it_is_spoken_is_cut_and_the_next_one_follows(talk):
    talk.frontend.script.seconds = 3.0
    talk.give(Say('a', 'a long story that goes on and on'))
    talk.run(1.0)
    talk.give(Unsay('a'))
    talk.give(Say('b', 'now something else'))
    talk.run(5.0)
    assert not ends(talk)['a'].completed and ends(talk)['a'].played > 0
    assert ends(talk)['b'].completed, ends(talk)['b'].error
    assert talk.frontend.said[-1] == 'now something else'


def test_what_is_withdrawn_before_it_is_spoken_makes_the_frontend_listen(talk):
    talk.give(Say('a', 'not at all'))
    talk.give(Unsay('a'))
    talk.run(1.0)
    assert Directive.FORCE_LISTEN in [step[3] for step in talk.frontend.steps]
    assert 'withdrawn' in ends(talk)['a'].error and not talk.heard.any()


def test_a_stop_ends_those_that_wait(talk):
    talk.give(Say('a', 'here I am'))
    talk.give(Say('b', 'and here'))
    talk.run(0.3)
    talk.give(Stopped('x', talk.now_ns, Scope.SPEECH))
    talk.run(1.5)
    assert not ends(talk)['a'].completed and 'stopped' in ends(talk)['b'].error
    assert talk.frontend.said == ['here I am']


def test_what_the_frontend_forgot_for_another_reason_is_given_again(talk):
    talk.route(talk.session.reset())
    talk.give(Say('a', 'after the reset'))
    assert not talk.frontend.said, 'the directive is obeyed first'
    talk.run(1.5)
    assert ends(talk)['a'].completed
