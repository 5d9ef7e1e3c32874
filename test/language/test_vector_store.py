# SPDX-License-Identifier: Apache-2.0
"""Vectors that were kept are the ones that were made, and a broken store costs time only."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from venus_ros.language.vector_store import LONG, MOST_FILES, VectorStore

SENTENCES = [f'sentence {n}' for n in range(LONG)]


def vectors(seed: int = 0, count: int = LONG) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(count, 8)).astype(np.float32)


def test_a_list_comes_back_bit_by_bit(tmp_path: Path) -> None:
    VectorStore('m', tmp_path / 'deep').keep(SENTENCES, vectors())
    found = VectorStore('m', tmp_path / 'deep').find(SENTENCES)
    assert found is not None and found.tobytes() == vectors().tobytes()


def test_other_sentences_another_order_or_another_model_are_not_found(tmp_path: Path) -> None:
    VectorStore('m', tmp_path).keep(SENTENCES, vectors())
    assert VectorStore('m', tmp_path).find([*SENTENCES[:-1], 'another']) is None
    assert VectorStore('m', tmp_path).find(SENTENCES[::-1]) is None
    assert VectorStore('m2', tmp_path).find(SENTENCES) is None


def test_what_few_words_say_is_never_on_disk(tmp_path: Path) -> None:
    VectorStore('m', tmp_path / 'none').keep(SENTENCES[:-1], vectors(count=LONG - 1))
    assert not (tmp_path / 'none').exists()


@pytest.mark.parametrize('harm', ['cut', 'empty', 'wrong shape', 'text'])
def test_a_damaged_file_is_made_again(tmp_path: Path, harm: str) -> None:
    store = VectorStore('m', tmp_path)
    store.keep(SENTENCES, vectors())
    (file,) = tmp_path.iterdir()
    if harm == 'wrong shape':
        np.save(file, vectors(count=3))
    else:
        good = file.read_bytes()
        file.write_bytes({'cut': good[:200], 'empty': b'', 'text': b'no vectors'}[harm])
    assert store.find(SENTENCES) is None
    store.keep(SENTENCES, vectors())
    assert store.find(SENTENCES) is not None


def test_a_folder_that_cannot_be_is_no_error(tmp_path: Path) -> None:
    (tmp_path / 'file').write_text('')
    store = VectorStore('m', tmp_path / 'file' / 'vectors')
    store.keep(SENTENCES, vectors())
    assert store.find(SENTENCES) is None


def test_old_lists_are_forgotten(tmp_path: Path) -> None:
    store = VectorStore('m', tmp_path)
    for n in range(MOST_FILES + 3):
        store.keep([f'{n}', *SENTENCES], vectors(count=LONG + 1))
    assert len(list(tmp_path.iterdir())) == MOST_FILES
