# SPDX-License-Identifier: Apache-2.0
"""Skill files: the shipped one, a user's, and what is said about wrong ones."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from venus_ros.core.errors import Code, ConfigError, VenusError
from venus_ros.harness.planner.base import Plan
from venus_ros.harness.planner.embedded import EmbeddedPlanner
from venus_ros.harness.skills import (
    Skills,
    cause_code,
    check_arguments,
    failure,
    fill_goal,
    load,
    moves,
    progress,
    promise,
    summary,
)

TURN = """\
skills:
  turn:
    capability: motion
    server: spin
    type: nav2_msgs/action/Spin
    description: Turns on the spot.
    effect: move
    arguments:
      angle: {type: number, unit: degrees, minimum: -360, maximum: 360, ask: 'How far?'}
    required: [angle]
    say: turn by {angle} degrees
    goal: {target_yaw: '{angle}'}
    examples: [turn by ninety degrees, spin around by 180 degrees, rotate 45 degrees]
"""


@pytest.fixture(scope='module')
def skills() -> Skills:
    return load()


def write(folder: Path, text: str) -> Path:
    file = folder / 'mine.yaml'
    file.write_text(text, encoding='utf-8')
    return file


def test_the_shipped_capabilities(skills: Skills) -> None:
    assert skills.capabilities() == ('navigation', 'manipulation', 'search')
    assert moves(skills) == ('navigate_to_pose', 'pick_place', 'look')
    for capability in skills.offer():
        assert len(capability.examples) >= 20
        assert capability.description and capability.description_zh and capability.examples_zh


def test_a_pose_from_a_place(skills: Skills, tmp_path: Path) -> None:
    places = write(tmp_path, 'frame_id: house\nplaces: {shed: {x: 1, y: -2.5, yaw: 3.0}}')
    mine = load(places=places).get('navigation')
    pose = fill_goal(mine, check_arguments(mine, {'place': 'shed'}))['pose']
    assert pose['header'] == {'frame_id': 'house'}
    assert pose['pose']['position'] == {'x': 1.0, 'y': -2.5, 'z': 0.0}
    turned = pose['pose']['orientation']
    assert 2 * math.atan2(turned['z'], turned['w']) == pytest.approx(3.0)


def test_what_was_not_said_stays_the_default(skills: Skills) -> None:
    bring = skills.get('manipulation')
    goal = fill_goal(bring, check_arguments(bring, {'object': 'red_cup'}))
    assert goal == {'action': 'bring', 'object': 'red_cup'}


@pytest.mark.parametrize(
    ('arguments', 'code', 'message'),
    [
        ({}, Code.MISSING_ARGUMENT, 'Where shall I go?'),
        ({'place': ''}, Code.MISSING_ARGUMENT, 'Where shall I go?'),
        ({'place': 'garage'}, Code.INVALID_ARGUMENT, "I don't know a place called garage."),
        ({'place': 3}, Code.INVALID_ARGUMENT, ''),
        ({'place': 'hall', 'speed': 9}, Code.INVALID_ARGUMENT, 'speed'),
    ],
)
def test_wrong_arguments(
    skills: Skills, arguments: dict[str, object], code: Code, message: str
) -> None:
    with pytest.raises(VenusError) as caught:
        check_arguments(skills.get('navigation'), arguments)
    assert caught.value.code is code
    assert message in caught.value.message


@pytest.mark.parametrize('angle', [math.nan, math.inf, -math.inf, 361, -1000.0, '90', True, [1]])
def test_numbers_are_bounded(tmp_path: Path, angle: object) -> None:
    turn = load(write(tmp_path, TURN)).get('motion')
    with pytest.raises(VenusError) as caught:
        check_arguments(turn, {'angle': angle})
    assert caught.value.code is Code.INVALID_ARGUMENT
    assert fill_goal(turn, check_arguments(turn, {'angle': -90.5})) == {'target_yaw': -90.5}


def test_a_users_skill_is_understood_and_planned(tmp_path: Path) -> None:
    skills = load(write(tmp_path, TURN))
    planner = EmbeddedPlanner(skills)
    for task, angle in [
        ('please rotate by thirty degrees', 30),
        ('turn 90 degrees', 90),
        ('could you spin around by one hundred and eighty degrees', 180),
    ]:
        plan = planner.plan(task)
        assert isinstance(plan, Plan), (task, plan)
        assert [(s.skill, dict(s.arguments)) for s in plan.steps] == [('turn', {'angle': angle})]
    plan = planner.plan('go to the kitchen')
    assert isinstance(plan, Plan) and plan.steps[0].skill == 'go_to'
    assert 'spin' in moves(skills)


HOME = """\
tables:
  light: {ceiling_light: {words: [main light]}, night_lamp: {words: [bedside lamp]}}
