"""What is written for TensorBoard can be read by TensorBoard."""

import importlib.util
import sys

import pytest

import nonmarkov as nm
from nonmarkov import errors
from nonmarkov.results.tensorboard import TensorBoardWriter


@pytest.mark.skipif(
    importlib.util.find_spec("tensorboard") is None,
    reason='TENSORBOARD IS NOT INSTALLED: pip install "nonmarkov[tensorboard]"',
)
@pytest.mark.filterwarnings("ignore")  # its own
def test_curves_and_changes_are_written(tmp_path):
    from tensorboard.backend.event_processing.event_file_loader import EventFileLoader

    agent = nm.Agent(nm.domain("rotating_mab"), "paper", evaluate_every=1000)
    with TensorBoardWriter(tmp_path) as writer:
        agent.learn(5000, callback=writer, change_callback=writer.note_change)
    (path,) = tmp_path.iterdir()
    scores, changes = [], []
    for event in EventFileLoader(str(path)).Load():
        for value in event.summary.value:
            if value.tag == "nonmarkov/score":
                scores.append((event.step, value.tensor.float_val[0]))
            elif value.tag == "nonmarkov/changes":
                changes.append((event.step, value.tensor.string_val[0].decode()))
    assert scores == [(point.episodes, pytest.approx(point.score)) for point in agent.curve]
    assert changes == [(change.episode, str(change)) for change in agent.changes]
    assert len(changes) > 0


def test_without_tensorboard_the_command_to_install_it_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    for name in list(sys.modules):
        if name.startswith("tensorboard."):
            monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(errors.MissingExtraError, match=r'pip install "nonmarkov\[tensorboard\]"'):
        TensorBoardWriter(tmp_path)
