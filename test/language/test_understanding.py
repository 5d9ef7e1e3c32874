# SPDX-License-Identifier: Apache-2.0
"""What users say is understood: labelled utterances, corrections, answers, half sentences."""

from __future__ import annotations

from pathlib import Path

import pytest

from venus_ros.core.messages import Capability
from venus_ros.evaluation.routing import load as load_labelled
from venus_ros.evaluation.routing import score
from venus_ros.harness.skills import load
from venus_ros.language import embed
from venus_ros.language.acts import Act, ActKind, Talk
from venus_ros.language.requests import reader
from venus_ros.language.understand import understand

LEAST = {
    'recall': 0.95,
    'specificity': 0.95,
    'capability': 0.95,
    'arguments': 0.9,
    'kind': 0.85,
}


@pytest.fixture(scope='module')
def offer() -> tuple[Capability, ...]:
    return load().offer()


LEAST_UNSEEN = LEAST | {'recall': 0.85, 'capability': 0.8, 'arguments': 0.8}
"""For sentences in all styles that nobody looked at while the rules were made."""


@pytest.mark.parametrize('part', ['tune', 'held', 'wide', 'fresh_tune', 'fresh_held'])
def test_labelled_utterances(part: str, offer: tuple[Capability, ...]) -> None:
    labelled = load_labelled(Path(__file__).parent / 'utterances.yaml')[part]
    assert sum(map(len, labelled.values())) >= 60
    least = LEAST_UNSEEN if part == 'fresh_held' else LEAST
    for name, rate in score(labelled, offer).items():
        print(part, name, rate)
        assert not rate.n or rate.value >= least[name], f'{part} {name} {rate}\n' + '\n'.join(
            rate.missed
        )