skills:
  light:
    capability: home
    server: set_light
    type: home_msgs/action/SetLight
    description: Switches a light.
    effect: read
    arguments:
      light: {type: string, table: light, ask: 'Which light?'}
      state:
        type: string
        enum: ['on', 'off']
        words: {'on': [turn on, turn * on], 'off': [turn off, turn * off]}
    required: [light, state]
    goal: {name: '{light}', state: '{state}'}
    examples: [turn on the main light, turn the bedside lamp off]
  announce:
    capability: speech
    server: announce
    type: home_msgs/action/Announce
    description: Says something in all rooms.
    effect: speak
    arguments: {text: {type: string, free: rest, ask: 'What shall I announce?'}}
    required: [text]
    goal: {text: '{text}'}
    examples: ['announce {text}', 'announce that {text}', 'say {text} to everybody']
  dock:
    capability: charging
    server: dock_robot
    type: nav2_msgs/action/DockRobot
    description: Drives to the charger.
    effect: move
    goal: {}
    examples: [go and charge, dock yourself, recharge your battery]
"""


@pytest.mark.parametrize(
    ('task', 'wanted'),
    [
        ('could you turn the main light on', ('light', {'light': 'ceiling_light', 'state': 'on'})),
        ('turn off the bedside lamp please', ('light', {'light': 'night_lamp', 'state': 'off'})),
        ('announce that dinner is ready', ('announce', {'text': 'dinner is ready'})),
        ('please say hello to everybody', ('announce', {'text': 'hello'})),
        ('recharge please', ('dock', {})),
        ('bring me the ball', ('pick_place', {'action': 'bring', 'object': 'ball'})),
    ],
)
def test_skills_of_other_shapes(
    tmp_path: Path, task: str, wanted: tuple[str, dict[str, str]]
) -> None:
    plan = EmbeddedPlanner(load(write(tmp_path, HOME))).plan(task)
    assert isinstance(plan, Plan), plan
    assert [(s.skill, dict(s.arguments)) for s in plan.steps] == [wanted]


def test_a_users_file_overrides_rows_and_skills(tmp_path: Path) -> None:
    mine = load(
        write(tmp_path, 'tables: {object: {red_cup: {words: [chalice]}, tin: {}}}\nskills: {}')
    ).get('manipulation')
    schema = mine.arguments['properties']['object']
    assert 'tin' in schema['enum'] and 'banana' in schema['enum']
    assert schema['x-words']['red_cup'] == ['red cup', 'chalice']


def changed(old: str, new: str) -> str:
    assert old in TURN
    return TURN.replace(old, new)


@pytest.mark.parametrize(
    ('text', 'line', 'said'),
    [
        (changed('    effect: move\n', '    efect: move\n'), 7, 'efect'),
        (changed('    effect: move\n', '    effect: jump\n'), 7, 'effect: must be one of read'),
        (changed("'{angle}'", "'{angel}'"), 12, '{angel} is not an argument'),
        (changed('turn by {angle}', 'turn by {angle|miles}'), 11, "no style 'miles'"),
        (changed(', minimum: -360', ''), 9, 'needs `minimum` and `maximum`'),
        (changed('[angle]', '[angel]'), 10, "'angel' is not an argument"),
        (changed('minimum: -360', 'minimum: .nan'), 9, 'must be a number'),
        (changed('minimum: -360', 'minimum: 400'), 9, 'not above `maximum`'),
        (changed('minimum: -360', 'table: angles'), 9, "no table 'angles'"),
        (changed('    server: spin\n', ''), 2, 'skills.turn.server: is missing'),
        (changed('nav2_msgs/action/Spin', 'Spin'), 5, 'type: must be the type of an action'),
        (changed('server: spin', 'server: Spin now'), 4, "must be the name of the robot's action"),
        (changed('server: spin', 'server: navigate_to_pose'), 5, 'for the skill go_to'),
        (changed('  turn:', '  1:'), 2, 'skills[1]: must be a name of letters'),
        (changed('angle:', 'on:'), 9, 'a key must be a word, not on; put it in quotes'),
        (changed('type: number', 'type: number, default: 999'), 9, 'default: is no value of it'),
        (changed('type: number', 'type: number, words: {5: [five]}'), 9, 'words[5]: is no value'),
        (
            changed('say: turn by', 'resource: Base\n    say: turn by'),
            11,
            'resource: must be a name',
        ),
        (
            TURN + '    result: {reasons: {x: bad}}\n',
            14,
            "reasons.x: must be one of the robot's codes",
        ),
        (TURN + '    result: {say: [{when: {}}]}\n', 14, 'result.say[0]'),
        (TURN + '    limits: {total_s: 0}\n', 14, 'limits.total_s: must be above 0'),
        (TURN + '  turn: {}\n', 14, 'turn: is given twice, first in line 2'),
        ('skills: {a: [}', 1, 'is no YAML'),
        ('skills:\n\t- x', 2, 'is no YAML'),
        ('- a', 1, 'must be a table, not a list'),
        ('', 1, 'is empty'),
        ('skills:', 1, 'skills: must be a table, not nothing'),
        ('skills: {}\ntables: {place: {hut: {words: hut}}}', 2, 'tables.place'),
        ('skills: {}\ntables: {light: {1: {}}}', 2, 'tables.light'),
        ('skills: {}\ntables: {place: {file: none.yaml}}', 2, 'tables.place.file: no such file'),
    ],
)
def test_wrong_files_name_file_line_and_key(
    tmp_path: Path, text: str, line: int, said: str
) -> None:
    file = write(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        load(file)
    assert caught.value.where.startswith(f'{file}:{line}'), str(caught.value)
    assert said in str(caught.value)


def test_absent_and_binary_files(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match='cannot be read'):
        load(tmp_path / 'none.yaml')
    (tmp_path / 'b.yaml').write_bytes(b'skills: \xff\xfe')
    with pytest.raises(ConfigError, match='not UTF-8'):
        load(tmp_path / 'b.yaml')


@pytest.mark.parametrize('pose', ['{x: .nan, y: 0}', '{x: 1, y: [2]}', '{x: east, y: 0}'])
def test_wrong_places(tmp_path: Path, pose: str) -> None:
    file = write(tmp_path, f'places:\n  hut: {pose}\n')
    with pytest.raises(ConfigError) as caught:
        load(places=file)
    assert f'{file}:2' in caught.value.where


# ---- words ----


def test_progress_of_a_drive(skills: Skills) -> None:
    first = {'distance_remaining': 8.0}
    share, words = progress(skills.get('navigation'), {'distance_remaining': 2.0}, first)
    assert share == pytest.approx(0.75)
    assert words == 'I am on the way, 2 metres to go.'
    share, _ = progress(skills.get('navigation'), {'distance_remaining': 9.0}, first)
    assert share == 0.0
    assert math.isnan(progress(skills.get('navigation'), {})[0])


def test_results_in_words(skills: Skills) -> None:
    go, bring = skills.get('navigation'), skills.get('manipulation')
    assert summary(go, {'place': 'living_room'}, {})[0] == 'I am in the living room now.'
    keys = {'action': 'bring', 'object': 'keys'}
    assert summary(bring, keys, {})[0] == 'I brought you the keys.'
    put = {'action': 'place', 'object': 'book', 'to': 'kitchen_table'}
    assert 'kitchen table' in summary(bring, put, {})[0]
    assert promise(bring, {'action': 'bring', 'object': 'red_cup'}) == 'bring you the red cup'


def test_failures_tell_the_robots_reason(skills: Skills) -> None:
    go = skills.get('navigation')
    result = {'error_code': 9104, 'error_msg': 'The door is blocked.'}
    assert failure(go, {'place': 'hall'}, result) == (
        'I could not get to the hall: the door is blocked.'
    )
    assert cause_code(go, result) == 9104
    assert failure(go, {'place': 'hall'}, {}) == 'I could not get to the hall.'
    assert failure(go, {'place': 'hall'}, {}, 'It took too long.') == (
        'I could not get to the hall: it took too long.'
    )


SEEN = {
    'objects': ['red_cup', 'blue_cup', 'banana', 'ball'],
    'surfaces': ['kitchen_table', 'kitchen_table', 'kitchen_table', ''],
}


@pytest.mark.parametrize(
    ('arguments', 'wanted'),
    [
        (
            {'question': 'what is on the table', 'place': 'kitchen'},
            'I see a red cup, a blue cup and a banana on the kitchen table.',
        ),
        (
            {'question': 'what do you see', 'place': 'kitchen'},
            'I see a red cup, a blue cup and a banana on the kitchen table, and a ball on the '
            'floor.',
        ),
        (
            {'question': 'is there a banana', 'place': 'kitchen'},
            'Yes, I see a banana on the kitchen table.',
        ),
        (
            {'question': 'are there any books', 'place': 'kitchen'},
            "No, I don't see a book in the kitchen.",
        ),
        (
            {'question': 'how many cups are on the table', 'place': 'kitchen'},
            'I see 2 cups: a red cup and a blue cup on the kitchen table.',
        ),
        ({'object': 'banana'}, 'I see the banana on the kitchen table.'),
        ({'object': 'keys', 'place': 'kitchen'}, "I don't see the keys in the kitchen."),
    ],
)
def test_what_was_seen_answers_the_question(
    skills: Skills, arguments: dict[str, str], wanted: str
) -> None:
    text, data = summary(skills.get('search'), arguments, SEEN)
    assert text == wanted
    assert len(data['objects']) == 4


def test_what_was_not_seen_is_not_claimed(skills: Skills) -> None:
    look = skills.get('search')
    text, _ = summary(look, {'question': 'is there a dog', 'place': 'kitchen'}, SEEN)
    assert text.startswith("I can't tell.")
    for question in ('what is in the fridge', 'is anybody there'):
        text, _ = summary(look, {'question': question, 'place': 'kitchen'}, SEEN)
        assert not text.startswith(('Yes', 'No,')) and 'fridge' not in text, text
    text, _ = summary(look, {'question': 'what is there', 'place': 'hall'}, {'objects': []})
    assert text == "I don't see anything that I know in the hall."
