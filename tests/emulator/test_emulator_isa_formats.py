"""Compares, float64, float16 and mixed formats, against numpy and exact fractions."""

import fractions
import math

import ml_dtypes
import numpy as np
import pytest

from tests.emulator import emulator_isa as isa
from tests.emulator.isa_values import F32, U64, pairs, round_float, same

_RNG = np.random.default_rng(9)


def test_compare_floats():
  conditions = {
    "lt": np.less,
    "eq": np.equal,
    "le": np.less_equal,
    "gt": np.greater,
    "lg": lambda a, b: (a < b) | (a > b),
    "ge": np.greater_equal,
    "o": lambda a, b: ~(np.isnan(a) | np.isnan(b)),
    "f": lambda a, b: a != a + 0 * b,
  }
  negated = {
    "u": "o",
    "nge": "ge",
    "nlg": "lg",
    "ngt": "gt",
    "nle": "le",
    "neq": "eq",
    "nlt": "lt",
    "tru": "f",
  }
  conditions["f"] = lambda a, b: np.zeros(a.shape, bool)
  with np.errstate(all="ignore"):
    a, b = (np.concatenate(x[:5]) for x in pairs())
    for kind, dtype in (("f32", F32), ("f64", np.float64), ("f16", np.float16)):
      for first in range(0, a.size, 64):
        x, y = (z[first : first + 64].astype(dtype) for z in (a, b))
        operands = "v[2:3], v[4:5]" if kind == "f64" else "v2, v4"
        names = [*conditions, *negated]
        source = "\n".join(
          f"v_cmp_{n}_{kind}_e64 s[{8 + 2 * i}:{9 + 2 * i}], {operands}"
          for i, n in enumerate(names)
        )
        got = isa.run("gfx942", source, v={2: x, 4: y}, exec_mask=U64 >> 3)
        for i, name in enumerate(names):
          holds = (
            conditions[name](x, y)
            if name in conditions
            else ~conditions[negated[name]](x, y)
          )
          expected = sum(int(h) << lane for lane, h in enumerate(holds)) & U64 >> 3
          assert got.s64(8 + 2 * i) == expected, (name, kind)
          # v_cmpx writes EXEC too, so each condition runs alone.
          if first == 0:
            source = f"v_cmpx_{name}_{kind}_e64 s[2:3], {operands}"
            too = isa.run("gfx942", source, v={2: x, 4: y}, exec_mask=U64 >> 3)
            assert too.s64(2) == too.s64(isa.EXEC) == expected, (name, kind)


def test_class():
  """The bits of the classes: sNaN, qNaN, -inf, -normal, -denormal, -0, +0 to +inf."""
  x = np.tile(
    np.array(
      [
        0x7F800001,
        0x7FC00000,
        0xFF800000,
        0xC0000000,
        0x80000001,
        0x80000000,
        0,
        1,
        0x40000000,
        0x7F800000,
      ],
      np.uint32,
    ),
    7,
  )[:64]
  for bit in range(10):
    got = isa.run("gfx942", "v_cmp_class_f32_e64 s[2:3], v2, v3", v={2: x, 3: 1 << bit})
    assert got.s64(2) == sum(1 << lane for lane in range(64) if lane % 10 == bit)
  assert isa.run(
    "gfx942", "v_cmp_class_f32_e64 s[2:3], -v2, v3", v={2: x, 3: 1 << 3}
  ).s64(2) == (sum(1 << lane for lane in range(64) if lane % 10 == 8))


def test_class_of_others():
  """float64 and float16, the VOPC form, and v_cmpx."""
  for kind, dtype in (("f64", np.float64), ("f16", np.float16), ("f32", F32)):
    info = np.finfo(dtype)
    x = np.array(
      [np.nan, -np.inf, -2, -info.smallest_subnormal, -0.0, 0.0]
      + [info.smallest_subnormal, 2, np.inf],
      dtype,
    )
    x = np.tile(x, 8)[:64]
    operand = "v[2:3]" if kind == "f64" else "v2"
    for place, bit in enumerate(range(1, 10)):
      source = (
        f"v_cmp_class_{kind}_e32 vcc, {operand}, v4\n"
        f"v_cmpx_class_{kind}_e64 s[2:3], {operand}, v4"
      )
      got = isa.run("gfx942", source, v={2: x, 4: 1 << bit})
      expected = sum(1 << lane for lane in range(64) if lane % 9 == place)
      assert got.s64(isa.VCC) == got.s64(2) == got.s64(isa.EXEC) == expected


