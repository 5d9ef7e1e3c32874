# SPDX-License-Identifier: Apache-2.0
"""The simulated house: what is in it, counted time, what is seen, what may be done to it."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip('mujoco', reason='needs MuJoCo')

from venus_ros.core.errors import ConfigError, InputError
from venus_ros.sim.places import load_places
from venus_ros.sim.sight import surface_in_view, things_in_view
from venus_ros.sim.world import DOORS, THINGS, SimWorld


@pytest.fixture
def house() -> SimWorld:
    return SimWorld()


def seen(world: SimWorld) -> dict[str, str]:
    return {entry.thing: entry.on for entry in things_in_view(world)}


def test_every_thing_lies_on_furniture_of_a_named_place(house: SimWorld) -> None:
    places = load_places()
    assert set(places.by_name) == {'kitchen', 'living_room', 'bedroom', 'hall'}
    for thing in THINGS:
        low, high = house.extent(thing)
        on = house.support(thing)
        assert places.at(*((low + high) / 2)[:2]), f'{thing} lies outside of every room'
        assert on in (*house.surfaces(), 'floor'), f'{thing} lies on {on!r}'
    assert house.support('ball') == 'floor'
    assert house.support('red_cup') == 'kitchen_table'


@pytest.mark.parametrize('seed', [1, 7, 2**31 - 1])
def test_scattered_things_stay_where_they_belong(seed: int) -> None:
    nominal, scattered = SimWorld(), SimWorld(seed)
    moved = {t for t in THINGS if not np.allclose(nominal.extent(t), scattered.extent(t))}
    assert moved == set(THINGS)
    assert {t: scattered.support(t) for t in THINGS} == {t: nominal.support(t) for t in THINGS}


def test_time_is_counted_however_it_is_cut() -> None:
    coarse, fine = SimWorld(), SimWorld()
    for world, cuts in ((coarse, 1), (fine, 40)):
        world.drive(0.4, 0.3)
        for cut in range(1, cuts + 1):
            world.step_to(2.0 * cut / cuts)
    assert coarse.pose() == fine.pose()
    assert np.array_equal(coarse.data.qpos, fine.data.qpos)


def test_an_idle_house_takes_no_physics(house: SimWorld) -> None:
    house.step_to(5.0)  # what the start stirred up has come to rest
    before = house.data.time
    house.step_to(3600.0)
    assert not house.moving
    assert house.data.time == before
    assert house.now_s == pytest.approx(3600.0)


def test_wheels_move_the_base_as_told(house: SimWorld) -> None:
    start = house.pose()
    house.drive(0.4, 0.0)
    house.step_to(2.0)
    pose = house.pose()
    assert np.hypot(pose.x - start.x, pose.y - start.y) == pytest.approx(0.8, abs=0.05)
    assert house.velocity()[0] == pytest.approx(0.4, abs=0.02)
    house.drive(0.0, 0.8)
    house.step_to(3.0)
    assert house.velocity()[1] == pytest.approx(0.8, abs=0.05)


@pytest.mark.parametrize('door', list(DOORS))
def test_doors_swing_shut_and_open(house: SimWorld, door: str) -> None:
    house.set_door(door, False)
    house.step_to(4.0)
    assert house.at(door) == pytest.approx(0.0, abs=0.05)
    house.set_door(door, True)
    house.step_to(8.0)
    assert house.at(door) == pytest.approx(DOORS[door], abs=0.1)


def test_what_is_not_there_is_an_error_that_names_what_is(house: SimWorld) -> None:
    with pytest.raises(InputError, match='kitchen_door'):
        house.set_door('garage_door', False)
    with pytest.raises(InputError, match='sofa'):
        house.put('sofa', 0, 0)


def test_seen_is_what_stands_in_view_and_nothing_else(house: SimWorld) -> None:
    assert seen(house) == {'remote': 'coffee_table'}, 'from the living room, facing the sofa'
    assert surface_in_view(house, 'sofa') is not None
    assert surface_in_view(house, 'kitchen_table') is None, 'it is behind two walls'
    house.put('ball', -3.8, 0.9)
    assert seen(house).get('ball') == 'floor', 'in front of the robot'
    house.put('ball', -1.5, 0.4)
    assert 'ball' not in seen(house), 'behind the robot'
    house.put('ball', 2.5, 0.4)
    assert 'ball' not in seen(house), 'in another room'


def test_a_thing_behind_another_is_hidden(house: SimWorld) -> None:
    house.put('ball', -4.6, 0.9)
    assert 'ball' in seen(house)
    house.put('box', -3.7, 0.75)
    assert 'ball' in seen(house), 'the camera looks over a box that stands far from the ball'
    house.put('box', -4.05, 0.85)
    assert 'ball' not in seen(house), 'the box stands close before it'


def test_support_is_felt_not_known(house: SimWorld) -> None:
    low, high = house.extent('kitchen_counter')
    house.put('banana', *(((low + high) / 2)[:2] + (-0.4, 0)), 0.93)
    house.step_to(2.0)
    assert house.support('banana') == 'kitchen_counter'
    plate = house.extent('plate')
    house.put('keys', *((plate[0] + plate[1]) / 2)[:2], plate[1][2] + 0.01)
    house.step_to(4.0)
    assert house.support('keys') == 'plate'


def test_a_broken_house_says_which_file(tmp_path: object) -> None:
    broken = tmp_path / 'house.xml'  # type: ignore[operator]
    broken.write_text('<mujoco><worldbody><geom size="x"/></worldbody></mujoco>')
    with pytest.raises(ConfigError, match='house.xml'):
        SimWorld(model_path=broken)


@pytest.mark.parametrize(
    ('text', 'where'),
    [
        ('places: {}', 'places'),
        ('places: {den: {x: 1, y: 2}}\nperson: {}', r'places\.den'),
        ('places: {den: {x: 1, y: .nan, yaw: 0, room: [0, 0, 1, 1], surface: bed}}', r'den\.y'),
        ('places: {den: {x: 1, y: 0, yaw: 0, room: [0, 0], surface: bed}}', r'den\.room'),
        ('places: [', 'places.yaml'),
    ],
)
def test_wrong_places_are_named(tmp_path: object, text: str, where: str) -> None:
    file = tmp_path / 'places.yaml'  # type: ignore[operator]
    file.write_text(text)
    with pytest.raises(ConfigError, match=where):
        load_places(file)
