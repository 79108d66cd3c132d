"""Instructions on float32, against numpy, exact fractions and the ISA manuals."""

import ctypes
import ctypes.util
import fractions
import platform

import numpy as np
import pytest

from tests.emulator import emulator_isa as isa
from tests.emulator.isa_values import F32, minimum, pairs, round_float, same

_RNG = np.random.default_rng(7)

BINARY = {
  "v_add_f32_e32": lambda a, b: a + b,
  "v_sub_f32_e32": lambda a, b: a - b,
  "v_subrev_f32_e32": lambda a, b: b - a,
  "v_mul_f32_e32": lambda a, b: a * b,
  "v_mul_legacy_f32": lambda a, b: np.where((a == 0) | (b == 0), F32(0), a * b),
  "v_min_f32_e32": minimum,
  "v_max_f32_e32": lambda a, b: minimum(a, b, largest=True),
}


@pytest.mark.parametrize("name", BINARY)
def test_binary(name):
  with np.errstate(all="ignore"):
    for a, b in zip(*pairs()):
      got = isa.run("gfx942", f"{name} v9, v2, v3", v={2: a, 3: b})
      same(got.v[9].view(F32), BINARY[name](a, b))


def test_min_max_without_ieee():
  with np.errstate(all="ignore"):
    for a, b in zip(*pairs()):
      got = isa.run(
        "gfx942",
        "v_min_f32_e32 v8, v2, v3\nv_max_f32_e32 v9, v2, v3",
        v={2: a, 3: b},
        mode=0xF0,
      )
      same(got.v[8].view(F32), minimum(a, b, ieee=False))
      same(got.v[9].view(F32), minimum(a, b, ieee=False, largest=True))


def test_modifiers():
  with np.errstate(all="ignore"):
    for a, b in zip(*pairs()):
      got = isa.run(
        "gfx942",
        "v_add_f32_e64 v5, |v2|, -v3\nv_mul_f32_e64 v6, -|v2|, v3\n"
        "v_add_f32_e64 v7, v2, v3 clamp\nv_max_f32_e64 v8, v2, v2 clamp",
        v={2: a, 3: b},
      )
      same(got.v[5].view(F32), np.abs(a) - b)
      same(got.v[6].view(F32), -np.abs(a) * b)
      total = a + b
      same(
        got.v[7].view(F32),
        np.where(np.isnan(total) | (total <= 0), 0, np.minimum(total, 1)),
      )
      same(got.v[8].view(F32), np.where(np.isnan(a) | (a <= 0), 0, np.minimum(a, 1)))


def test_output_modifiers():
  """They apply only without IEEE mode and output denormals."""
  a = np.linspace(-2, 2, 64).astype(F32)
  source = (
    "v_mul_f32_e64 v5, v2, v2 mul:2\nv_add_f32_e64 v6, v2, 0 mul:4\n"
    "v_add_f32_e64 v7, v2, v2 div:2"
  )
  got = isa.run("gfx942", source, v={2: a}, mode=0xC0)
  for register, expected in ((5, 2 * a * a), (6, 4 * a), (7, a)):
    same(got.v[register].view(F32), expected)
  for mode in (0x2C0, 0xF0):
    got = isa.run("gfx942", source, v={2: a}, mode=mode)
    for register, expected in ((5, a * a), (6, a), (7, 2 * a)):
      same(got.v[register].view(F32), expected)


def flushed(x: np.ndarray) -> np.ndarray:
  return np.where(np.abs(x) < F32(2.0**-126), np.copysign(F32(0), x), x).astype(F32)


@pytest.mark.parametrize("denormals", [0, 1, 2, 3])
def test_denormals(denormals):
  """Bit 0 keeps denormal inputs and bit 1 denormal results; moves always keep them."""
  with np.errstate(all="ignore"):
    for a, b in zip(*pairs()):
      b = b * F32(2.0**-126)
      got = isa.run(
        "gfx942",
        "v_mul_f32_e32 v5, v2, v3\nv_mov_b32_e32 v6, v3\nv_fma_f32 v7, v2, v3, v4",
        v={2: a, 3: b, 4: 0x80000000},
        mode=0xC0 | denormals << 4,
      )
      x, y = (a, b) if denormals & 1 else (flushed(a), flushed(b))
      product = x * y if denormals & 2 else flushed(x * y)
      same(got.v[5].view(F32), product)
      assert (got.v[6] == b.view(np.uint32)).all()
      same(got.v[7].view(F32), product)  # the addend is -0