def test_f64_unary():
  x = np.concatenate([_RNG.standard_normal(56) * 1000, [0.5, -0.5, 1.5, -0.0, 2.0**60]])
  x = np.concatenate([x, [-(2.0**-1070), np.inf, 4.0]])
  source = "\n".join(
    f"v_{name}_f64_e32 v[{register}:{register + 1}], v[2:3]"
    for register, name in ((8, "trunc"), (10, "ceil"), (12, "fract"), (14, "rsq"))
  )
  source += (
    "\nv_frexp_mant_f64_e32 v[16:17], v[2:3]\nv_frexp_exp_i32_f64_e32 v18, v[2:3]\n"
    "v_cvt_f64_u32_e32 v[20:21], v4\nv_fmac_f64_e32 v[22:23], v[2:3], v[2:3]"
  )
  bits = np.arange(64, dtype=np.uint32) * 0x04030201
  got = isa.run("gfx942", source, v={2: x, 4: bits, 22: -x * x})
  f = lambda register: got.v64(register).view(np.float64)
  with np.errstate(all="ignore"):
    same(f(8), np.trunc(x))
    same(f(10), np.ceil(x))
    same(f(12), np.minimum(x - np.floor(x), 1 - 2.0**-53))
    same(f(14), 1 / np.sqrt(x))
    same(f(16), np.frexp(x)[0])
  exponents = np.where(np.isfinite(x), np.frexp(x)[1], 0)
  assert (got.v[18].view(np.int32) == exponents).all()
  same(f(20), bits.astype(np.float64))
  for lane in np.flatnonzero(np.isfinite(x)):
    exact = fractions.Fraction(x[lane]) ** 2 - fractions.Fraction(x[lane] * x[lane])
    assert f(22)[lane] == float(exact)


def test_f64():
  a, b, c = (
    _RNG.standard_normal(64) * 2.0 ** _RNG.integers(-60, 60, 64) for _ in range(3)
  )
  a[:4], b[:4] = [np.inf, np.nan, 0, -0.0], [1, 2, np.inf, 1]
  source = (
    "v_add_f64 v[20:21], v[2:3], v[4:5]\nv_mul_f64 v[22:23], -v[2:3], |v[4:5]|\n"
    "v_min_f64 v[24:25], v[2:3], v[4:5]\nv_max_f64 v[26:27], v[2:3], v[4:5]\n"
    "v_floor_f64_e32 v[28:29], v[2:3]\nv_rndne_f64_e32 v[30:31], v[2:3]\n"
    "v_rcp_f64_e32 v[32:33], v[2:3]\nv_sqrt_f64_e32 v[34:35], v[2:3]\n"
    "v_fma_f64 v[36:37], v[2:3], v[4:5], v[6:7]\nv_ldexp_f64 v[38:39], v[2:3], -5\n"
    "v_cvt_f32_f64_e32 v40, v[2:3]\nv_cvt_i32_f64_e32 v41, v[2:3]\n"
    "v_cvt_u32_f64_e32 v42, v[2:3]\nv_cvt_f64_f32_e32 v[44:45], v40\n"
    "v_cvt_f64_i32_e32 v[46:47], v41\nv_add_f64 v[48:49], v[2:3], 1.0"
  )
  got = isa.run("gfx942", source, v={2: a, 4: b, 6: c})
  f = lambda register: got.v64(register).view(np.float64)
  with np.errstate(all="ignore"):
    for register, expected in (
      (20, a + b),
      (22, -a * np.abs(b)),
      (24, np.fmin(a, b)),
      (26, np.fmax(a, b)),
      (28, np.floor(a)),
      (30, np.rint(a)),
      (32, 1 / a),
      (34, np.sqrt(a)),
      (38, np.ldexp(a, -5)),
      (44, a.astype(F32).astype(np.float64)),
      (48, a + 1),
    ):
      same(f(register), expected)
    same(got.v[40].view(F32), a.astype(F32))
    clipped = np.nan_to_num(np.trunc(a), nan=0.0)
    assert (got.v[41].view(np.int32) == np.clip(clipped, -(2**31), 2**31 - 1)).all()
    assert (got.v[42] == np.clip(clipped, 0, 2**32 - 1)).all()
  for lane in range(4, 64):
    exact = fractions.Fraction(a[lane]) * fractions.Fraction(
      b[lane]
    ) + fractions.Fraction(c[lane])
    assert f(36)[lane] == float(exact)