def test_a_scorer_that_delegates_everything_is_found_out(
    offer: tuple[Capability, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    always = understand('go to the kitchen', capabilities=offer)
    monkeypatch.setattr('venus_ros.evaluation.routing.understand', lambda *a, **k: always)
    labelled = load_labelled(Path(__file__).parent / 'utterances.yaml')['held']
    rates = score(labelled, offer)
    assert rates['recall'].value == 1.0
    assert rates['specificity'].value == 0.0
    assert rates['arguments'].value < 0.2


def test_words_alone_decide_without_embeddings(
    offer: tuple[Capability, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embed, 'embedder', lambda: None)
    monkeypatch.setattr('venus_ros.language.frames.embedder', lambda: None)
    bare = tuple(c for c in offer[:2])  # a set of its own: readers are kept by capabilities
    act = understand('could you please go to the kitchen', capabilities=bare)
    assert [dict(s.arguments) for s in act.steps] == [{'place': 'kitchen'}]
    assert understand('what time is it', capabilities=bare).kind is ActKind.UNKNOWN
    assert understand('thank you', capabilities=bare).kind is ActKind.THANKS


# ---- with what was said before -----------------------------------------------------------------

RED_CUP = 'bring me the red cup'
LOOK = 'go to the kitchen and tell me what is on the table'


def talk_after(offer: tuple[Capability, ...], *texts: str) -> Talk:
    talk = Talk()
    for text in texts:
        talk = talk.after(understand(text, capabilities=offer, context=talk))
    return talk


def steps(act: Act) -> list[dict[str, object]]:
    return [dict(step.arguments) for step in act.steps]


@pytest.mark.parametrize(
    ('before', 'text', 'wanted'),
    [
        (RED_CUP, 'No, wait, the blue one.', [{'action': 'bring', 'object': 'blue_cup'}]),
        (RED_CUP, 'not the red one, the blue one', [{'action': 'bring', 'object': 'blue_cup'}]),
        (RED_CUP, 'the other one', [{'action': 'bring', 'object': 'blue_cup'}]),
        (RED_CUP, 'I meant the banana', [{'action': 'bring', 'object': 'banana'}]),
        (RED_CUP, 'the keys instead', [{'action': 'bring', 'object': 'keys'}]),
        (RED_CUP, 'no, go to the hall', [{'place': 'hall'}]),
        (
            RED_CUP,
            'actually, to the bedroom',
            [{'action': 'bring', 'object': 'red_cup', 'to': 'bedroom'}],
        ),
        ('go to the kitchen', 'no wait, the bedroom', [{'place': 'bedroom'}]),
        ('go to the kitchen', 'Wait, not the kitchen, the hall.', [{'place': 'hall'}]),
        ('go to the kitchen', 'sorry, I mean the leaving room', [{'place': 'living_room'}]),
    ],
)
def test_a_correction_replaces_the_last_request(
    before: str, text: str, wanted: list[dict[str, str]], offer: tuple[Capability, ...]
) -> None:
    act = understand(text, capabilities=offer, context=talk_after(offer, before))
    assert (act.kind, steps(act)) == (ActKind.CORRECT, wanted)
    again = understand(act.task, capabilities=offer)
    assert steps(again) == wanted, f'the corrected task reads differently: {act.task!r}'


@pytest.mark.parametrize(
    ('before', 'text', 'wanted'),
    [
        (
            'come to the hall',
            'bring me the banana from the kitchen',
            [{'action': 'bring', 'object': 'banana'}],
        ),
        (RED_CUP, 'get me the banana', [{'action': 'bring', 'object': 'banana'}]),
    ],
)
def test_a_request_that_lacks_nothing_corrects_nothing(
    before: str, text: str, wanted: list[dict[str, str]], offer: tuple[Capability, ...]
) -> None:
    act = understand(text, capabilities=offer, context=talk_after(offer, before))
    assert (act.kind, steps(act)) == (ActKind.DELEGATE, wanted)


@pytest.mark.parametrize(
    'text',
    [
        'go to the bedroom in ten minutes',
        'bring me the red cup at five o clock',
        'go to the kitchen tomorrow',
        'in half an hour please go to the hall',
        'look around the kitchen every hour',
    ],
)
def test_nothing_is_done_at_once_that_was_wanted_later(
    text: str, offer: tuple[Capability, ...]
) -> None:
    act = understand(text, capabilities=offer)
    assert (act.kind, act.steps) == (ActKind.CANNOT, ()), text
    assert 'not later' in act.question


def test_a_request_without_a_time_is_not_put_off(offer: tuple[Capability, ...]) -> None:
    for text in ('go to the kitchen now', 'after that go to the hall', 'bring me a banana first'):
        assert understand(text, capabilities=offer).kind is ActKind.DELEGATE, text


def test_whether_asks_as_if_does(offer: tuple[Capability, ...]) -> None:
    for word in ('if', 'whether'):
        act = understand(f'go to the kitchen and see {word} my keys are there', capabilities=offer)
        assert [step.capability for step in act.steps] == ['navigation', 'search'], word


def test_a_correction_keeps_the_rest_of_the_request(offer: tuple[Capability, ...]) -> None:
    act = understand('no, the bedroom', capabilities=offer, context=talk_after(offer, LOOK))
    assert act.kind is ActKind.CORRECT
    assert [step.capability for step in act.steps] == ['navigation', 'search']
    assert [step.arguments['place'] for step in act.steps] == ['bedroom', 'bedroom']


@pytest.mark.parametrize(
    ('text', 'kind'),
    [
        ('uh huh', ActKind.BACKCHANNEL),
        ('okay', ActKind.BACKCHANNEL),
        ('what are you doing', ActKind.ASK_WORKS),
        ('the red cup', ActKind.BACKCHANNEL),
        ("don't bring it", ActKind.CANCEL),
        ('actually, never mind', ActKind.CANCEL),
        ('wait', ActKind.FRAGMENT),
        ('and the keys too', ActKind.DELEGATE),
        ('bring it to the bedroom', ActKind.DELEGATE),
        ('no, the green one', ActKind.CANNOT),
    ],
)
def test_what_is_no_correction(text: str, kind: ActKind, offer: tuple[Capability, ...]) -> None:
    act = understand(text, capabilities=offer, context=talk_after(offer, RED_CUP))
    assert act.kind is kind, act


def test_nothing_is_corrected_when_nothing_was_asked(offer: tuple[Capability, ...]) -> None:
    assert understand('no, the blue one', capabilities=offer).kind is not ActKind.CORRECT


@pytest.mark.parametrize(
    ('first', 'question', 'answer', 'wanted'),
    [
        ('bring me the cup', 'The red cup or the blue cup?', 'the red one', 'red_cup'),
        ('bring me the cup', 'The red cup or the blue cup?', 'blue', 'blue_cup'),
        ('bring it to me', 'Which object do you mean?', 'the banana', 'banana'),
        ('the banana', 'Shall I bring you the banana?', 'yes please', 'banana'),
    ],
)
def test_a_question_back_is_answered(
    first: str, question: str, answer: str, wanted: str, offer: tuple[Capability, ...]
) -> None:
    asked = understand(first, capabilities=offer)
    assert (asked.kind, asked.question) == (ActKind.CLARIFY, question)
    act = understand(answer, capabilities=offer, context=Talk().after(asked))
    assert act.kind is ActKind.DELEGATE, act
    assert [step.arguments['object'] for step in act.steps] == [wanted]


def test_pronouns_mean_what_was_named_last(offer: tuple[Capability, ...]) -> None:
    talk = talk_after(offer, 'find my keys in the bedroom')
    act = understand('bring them to me', capabilities=offer, context=talk)
    assert steps(act) == [{'action': 'bring', 'object': 'keys'}]
    assert act.task == 'bring the keys to me'
    act = understand('go there', capabilities=offer, context=talk)
    assert steps(act) == [{'place': 'bedroom'}]


@pytest.mark.parametrize('text', ['yes', 'yes please', 'okay'])
def test_agreement_answers_only_a_question(text: str, offer: tuple[Capability, ...]) -> None:
    asked = understand(text, capabilities=offer, context=Talk(asked=True))
    assert (asked.kind, asked.topic) == (ActKind.ANSWER, 'yes')
    if text != 'yes please':
        assert understand(text, capabilities=offer).kind is ActKind.BACKCHANNEL


@pytest.mark.parametrize('text', ['', ' ', '...', '?!', '你好', '\x00', 'a' * 5000, '1 2 3 4'])
def test_odd_texts_start_nothing(text: str, offer: tuple[Capability, ...]) -> None:
    assert understand(text, capabilities=offer).steps == ()


def test_without_capabilities_it_still_talks() -> None:
    assert understand('hello', capabilities=()).kind is ActKind.GREET
    assert understand('go to the kitchen', capabilities=()).steps == ()


def test_the_robot_is_told_from_other_people(offer: tuple[Capability, ...]) -> None:
    for text in ('Venus, go to the hall', 'Venice, go to the hall.', 'Go to the hall, Venus.'):
        assert understand(text, capabilities=offer).kind is ActKind.DELEGATE, text
    for text in ('Anna, go to the hall.', 'Go to the hall, Anna.', 'Hey Siri, go to the hall'):
        assert understand(text, capabilities=offer).kind is ActKind.OTHER, text
    named = understand('Robbie, go to the hall', capabilities=offer, robot_name='Robbie')
    assert named.kind is ActKind.DELEGATE


def test_readers_are_kept_whatever_is_available(offer: tuple[Capability, ...]) -> None:
    absent = load().offer({'navigate_to_pose': 'not there'})
    assert reader(absent) is reader(offer)


@pytest.mark.parametrize(
    ('text', 'kind'),
    [
        ('can so that', ActKind.CANCEL),  # how recognisers write 'cancel that'
        ('never mine', ActKind.CANCEL),
        ('stock talking', ActKind.STOP_TALKING),
        ('Can still be that.', ActKind.UNKNOWN),
        ('I like that.', ActKind.OTHER),
        ('And you see the red hush.', ActKind.UNKNOWN),
    ],
)
def test_misheard_words_start_no_work(
    text: str, kind: ActKind, offer: tuple[Capability, ...]
) -> None:
    act = understand(text, capabilities=offer, context=talk_after(offer, RED_CUP))
    assert act.kind is kind, act


def test_a_correction_that_names_nothing_is_asked_for_again(
    offer: tuple[Capability, ...],
) -> None:
    talk = talk_after(offer, 'go to the kitchen')
    asked = understand('sorry, I meant the vall', capabilities=offer, context=talk)
    assert asked.kind is ActKind.CLARIFY
    act = understand('the hall', capabilities=offer, context=talk.after(asked))
    assert (act.kind, steps(act)) == (ActKind.CORRECT, [{'place': 'hall'}])


@pytest.mark.parametrize(
    ('text', 'promise'),
    [
        ('go to the kitchen', 'go to the kitchen'),
        (LOOK, 'go to the kitchen and tell you what is on the table'),
        ('check if my keys are on the desk', 'tell you whether your keys are on the desk'),
        ('bring me the red cup', 'bring you the red cup'),
        ('find my keys in the hall', 'look for the keys in the hall'),
    ],
)
def test_promises(text: str, promise: str, offer: tuple[Capability, ...]) -> None:
    assert understand(text, capabilities=offer).promise == promise


@pytest.mark.parametrize(
    ('text', 'for_us'),
    [
        ("Look, Ruth, it's raining.", False),
        ('Come on, Oliver, take the bag.', False),
        ('Can you bring me the cup? Martha.', False),
        ('Wait, Venus, go to the kitchen.', True),
        ('No, Kitchen, please.', True),
        ('Could you bring me the book? Thanks.', True),
    ],
)
def test_a_name_between_commas_tells_who_is_meant(
    text: str, for_us: bool, offer: tuple[Capability, ...]
) -> None:
    act = understand(text, capabilities=offer)
    assert (act.topic == 'addressed') is not for_us, act
