# SPDX-License-Identifier: Apache-2.0
"""JSON Schema of a skill file (`capabilities.yaml` and what users add to it)."""

from __future__ import annotations

from typing import Any

_NAME = {
    'type': 'string',
    'pattern': '^[a-z][a-z0-9_]*$',
    'description': 'a name of small letters, digits and _',
}
_KEY = {
    'type': 'string',
    'pattern': '^[A-Za-z_][A-Za-z0-9_]*$',
    'description': 'a name of letters, digits and _',
}
_TEXT = {'type': 'string', 'minLength': 1}
_WORDS = {'type': 'array', 'items': _TEXT}
_SECONDS = {'type': 'number', 'exclusiveMinimum': 0, 'maximum': 86400}

_CASES = {
    'type': 'array',
    'items': {
        'type': 'object',
        'additionalProperties': False,
        'properties': {
            'when': {'type': 'object', 'propertyNames': _TEXT},
            'say': {'type': 'string', 'maxLength': 500},
            'report': {'enum': ['sightings']},
        },
        'anyOf': [{'required': ['say']}, {'required': ['report']}],
        'description': 'a table with `say`, and `when` it holds',
    },
}

_TABLE = {
    'type': 'object',
    'propertyNames': _TEXT,
    'additionalProperties': {
        'type': ['object', 'null'],
        'propertyNames': _TEXT,
        'properties': {'words': _WORDS, 'spoken': {'type': 'string'}},
    },
}

_ARGUMENT = {
    'type': 'object',
    'required': ['type'],
    'additionalProperties': False,
    'properties': {
        'type': {'enum': ['string', 'number', 'integer', 'boolean', 'array', 'object']},
        'description': {'type': 'string'},
        'table': {
            'anyOf': [_NAME, {'type': 'array', 'items': _NAME, 'minItems': 1}],
            'description': 'the name of a table, or a list of names',
        },
        'enum': {'type': 'array', 'minItems': 1},
        'words': {'type': 'object', 'additionalProperties': _WORDS},
        'role': _NAME,
        'ask': {'type': 'string'},
        'unit': {'type': 'string'},
        'free': {'enum': ['question', 'rest']},
        'default': {},
        'minimum': {'type': 'number'},
        'maximum': {'type': 'number'},
        'minLength': {'type': 'integer', 'minimum': 0},
        'maxLength': {'type': 'integer', 'minimum': 0},
        'minItems': {'type': 'integer', 'minimum': 0},
        'maxItems': {'type': 'integer', 'minimum': 0},
        'items': {'type': 'object'},
        'properties': {'type': 'object'},
    },
}

_SKILL = {
    'type': 'object',
    'required': ['capability', 'server', 'type', 'description', 'effect', 'goal'],
    'additionalProperties': False,
    'properties': {
        'capability': _NAME,
        'server': {
            'type': 'string',
            'pattern': '^(/?[A-Za-z_][A-Za-z0-9_]*)(/[A-Za-z_][A-Za-z0-9_]*)*$',
            'description': "the name of the robot's action, such as navigate_to_pose",
        },
        'type': {
            'type': 'string',
            'pattern': '^[a-z][a-z0-9_]*/action/[A-Z][A-Za-z0-9]*$',
            'description': 'the type of an action, such as nav2_msgs/action/NavigateToPose',
        },
        'description': {'type': 'string', 'minLength': 1},
        'description_zh': {'type': 'string'},
        'examples': _WORDS,
        'examples_zh': _WORDS,
        'effect': {'enum': ['read', 'speak', 'move']},
        'resource': {
            'anyOf': [_NAME, {'const': ''}],
            'description': 'a name of small letters, digits and _',
        },
        'confirmation': {'enum': ['never', 'risky', 'always']},
        'cancel_on': {
            'type': 'array',
            'items': {'enum': ['stop', 'correction', 'silence']},
        },
        'limits': {
            'type': 'object',
            'additionalProperties': False,
            'properties': {
                'accept_s': _SECONDS,
                'feedback_gap_s': {'type': 'number', 'minimum': 0, 'maximum': 86400},
                'total_s': _SECONDS,
                'cancel_s': _SECONDS,
            },
        },
        'arguments': {
            'type': 'object',
            'propertyNames': _KEY,
            'additionalProperties': _ARGUMENT,
        },
        'required': _WORDS,
        'one_of': _WORDS,
        'implies': {'type': 'object'},
        'say': {'anyOf': [_TEXT, _CASES], 'description': 'words, or a list of cases'},
        'goal': {'type': 'object', 'propertyNames': _TEXT},
        'feedback': {
            'type': 'object',
            'additionalProperties': False,
            'properties': {
                'done': {'type': 'string'},
                'remains': {'type': 'string'},
                'say': _CASES,
            },
        },
        'result': {
            'type': 'object',
            'additionalProperties': False,
            'properties': {
                'code': {'type': 'string'},
                'message': {'type': 'string'},
                'say': _CASES,
                'failed': _CASES,
                'reasons': {
                    'type': 'object',
                    'propertyNames': {
                        'type': ['integer', 'string'],
                        'pattern': '^[0-9]+$',
                        'description': "one of the robot's codes, a whole number",
                    },
                    'additionalProperties': _TEXT,
                },
            },
        },
    },
}

SCHEMA: dict[str, Any] = {
    'type': 'object',
    'additionalProperties': False,
    'required': ['skills'],
    'properties': {
        'version': {'const': 1},
        'tables': {
            'type': 'object',
            'propertyNames': _KEY,
            'additionalProperties': {
                'description': 'a table of rows, or {file: NAME}',
                'anyOf': [
                    {
                        'type': 'object',
                        'required': ['file'],
                        'properties': {'file': {'type': 'string'}},
                        'additionalProperties': False,
                    },
                    _TABLE,
                ],
            },
        },
        'skills': {'type': 'object', 'propertyNames': _KEY, 'additionalProperties': _SKILL},
    },
}
"""A skill file. Tables are merged by row, skills replaced by name, when files are joined."""

TABLE_SCHEMA: dict[str, Any] = _TABLE
"""A table in a file of its own, e.g. `places.yaml`: name -> record."""