@pytest.mark.skipif(platform.machine() != "x86_64", reason="sets the x86's mode")
def test_host_mode():
  """A caller that flushes denormals, as XLA's threads do, gets the same results."""
  libm = ctypes.CDLL(ctypes.util.find_library("m"))
  mode, flushing = ctypes.create_string_buffer(32), ctypes.create_string_buffer(32)
  libm.fegetenv(mode)
  flushing[:] = mode[:]
  flags = ctypes.c_uint32.from_buffer(flushing, 28)  # MXCSR
  flags.value |= 0x8040
  isa.assemble("gfx942", "v_add_f32_e32 v3, v2, v2\n")
  libm.fesetenv(flushing)
  try:
    got = isa.run("gfx942", "v_add_f32_e32 v3, v2, v2", v={2: 3})
    after = ctypes.create_string_buffer(32)
    libm.fegetenv(after)
  finally:
    libm.fesetenv(mode)
  assert (got.v[3] == 6).all()
  assert after[28:] == flushing[28:]


def test_rounding_mode_is_refused():
  with pytest.raises(isa.StepError, match="rounding"):
    isa.run("gfx942", "v_add_f32_e32 v1, v2, v3", mode=0x3F1)
  isa.run("gfx942", "v_add_u32_e32 v1, v2, v3", mode=0x3F1)


def test_fma():
  """The exact sum is rounded once, with ties and cancellation."""
  a, b = (_RNG.standard_normal(64).astype(F32) for _ in range(2))
  c = np.where(np.arange(64) % 2, -(a * b), a * F32(2.0**20)).astype(F32)
  got = isa.run(
    "gfx942",
    "v_fma_f32 v5, v2, v3, v4\nv_mov_b32_e32 v6, v4\n"
    "v_fmac_f32_e32 v6, v2, v3\nv_fmamk_f32 v7, v2, 0x40490fdb, v4\n"
    "v_fmaak_f32 v8, v2, v3, 0x40490fdb",
    v={2: a, 3: b, 4: c},
  )
  pi = np.uint32(0x40490FDB).view(F32)
  for register, x, y, z in (
    (5, a, b, c),
    (6, a, b, c),
    (7, a, pi + 0 * a, c),
    (8, a, b, pi + 0 * a),
  ):
    exact = [
      fractions.Fraction(float(i)) * fractions.Fraction(float(j))
      + fractions.Fraction(float(k))
      for i, j, k in zip(x, y, z)
    ]
    assert [float(v) for v in got.v[register].view(F32)] == [
      round_float(e, 24, -149) for e in exact
    ]


def test_packed_f32():
  a, b, c = (_RNG.standard_normal((2, 64)).astype(F32) for _ in range(3))
  wide = lambda x: (
    x[0].view(np.uint32) | x[1].view(np.uint32).astype(np.uint64) << np.uint64(32)
  )
  got = isa.run(
    "gfx942",
    "v_pk_mul_f32 v[8:9], v[2:3], v[4:5]\n"
    "v_pk_add_f32 v[10:11], v[2:3], v[4:5] op_sel:[1,0] op_sel_hi:[0,1] neg_lo:[0,1] "
    "neg_hi:[1,0]\nv_pk_fma_f32 v[12:13], v[2:3], v[4:5], v[6:7]\n"
    "v_pk_mul_f32 v[14:15], v[2:3], 2.0 op_sel_hi:[1,0]\n"
    "v_pk_add_f32 v[2:3], v[2:3], v[2:3] op_sel:[1,1] op_sel_hi:[0,0]",
    v={2: wide(a), 4: wide(b), 6: wide(c)},
  )
  f = lambda register: got.v[register].view(F32)
  for half in (0, 1):
    same(f(8 + half), a[half] * b[half])
    same(f(14 + half), a[half] * F32(2))
    same(f(2 + half), a[1 - half] + a[1 - half])
    # The fma in double: for these values, rounding twice makes no difference.
    same(f(12 + half), (a[half].astype(np.float64) * b[half] + c[half]).astype(F32))
  same(f(10), a[1] - b[0])
  same(f(11), -a[0] + b[1])