_F16 = np.arange(2**16, dtype=np.uint16).view(np.float16)


def test_f16():
  """Sums and products of float16 are rounded once, with zeros above the result."""
  a = _RNG.permutation(_F16)[:4096].reshape(-1, 64)
  b = _RNG.permutation(_F16)[:4096].reshape(-1, 64)
  source = (
    "v_add_f16_e32 v5, v2, v3\nv_sub_f16_e32 v6, v2, v3\nv_mul_f16_e32 v7, v2, v3\n"
    "v_floor_f16_e32 v8, v2\nv_rcp_f16_e32 v9, v2\nv_sqrt_f16_e32 v10, v2\n"
    "v_add_f16_e64 v11, |v2|, -v3\n"
    "v_pk_add_f16 v12, v4, v4 op_sel_hi:[0,1] neg_hi:[1,0]\n"
    "v_max_f16_e32 v13, v2, v3\nv_min_f16_e32 v14, v2, v3"
  )
  with np.errstate(all="ignore"):
    for x, y in zip(a, b):
      both = x.view(np.uint16) | y.view(np.uint16).astype(np.uint32) << 16
      got = isa.run("gfx942", source, v={2: x, 3: y, 4: both})
      half = lambda register: got.v[register].astype(np.uint16).view(np.float16)
      exact = x.astype(np.float64)
      for register, expected in (
        (5, x + y),
        (6, x - y),
        (7, x * y),
        (8, np.floor(x)),
        (9, (1 / exact).astype(np.float16)),
        (10, np.sqrt(exact).astype(np.float16)),
        (11, np.abs(x) - y),
      ):
        same(half(register), expected)
        assert (got.v[register] >> 16 == 0).all()
      same(half(12), x + x)
      same((got.v[12] >> 16).astype(np.uint16).view(np.float16), -x + y)
      number = ~np.isnan(x) & ~np.isnan(y)
      assert (half(13) == np.maximum(x, y))[number].all()
      assert (half(14) == np.minimum(x, y))[number].all()


F16_UNARY = {
  "rsq": lambda x: 1 / np.sqrt(x),
  "log": np.log2,
  "exp": np.exp2,
  "frexp_mant": lambda x: np.frexp(x)[0],
  "ceil": np.ceil,
  "trunc": np.trunc,
  "rndne": np.rint,
  "fract": lambda x: np.minimum(x - np.floor(x), 1 - 2.0**-11),
  "sin": lambda x: np.sin(2 * np.pi * np.remainder(x, 1)),
  "cos": lambda x: np.cos(2 * np.pi * np.remainder(x, 1)),
}


def test_f16_unary():
  small = _F16[np.abs(_F16) <= 16]
  codes = np.concatenate([_RNG.choice(small, 448), _RNG.choice(_F16, 448)])
  source = "\n".join(f"v_{n}_f16_e32 v{10 + i}, v2" for i, n in enumerate(F16_UNARY))
  source += "\nv_frexp_exp_i16_f16_e32 v5, v2\nv_ldexp_f16_e32 v6, v2, v3"
  with np.errstate(all="ignore"):
    for x in codes.reshape(-1, 64):
      e = _RNG.integers(-30, 30, 64).astype(np.int16)
      got = isa.run("gfx942", source, v={2: x, 3: e})
      half = lambda register: got.v[register].astype(np.uint16).view(np.float16)
      for i, (name, function) in enumerate(F16_UNARY.items()):
        expected = function(x.astype(np.float64)).astype(np.float16)
        if name in ("sin", "cos"):
          kept = np.isfinite(x) & (np.abs(x) <= 256)
          # A sine near zero may be -0, 0 or the rounding error of 2 pi.
          close = np.abs(half(10 + i) - expected) < 1e-3
          assert close[kept].all(), name
        else:
          same(half(10 + i), expected)
      same(half(6), np.ldexp(x, e))
      exponents = np.where(np.isfinite(x), np.frexp(x)[1], 0)
      assert (got.v[5] == (exponents & 0xFFFF)).all()


