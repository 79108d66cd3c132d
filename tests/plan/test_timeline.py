"""explain's picture of which workgroup computes which tile, and when."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm.explain import timeline


def shape(*sizes, dtype=jnp.float32):
  return jax.ShapeDtypeStruct(sizes, dtype)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("schedule", ["persistent", "work_stealing", "stream_k"])
def test_each_tile_is_computed_once_and_no_workgroup_does_two_at_a_time(seed, schedule):
  rng = np.random.default_rng(seed)
  m, n, k = map(int, rng.integers(1, 900, 3))
  config = jaxgemm.GemmConfig(schedule=schedule, tile_m=64, tile_n=64, tile_k=32,
                              num_workgroups=int(rng.integers(1, 9)))
  data = jaxgemm.explain(shape(m, k), shape(k, n), config=config,
                         implementation="jaxgemm").data
  done = np.zeros([data["batch"], *data["tiles"][:2]], int)
  last = {}
  for span in timeline.spans(data):
    assert span.begin == last.get(span.workgroup, 0) < span.end
    last[span.workgroup] = span.end
    done[span.batch, span.m, span.n] += span.end - span.begin
  assert (done == data["tiles"][2]).all()


def test_a_picture_of_all_calls(tmp_path):
  def step(x, w, experts, sizes):
    return jaxgemm.ragged_dot(jaxgemm.matmul(x, w, implementation="jaxgemm"), experts, sizes)

  plan = jaxgemm.explain(step, shape(256, 512), shape(512, 256), shape(4, 256, 64),
                         shape(4, dtype=jnp.int32))
  for name in ("grid.png", "grid.svg"):
    plan.draw(tmp_path / name)
  assert (tmp_path / "grid.png").read_bytes()[:4] == b"\x89PNG"
  drawn = (tmp_path / "grid.svg").read_text()
  assert drawn.count("<!-- workgroup -->") == 2 and "the most tiles that groups can make" in drawn
  for words in ("256 x 256 x 512 (m x n x k): ", "256 x 64 x 256 (m x n x k), 4 groups: "):
    assert words in drawn


def test_nothing_to_draw(tmp_path):
  plan = jaxgemm.explain(shape(8, 8), shape(8, 8), implementation="xla")
  with pytest.raises(ValueError, match="nothing to draw"):
    plan.draw(tmp_path / "x.png")
  assert not list(tmp_path.iterdir())
