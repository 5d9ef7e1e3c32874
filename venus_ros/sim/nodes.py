# SPDX-License-Identifier: Apache-2.0
"""The simulated robot on the graph: its actions, camera, odometry and joints."""

from __future__ import annotations

import array
import math
from collections.abc import Iterator
from typing import Any

from geometry_msgs.msg import Quaternion
from nav_msgs.msg import Odometry
from sensor_msgs.msg import CameraInfo, Image, JointState

from venus_ros.core.errors import InputError
from venus_ros.nodes import qos
from venus_ros.nodes.convert import to_time
from venus_ros.nodes.handover import Handover
from venus_ros.nodes.lifecycle import TICK_S, Health, Level, Param, VenusNode
from venus_ros.nodes.process import run
from venus_ros.nodes.robot_servers import RobotServers
from venus_ros.sim.camera import CameraWorker
from venus_ros.sim.drive import Limits
from venus_ros.sim.picture import Picture
from venus_ros.sim.places import load_places
from venus_ros.sim.robot import SimRobot
from venus_ros.sim.sight import HEIGHT_PX, WIDTH_PX, focal_px
from venus_ros.sim.world import DOORS, SimWorld

OPTICAL_FRAME = 'camera_optical_frame'
SENSOR_PERIOD_S = 0.1
FAULT_PERIOD_S = 0.2
LONGEST_STEP_S = 0.5