def med3(a, b, c):
  if np.isnan([a, b, c]).any():
    return minimum(minimum(a, b), c)
  return sorted((a, b, c))[1]


def test_three_operands():
  with np.errstate(all="ignore"):
    for a, b in zip(*pairs()):
      c = np.roll(b, 7)
      got = isa.run(
        "gfx950",
        "v_min3_f32 v5, v2, v3, v4\nv_max3_f32 v6, v2, v3, v4\n"
        "v_med3_f32 v7, v2, v3, v4\nv_minimum3_f32 v8, v2, v3, v4\n"
        "v_maximum3_f32 v9, v2, v3, v4",
        v={2: a, 3: b, 4: c},
      )
      same(got.v[5].view(F32), minimum(minimum(a, b), c))
      same(got.v[6].view(F32), minimum(minimum(a, b, largest=True), c, largest=True))
      middle = got.v[7].view(F32)
      assert all(
        x == y or np.isnan(x) and np.isnan(y)
        for x, y in zip(middle, (med3(*F32(lane)) for lane in zip(a, b, c)))
      )
      nan = np.isnan(a) | np.isnan(b) | np.isnan(c)
      same(got.v[8].view(F32), np.where(nan, F32(np.nan), minimum(minimum(a, b), c)))
      most = minimum(minimum(a, b, largest=True), c, largest=True)
      same(got.v[9].view(F32), np.where(nan, F32(np.nan), most))


UNARY = {
  "v_floor_f32_e32": np.floor,
  "v_ceil_f32_e32": np.ceil,
  "v_trunc_f32_e32": np.trunc,
  "v_rndne_f32_e32": np.rint,
  "v_frexp_mant_f32_e32": lambda x: np.frexp(x)[0],
  "v_fract_f32_e32": lambda x: np.minimum(x - np.floor(x), F32(1 - 2.0**-24)),
}


@pytest.mark.parametrize("name", UNARY)
def test_unary(name):
  with np.errstate(all="ignore"):
    for a in pairs()[0]:
      same(isa.run("gfx942", f"{name} v9, v2", v={2: a}).v[9].view(F32), UNARY[name](a))


def test_exponents():
  with np.errstate(all="ignore"):
    for a in pairs()[0]:
      e = np.linspace(-300, 300, 64).astype(np.int32)
      got = isa.run(
        "gfx942",
        "v_frexp_exp_i32_f32_e32 v5, v2\nv_ldexp_f32 v6, v2, v3",
        v={2: a, 3: e},
      )
      assert (
        got.v[5].view(np.int32) == np.where(np.isfinite(a), np.frexp(a)[1], 0)
      ).all()
      same(got.v[6].view(F32), np.ldexp(a, e))


TRANSCENDENTAL = {
  "v_exp_f32_e32": np.exp2,
  "v_log_f32_e32": np.log2,
  "v_rcp_f32_e32": lambda x: 1 / x,
  "v_rcp_iflag_f32_e32": lambda x: 1 / x,
  "v_rsq_f32_e32": lambda x: 1 / np.sqrt(x),
  "v_sqrt_f32_e32": np.sqrt,
}


@pytest.mark.parametrize("name", TRANSCENDENTAL)
def test_transcendental(name):
  """The result is the nearest float; denormal inputs and results are flushed."""
  with np.errstate(all="ignore"):
    for a in (*pairs()[0], np.linspace(-140, 140, 64).astype(F32)):
      expected = flushed(
        TRANSCENDENTAL[name](flushed(a).astype(np.float64)).astype(F32)
      )
      same(isa.run("gfx942", f"{name} v9, v2", v={2: a}).v[9].view(F32), expected)


def test_sine():
  x = np.concatenate([np.linspace(-256, 256, 61), [257.25, np.inf, 0.25]]).astype(F32)
  got = isa.run("gfx942", "v_sin_f32_e32 v5, v2\nv_cos_f32_e32 v6, v2", v={2: x})
  turns = 2 * np.pi * x[:61].astype(np.float64)
  assert np.abs(got.v[5].view(F32)[:61] - np.sin(turns)).max() < 1e-6
  assert np.abs(got.v[6].view(F32)[:61] - np.cos(turns)).max() < 1e-6
  same(got.v[5].view(F32)[61:], [0, np.nan, 1])
  same(got.v[6].view(F32)[61:62], [1])


