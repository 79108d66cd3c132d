"""Instructions and modifiers that move data between lanes or select parts of a lane's data."""

import numpy as np
import pytest

from tests.emulator import emulator_isa as isa

U64 = 2**64 - 1
LANES = np.arange(64, dtype=np.uint32)
A = LANES * 0x01030507 + 0x11
HOLES = 0xFFFE_FF7F_7FFF_0FF0


def bits(mask: int) -> np.ndarray:
  return np.array([bool(mask >> i & 1) for i in range(64)])


def in_row(source):
  """Maps a lane to the lane that it reads in its row of 16, or to None."""

  def of(lane):
    place = source(lane % 16)
    return lane // 16 * 16 + place if place is not None and 0 <= place < 16 else None

  return of


def within(lane):
  return lane if 0 <= lane < 64 else None


DPP = {
  "quad_perm:[3,1,0,2]": lambda i: i // 4 * 4 + (3, 1, 0, 2)[i % 4],
  "row_shl:3": in_row(lambda i: i + 3),
  "row_shr:1": in_row(lambda i: i - 1),
  "row_ror:5": in_row(lambda i: (i - 5) % 16),
  "wave_shl:1": lambda i: within(i + 1),
  "wave_rol:1": lambda i: (i + 1) % 64,
  "wave_shr:1": lambda i: within(i - 1),
  "wave_ror:1": lambda i: (i - 1) % 64,
  "row_mirror": in_row(lambda i: 15 - i),
  "row_half_mirror": lambda i: i // 8 * 8 + 7 - i % 8,
  "row_bcast:15": lambda i: i // 16 * 16 - 1 if i >= 16 else None,
  "row_bcast:31": lambda i: 31 if i >= 32 else None,
  "row_newbcast:6": in_row(lambda i: 6),
}


@pytest.mark.parametrize("control", DPP)
@pytest.mark.parametrize("exec_mask", [U64, HOLES])
@pytest.mark.parametrize(
  "masks", ["row_mask:0xf bank_mask:0xf", "row_mask:0xa bank_mask:0x7"]
)
def test_dpp(control, exec_mask, masks):
  row_mask, bank_mask = (int(part.split(":")[1], 16) for part in masks.split())
  for bound in (False, True):
    source = f"v_add_u32_dpp v9, v2, v3 {control} {masks}{' bound_ctrl:1' * bound}"
    got = isa.run("gfx942", source, v={2: A, 3: 1000, 9: 5}, exec_mask=exec_mask).v[9]
    for lane in range(64):
      origin = DPP[control](lane)
      valid = origin is not None and exec_mask >> origin & 1
      written = (
        exec_mask >> lane & row_mask >> lane // 16 & bank_mask >> lane // 4 % 4 & 1
      )
      if written and (valid or bound):
        assert got[lane] == (int(A[origin]) if valid else 0) + 1000, lane
      else:
        assert got[lane] == 5, lane


def test_dpp_moves_and_modifiers():
  got = isa.run(
    "gfx942",
    "v_mov_b32_dpp v9, v2 row_ror:1 row_mask:0xf bank_mask:0xf\n"
    "v_mov_b64_dpp v[10:11], v[4:5] row_newbcast:3 row_mask:0xf bank_mask:0xf\n"
    "v_add_f32_dpp v12, -v6, |v7| quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf",
    v={2: A, 4: A, 5: A + 1, 6: LANES.astype(np.float32), 7: 0xC1000000},
  )
  assert (got.v[9] == np.roll(A.reshape(4, 16), 1, axis=1).reshape(64)).all()
  assert (got.v[10] == A.reshape(4, 16)[:, 3].repeat(16)).all()
  assert (got.v[11] == A.reshape(4, 16)[:, 3].repeat(16) + 1).all()
  assert (got.v[12].view(np.float32) == 8 - (LANES ^ 1).astype(np.float32)).all()


SELECTS = {
  "BYTE_0": (0, 8),
  "BYTE_1": (8, 8),
  "BYTE_2": (16, 8),
  "BYTE_3": (24, 8),
  "WORD_0": (0, 16),
  "WORD_1": (16, 16),
  "DWORD": (0, 32),
}


def select(x: np.ndarray, name: str, signed: bool = False) -> np.ndarray:
  shift, width = SELECTS[name]
  x = x.astype(np.int64) >> shift & (1 << width) - 1
  return np.where(x >> (width - 1) & 1, x - (1 << width), x) if signed else x


@pytest.mark.parametrize("source", SELECTS)
@pytest.mark.parametrize("signed", [False, True])
def test_sdwa_sources(source, signed):
  text = "sext(v2)" if signed else "v2"
  x = A * np.uint32(0x9E3779B1)
  got = isa.run(
    "gfx942",
    f"v_add_u32_sdwa v9, {text}, v3 dst_sel:DWORD dst_unused:UNUSED_PAD "
    f"src0_sel:{source} src1_sel:BYTE_2",
    v={2: x, 3: A},
  )
  expected = select(x, source, signed and source != "DWORD") + select(A, "BYTE_2")
  assert (got.v[9] == expected.astype(np.uint32)).all()


@pytest.mark.parametrize("target", SELECTS)
@pytest.mark.parametrize("unused", ["UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"])
def test_sdwa_destination(target, unused):
  old = 0x5AA5C33C
  x = A * np.uint32(0x9E3779B1)
  got = isa.run(
    "gfx942",
    f"v_mov_b32_sdwa v9, v2 dst_sel:{target} dst_unused:{unused} src0_sel:DWORD",
    v={2: x, 9: old},
    exec_mask=HOLES,
  )
  shift, width = SELECTS[target]
  for lane in range(64):
    part = int(x[lane]) & (1 << width) - 1
    expected = part << shift
    if unused == "UNUSED_SEXT" and part >> (width - 1):
      expected |= -1 << (shift + width) & 0xFFFFFFFF
    if unused == "UNUSED_PRESERVE":
      expected |= old & ~(((1 << width) - 1) << shift)
    assert got.v[9][lane] == (expected if HOLES >> lane & 1 else old)