class SimNode(VenusNode):
    """The house and its robot; physics follows the steady clock."""

    PARAMS = (
        Param(
            'seed', 0, 'Scatters the things by a few centimetres; 0 = not at all.', 0, 2**31 - 1
        ),
        Param('places_file', '', 'Named places; empty = the shipped config/places.yaml.'),
        Param('model_file', '', 'House as MJCF; empty = the shipped models/sim/house.xml.'),
        Param('speed', 0.5, 'Top speed of the base, m/s.', 0.05, 1.5),
        Param('camera_hz', 2.0, 'Pictures per second while somebody looks; 0 = none.', 0.0, 10.0),
        Param('without', [''], 'Actions that another node serves.'),
        Param('closed_doors', '', f'Doors to close, by commas: {", ".join(DOORS)}.', live=True),
        Param(
            'box_at',
            '',
            'Where a big box stands in the way: "x, y" in m; empty = nowhere.',
            live=True,
        ),
    )

    def __init__(self, **node_options: Any) -> None:
        super().__init__('sim', **node_options)
        self._robot: SimRobot | None = None
        self._servers: RobotServers | None = None
        self._camera: CameraWorker | None = None
        self._pictures = 0
        self._obstacles = ('', '')

    # ---- life cycle --------------------------------------------------------------------------

    def setup(self) -> None:
        world = SimWorld(self.param('seed'), self.param('model_file'))
        robot = SimRobot(
            world,
            load_places(self.param('places_file')),
            Limits(speed=self.param('speed')),
            self.param('without'),
            longest_step_s=LONGEST_STEP_S,
        )
        self._robot = self.engine = robot
        self._obstacles = ('', '')
        self._servers = RobotServers(self, robot.servers)
        self._odometry = self.publisher(Odometry, 'odom', qos.POSE)
        self._joints = self.publisher(JointState, 'joint_states', qos.POSE)
        self._image = self.publisher(Image, 'image', qos.IMAGE)
        self._camera_info = self.publisher(CameraInfo, 'camera_info', qos.IMAGE)
        self.every(TICK_S, self.tick)
        self.every(SENSOR_PERIOD_S, self._publish_sensors)
        self.every(FAULT_PERIOD_S, self._apply_obstacles)

    def start(self) -> None:
        rate_hz = self.param('camera_hz')
        if rate_hz > 0 and self._robot:
            handover = Handover(self, self._publish_picture)
            self.own(handover.close)
            self._camera = CameraWorker(self._robot.world, lambda *made: handover.put(made))
            self.every(1 / rate_hz, self._take_picture)

    def stop(self) -> None:
        self.leave()
        camera, self._camera = self._camera, None
        if camera:
            camera.close()

    def teardown(self) -> None:
        self._robot = self._servers = None

    def leave(self) -> None:
        if self._servers:
            self._servers.cancel_all()

    def at_rest(self) -> bool:
        return self._robot is None or not self._robot.busy

    def diagnose(self) -> Iterator[Health]:
        if self._robot is None or self._servers is None:
            return
        x, y, yaw = self._robot.pose().x, self._robot.pose().y, self._robot.pose().yaw
        values = {
            'open goals': self._servers.open_goals,
            'x': x,
            'y': y,
            'yaw': yaw,
            'serves': ', '.join(self._servers.served),
        }
        yield Health('robot', Level.OK, 'busy' if self._robot.busy else 'idle', values)
        for server, reason in self._servers.missing.items():
            yield Health(f'server {server}', Level.ERROR, reason)
        if self._camera and self._camera.fault:
            yield Health('camera', Level.WARN, f'no pictures: {self._camera.fault}')
        elif self._camera:
            yield Health('camera', Level.OK, 'running', {'pictures': self._pictures})

    # ---- what is in the way ------------------------------------------------------------------

    def _apply_obstacles(self) -> None:
        wanted = self.param('closed_doors'), self.param('box_at')
        if self._robot is None or wanted == self._obstacles:
            return
        self._obstacles = wanted
        world = self._robot.world
        closed = {name.strip() for name in wanted[0].split(',') if name.strip()}
        for door in DOORS:
            world.set_door(door, door not in closed)
        place = _point(wanted[1])
        if place:
            world.put('box', *place)
        if unknown := closed - set(DOORS):
            raise InputError(f'no such door; there are {", ".join(DOORS)}', ', '.join(unknown))

    # ---- sensors -----------------------------------------------------------------------------

    def _publish_sensors(self) -> None:
        if not (self._robot and self.active):
            return
        world, stamp = self._robot.world, to_time(self.stamp())
        pose, (ahead, turn) = world.pose(), world.velocity()
        odometry = Odometry(child_frame_id='base_link')
        odometry.header.frame_id = 'odom'
        odometry.header.stamp = stamp
        odometry.pose.pose.position.x = pose.x
        odometry.pose.pose.position.y = pose.y
        odometry.pose.pose.orientation = Quaternion(
            z=math.sin(pose.yaw / 2), w=math.cos(pose.yaw / 2)
        )
        odometry.twist.twist.linear.x = ahead
        odometry.twist.twist.angular.z = turn
        self._odometry.publish(odometry)
        joints = world.joints()
        state = JointState(name=list(joints))
        state.header.stamp = stamp
        state.position = [position for position, _ in joints.values()]
        state.velocity = [velocity for _, velocity in joints.values()]
        self._joints.publish(state)

    def _take_picture(self) -> None:
        """Ask for a picture if anybody wants one."""
        if self._camera and self.active and self._image.get_subscription_count():
            self._camera.request(self.stamp())

    def _publish_picture(self, made: tuple[Picture, int]) -> None:
        pixels, stamp_ns = made
        if not (self.active and self._robot):
            return
        image = Image(height=HEIGHT_PX, width=WIDTH_PX, encoding='rgb8', step=3 * WIDTH_PX)
        image.header.frame_id = OPTICAL_FRAME
        image.header.stamp = to_time(stamp_ns)
        image.data = array.array('B', pixels.tobytes())
        self._image.publish(image)
        focal = focal_px(self._robot.world)
        cx, cy = WIDTH_PX / 2, HEIGHT_PX / 2
        info = CameraInfo(
            header=image.header,
            height=HEIGHT_PX,
            width=WIDTH_PX,
            distortion_model='plumb_bob',
            d=[0.0] * 5,
        )
        info.k = [focal, 0.0, cx, 0.0, focal, cy, 0.0, 0.0, 1.0]
        info.r = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
        info.p = [focal, 0.0, cx, 0.0, 0.0, focal, cy, 0.0, 0.0, 0.0, 1.0, 0.0]
        self._camera_info.publish(info)
        self._pictures += 1


def _point(text: str) -> tuple[float, float] | None:
    """The two numbers of "x, y"; none for an empty text. Raises InputError."""
    if not text.strip():
        return None
    try:
        x, y = (float(part) for part in text.split(','))
    except ValueError as error:
        raise InputError('give two numbers: "x, y"', f'box_at: {text}') from error
    return x, y


def main() -> None:
    """Run the node until a signal."""
    run(SimNode)


if __name__ == '__main__':
    main()