def test_f16_selection():
  """Minima, maxima and medians, also packed; v_subrev, v_pk_mul, v_pk_fmac."""
  source = (
    "v_min3_f16 v5, v2, v3, v4\nv_max3_f16 v6, v2, v3, v4\nv_med3_f16 v7, v2, v3, v4\n"
    "v_subrev_f16_e32 v8, v2, v3\nv_pk_min_f16 v9, v2, v3\nv_pk_max_f16 v10, v2, v3\n"
    "v_pk_mul_f16 v11, v2, v3\nv_pk_fmac_f16_e32 v12, v2, v3\n"
    "v_pk_minimum3_f16 v13, v2, v3, v4\nv_pk_maximum3_f16 v14, v2, v3, v4"
  )
  a, b, c = (_RNG.standard_normal((2, 64)).astype(np.float16) for _ in range(3))
  a[:, :2], c[:, 1:3] = np.nan, np.nan
  pack = lambda x: x[0].view(np.uint16) | x[1].view(np.uint16).astype(np.uint32) << 16
  start = {2: pack(a), 3: pack(b), 4: pack(c), 5: 0, 6: 0, 7: 0}
  got = isa.run("gfx950", source, v=start | {12: pack(c)})
  half = lambda register, i: (
    (got.v[register] >> 16 * i).astype(np.uint16).view(np.float16)
  )
  same(half(5, 0), np.fmin(np.fmin(a[0], b[0]), c[0]))
  same(half(6, 0), np.fmax(np.fmax(a[0], b[0]), c[0]))
  middle = np.where(
    np.isnan(a[0]) | np.isnan(c[0]), half(5, 0), np.sort([a[0], b[0], c[0]], axis=0)[1]
  )
  same(half(7, 0), middle)
  same(half(8, 0), b[0] - a[0])
  for i in (0, 1):
    same(half(9, i), np.fmin(a[i], b[i]))
    same(half(10, i), np.fmax(a[i], b[i]))
    same(half(11, i), a[i] * b[i])
    # These products and sums are exact in float64; only the result is rounded.
    exact = a[i].astype(np.float64) * b[i] + c[i].astype(np.float64)
    same(half(12, i), exact.astype(np.float16))
    same(half(13, i), np.minimum(np.minimum(a[i], b[i]), c[i]))
    same(half(14, i), np.maximum(np.maximum(a[i], b[i]), c[i]))


def test_division_f16():
  """Clang divides in float32, rounds, and fixes the special cases up."""
  source = (
    "v_cvt_f32_f16_e32 v5, v2\nv_cvt_f32_f16_e32 v6, v3\nv_rcp_f32_e32 v7, v6\n"
    "v_mul_f32_e32 v7, v5, v7\nv_cvt_f16_f32_e32 v7, v7\nv_div_fixup_f16 v8, v7, v3, v2"
  )
  special = np.float16([0, -0.0, 1, -2, np.inf, -np.inf, np.nan, 65504])
  a, b = np.repeat(special, 8), np.tile(special, 8)
  got = isa.run("gfx942", source, v={2: a, 3: b, 8: 0})
  with np.errstate(all="ignore"):
    same(got.v[8].astype(np.uint16).view(np.float16), a / b)