def test_sdwa_floats_and_compares():
  halves = np.array([1.5, -2.25, 65504, -0.0] * 16, np.float16)
  packed = halves.view(np.uint16).astype(np.uint32) << 16 | 0x3C00  # low half: 1.0
  got = isa.run(
    "gfx942",
    "v_add_f16_sdwa v9, -v2, |v2| dst_sel:WORD_1 "
    "dst_unused:UNUSED_PRESERVE src0_sel:WORD_0 src1_sel:WORD_1\n"
    "v_cmp_eq_u16_sdwa s[2:3], v3, v4 src0_sel:BYTE_1 src1_sel:BYTE_0\n"
    "v_mul_f32_sdwa v10, v5, v5 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD "
    "src1_sel:DWORD",
    v={2: packed, 9: 0x1234, 3: A, 4: LANES // 2, 5: LANES.astype(np.float32)},
  )
  expected = (np.abs(halves) - np.float16(1)).view(np.uint16).astype(
    np.uint32
  ) << 16 | 0x1234
  assert (got.v[9] == expected).all()
  assert got.s64(2) == sum(
    int((A[i] >> 8 & 255) == (LANES[i] // 2 & 255)) << i for i in range(64)
  )
  assert (got.v[10].view(np.float32) == (LANES * LANES).astype(np.float32)).all()


def test_to_and_from_scalars():
  """v_readlane and v_writelane ignore EXEC; v_readfirstlane takes EXEC's first lane."""
  source = (
    "v_readfirstlane_b32 s2, v2\nv_readlane_b32 s3, v2, 63\nv_readlane_b32 s4, v2, s9\n"
    "v_writelane_b32 v3, s8, 5\nv_writelane_b32 v3, 7, s9\nv_writelane_b32 v3, s8, m0"
  )
  for mask, lane in ((U64, 0), (HOLES, 4), (1 << 63, 63), (0, 0)):
    got = isa.run(
      "gfx942",
      source,
      v={2: A, 3: 1},
      s={8: 99, 9: 64 + 10, isa.M0: 20},
      exec_mask=mask,
    )
    assert [int(x) for x in got.s[2:5]] == [A[lane], A[63], A[10]]
    expected = np.ones(64, np.uint32)
    expected[[5, 10, 20]] = 99, 7, 99
    assert (got.v[3] == expected).all()


def test_lane_counts():
  mask = 0x9234_5678_0F0F_8001
  got = isa.run(
    "gfx942",
    "v_mbcnt_lo_u32_b32 v2, s2, 5\nv_mbcnt_hi_u32_b32 v2, s3, v2\n"
    "v_mbcnt_lo_u32_b32 v3, -1, 0\nv_mbcnt_hi_u32_b32 v3, -1, v3",
    s={2: (mask,)},
  )
  assert got.v[2].tolist() == [
    5 + bin(mask & (1 << i) - 1).count("1") for i in range(64)
  ]
  assert (got.v[3] == LANES).all()


def test_swap():
  got = isa.run("gfx942", "v_swap_b32 v2, v3", v={2: A, 3: LANES}, exec_mask=HOLES)
  on = bits(HOLES)
  assert (got.v[2] == np.where(on, LANES, A)).all()
  assert (got.v[3] == np.where(on, A, LANES)).all()


@pytest.mark.parametrize("row", [16, 32])
def test_permlane_swap(row):
  """Odd rows of the first operand change places with even rows of the second."""
  source = f"v_permlane{row}_swap_b32_e32 v2, v3"
  got = isa.run("gfx950", source, v={2: A, 3: LANES})
  first, second = A.reshape(-1, row).copy(), LANES.reshape(-1, row).copy()
  first[1::2], second[0::2] = second[0::2].copy(), first[1::2].copy()
  assert (got.v[2] == first.reshape(64)).all() and (
    got.v[3] == second.reshape(64)
  ).all()
  with pytest.raises(isa.StepError, match="inactive lanes"):
    isa.run("gfx950", source, exec_mask=1)


def test_accumulation_registers():
  got = isa.run(
    "gfx942",
    "v_accvgpr_write_b32 a7, v2\nv_accvgpr_mov_b32 a8, a7\n"
    "v_accvgpr_read_b32 v3, a8\nv_accvgpr_write_b32 a9, 1.0\n"
    "v_accvgpr_write_b32 a10, s2",
    v={2: A, 3: 4, 263: 1, 264: 2},
    s={2: 77},
    exec_mask=HOLES,
  )
  on = bits(HOLES)
  assert (got.v[263] == np.where(on, A, 1)).all() and (
    got.v[264] == np.where(on, A, 2)
  ).all()
  assert (got.v[3] == np.where(on, A, 4)).all()
  assert (got.v[265][on] == 0x3F800000).all() and (got.v[266][on] == 77).all()


@pytest.mark.parametrize(
  "source, why",
  [
    ("v_mad_u32_u24 v1, v2, v3, v4 clamp", "clamp"),
    ("v_mfma_f32_16x16x16_bf16 v[0:3], v[4:5], v[6:7], v[0:3] cbsz:1", "cbsz"),
    ("s_waitcnt vmcnt(0)", "do not execute"),
  ],
)
def test_refused(source, why):
  """Instructions that are not implemented exactly are refused."""
  with pytest.raises(isa.StepError, match=why):
    isa.run("gfx942", source)
