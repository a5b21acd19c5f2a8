"""The example that draws: the figures exist, and show what the rules say."""

import importlib.util
import os
import pathlib

import pytest

pytest.importorskip("matplotlib")
PATH = pathlib.Path(os.environ["P5_SOURCE"]) / "docs/examples/python/figures.py"


@pytest.fixture(scope="module")
def figures():
    spec = importlib.util.spec_from_file_location("figures", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_pairing(figures, tmp_path):
    table = figures.pairing_figure(tmp_path / "pairing.png")
    names = list(figures.FIRST)
    pair = {(a, b): table[i][j] for i, a in enumerate(names) for j, b in enumerate(names)}
    # Pairing rules: shifts by one only in U, NEG and IMUL in neither, MOV, ADD, LEA, TEST and PUSH in both.
    assert pair["mov", "add"] and pair["shl", "mov"] and pair["lea", "test"] and pair["mov", "push"]
    assert not pair["mov", "shl"] and not pair["mov", "neg"] and not pair["imul", "mov"] and not pair["neg", "add"]
    assert (tmp_path / "pairing.png").stat().st_size > 1000


def test_stride(figures, tmp_path):
    # within the 16 KB data cache the stride does not matter; beyond it each line is a miss
    assert figures.clocks_per_read(32, 8192) == pytest.approx(figures.clocks_per_read(4, 8192), rel=0.2)
    assert figures.clocks_per_read(32, 65536) > 2 * figures.clocks_per_read(4, 65536)
    figures.stride_figure(tmp_path / "stride.png")
    assert (tmp_path / "stride.png").stat().st_size > 1000