def test_fma_f16():
  """There is one rounding, even where float or double arithmetic would round twice."""
  finite = _F16[np.isfinite(_F16)]
  for _ in range(20):
    a, b, c = (_RNG.choice(finite, 64) for _ in range(3))
    a[:8], b[:8] = np.float16(1 + 2.0**-10), np.float16(1 + 2.0**-10)
    c[:8] = np.float16([2.0**-24, -(2.0**-24), 2.0**11, -(2.0**11), 2.0**-14, 1, -1, 0])
    got = isa.run(
      "gfx942",
      "v_fma_f16 v5, v2, v3, v4\nv_pk_fma_f16 v6, v2, v3, v4",
      v={2: a, 3: b, 4: c, 5: 0},
    )
    for lane in range(64):
      exact = sum(
        (
          fractions.Fraction(float(a[lane])) * fractions.Fraction(float(b[lane])),
          fractions.Fraction(float(c[lane])),
        )
      )
      rounded = round_float(exact, 11, -24)
      if abs(rounded) > 65504:
        rounded = math.copysign(math.inf, rounded)
      for register in (5, 6):
        value = got.v[register][lane : lane + 1].astype(np.uint16).view(np.float16)[0]
        assert float(value) == rounded, (a[lane], b[lane], c[lane])


def test_mixed_fma():
  a, c = _RNG.standard_normal(64).astype(F32), _RNG.standard_normal(64).astype(F32)
  h = _RNG.standard_normal((2, 64)).astype(np.float16)
  both = h[0].view(np.uint16) | h[1].view(np.uint16).astype(np.uint32) << 16
  got = isa.run(
    "gfx942",
    "v_fma_mix_f32 v5, v2, v3, v4 op_sel:[0,1,0] op_sel_hi:[0,1,0]\n"
    "v_fma_mixlo_f16 v6, v3, -v3, |v4| op_sel:[0,1,0] op_sel_hi:[1,1,0]\n"
    "v_fma_mixhi_f16 v6, v2, v3, v4 op_sel_hi:[0,1,0]",
    v={2: a, 3: both, 4: c, 6: 0x12345678},
  )
  fma = lambda x, y, z: (x.astype(np.float64) * y + z).astype(F32)
  same(got.v[5].view(F32), fma(a, h[1], c))
  same(
    (got.v[6] & 0xFFFF).astype(np.uint16).view(np.float16),
    fma(h[0], -h[1], np.abs(c)).astype(np.float16),
  )
  same(
    (got.v[6] >> 16).astype(np.uint16).view(np.float16),
    fma(a, h[0], c).astype(np.float16),
  )


def test_float_constants_of_mixed_fma_are_float16():
  h = _RNG.standard_normal(64).astype(np.float16)
  got = isa.run(
    "gfx942",
    "v_fma_mix_f32 v5, v3, 0.5, 0 op_sel_hi:[1,1,0]\n"
    "v_fma_mix_f32 v6, v3, -4.0, 1.0 op_sel_hi:[1,1,1]",
    v={3: h.view(np.uint16).astype(np.uint32)},
  )
  same(got.v[5].view(F32), h.astype(F32) / 2)
  same(got.v[6].view(F32), 1 - 4 * h.astype(F32))
  with pytest.raises(isa.StepError, match="a float constant as float32"):
    isa.run("gfx942", "v_fma_mix_f32 v5, v3, 0.5, 0 op_sel_hi:[1,0,0]", v={3: 0})


def test_float_dots():
  h = _RNG.standard_normal((4, 64)).astype(np.float16)
  b = _RNG.standard_normal((4, 64)).astype(ml_dtypes.bfloat16)
  c = _RNG.standard_normal(64).astype(F32)
  pack = lambda x, y: x.view(np.uint16) | y.view(np.uint16).astype(np.uint32) << 16
  got = isa.run(
    "gfx950",
    "v_dot2_f32_f16 v8, v2, v3, v6\nv_dot2_f32_bf16 v9, v4, v5, v6\n"
    "v_mov_b32_e32 v10, v6\nv_dot2c_f32_f16_e32 v10, v2, v3\n"
    "v_mov_b32_e32 v11, v6\nv_dot2c_f32_bf16_e32 v11, v4, v5",
    v={
      2: pack(h[0], h[1]),
      3: pack(h[2], h[3]),
      4: pack(b[0], b[1]),
      5: pack(b[2], b[3]),
      6: c,
    },
  )
  f, g = h.astype(F32), b.astype(F32)
  same(got.v[8].view(F32), (c + f[0] * f[2]) + f[1] * f[3])
  same(got.v[9].view(F32), (g[0] * g[2] + g[1] * g[3]) + c)
  same(got.v[10].view(F32), got.v[8].view(F32))
  same(got.v[11].view(F32), (c + g[0] * g[2]) + g[1] * g[3])