DIVISION = """
v_div_scale_f32 v10, s[2:3], v3, v3, v2
v_div_scale_f32 v11, vcc, v2, v3, v2
v_rcp_f32_e32 v12, v10
v_fma_f32 v13, -v10, v12, 1.0
v_fma_f32 v12, v13, v12, v12
v_mul_f32_e32 v13, v11, v12
v_fma_f32 v14, -v10, v13, v11
v_fma_f32 v13, v14, v12, v13
v_fma_f32 v10, -v10, v13, v11
v_div_fmas_f32 v10, v10, v12, v13
v_div_fixup_f32 v9, v10, v3, v2
"""


def test_division():
  """Clang's sequence rounds specials, denormals and extremes correctly."""
  bits = _RNG.integers(0, 2**32, (2, 4096), np.uint32)
  # Quotients at the ends of the range, and denormal operands.
  ends = _RNG.standard_normal((2, 2048)).astype(F32)
  ends[0, :1024] *= F32(2.0**-100)
  ends[1, :1024] *= _RNG.choice(F32([2.0**20, 2.0**45, 2.0**-30]), 1024)
  ends[0, 1024:] *= F32(2.0**-126)
  ends[1, 1024:] *= _RNG.choice(F32([2.0**-130, 2.0**-2, 2.0**126]), 1024)
  numerators = np.concatenate([bits[0].view(F32), ends[0], *pairs()[0]]).reshape(-1, 64)
  denominators = np.concatenate([bits[1].view(F32), ends[1], *pairs()[1]]).reshape(
    -1, 64
  )
  with np.errstate(all="ignore"):
    for a, b in zip(numerators, denominators):
      got = isa.run("gfx942", DIVISION.lstrip(), v={2: a, 3: b})
      same(got.v[9].view(F32), a / b)


DIVISION_F64 = """
v_div_scale_f64 v[10:11], s[2:3], v[4:5], v[4:5], v[2:3]
v_rcp_f64_e32 v[12:13], v[10:11]
v_div_scale_f64 v[14:15], vcc, v[2:3], v[4:5], v[2:3]
v_fma_f64 v[16:17], -v[10:11], v[12:13], 1.0
v_fma_f64 v[12:13], v[12:13], v[16:17], v[12:13]
v_fma_f64 v[16:17], -v[10:11], v[12:13], 1.0
v_fma_f64 v[12:13], v[12:13], v[16:17], v[12:13]
v_mul_f64 v[16:17], v[14:15], v[12:13]
v_fma_f64 v[10:11], -v[10:11], v[16:17], v[14:15]
v_div_fmas_f64 v[10:11], v[10:11], v[12:13], v[16:17]
v_div_fixup_f64 v[8:9], v[10:11], v[4:5], v[2:3]
"""


def test_division_of_float64():
  bits = _RNG.integers(0, 2**64, (2, 4096), np.uint64).view(np.float64)
  ends = _RNG.standard_normal((2, 2048))
  ends[0, :1024] *= 2.0**-900
  ends[1, :1024] *= _RNG.choice([2.0**100, 2.0**140, 2.0**170, 2.0**-200], 1024)
  ends[0, 1024:] *= 2.0**-1022
  ends[1, 1024:] *= _RNG.choice([2.0**-1030, 2.0**-2, 2.0**40, 2.0**1022], 1024)
  specials = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -3.0, 5e-324, -2.0**-1022, 1.7e308]
  every = np.array(np.meshgrid(specials, specials)).reshape(2, -1)[:, :64]
  numerators, denominators = np.concatenate([bits, ends, every], axis=1)
  with np.errstate(all="ignore"):
    for a, b in zip(numerators.reshape(-1, 64), denominators.reshape(-1, 64)):
      (a_low, a_high), (b_low, b_high) = (x.view(np.uint32).reshape(64, 2).T.copy() for x in (a, b))
      got = isa.run("gfx942", DIVISION_F64.lstrip(), v={2: a_low, 3: a_high, 4: b_low, 5: b_high})
      quotient = np.stack([got.v[8], got.v[9]], axis=1).view(np.float64)[:, 0]
      same(quotient, a / b)
