"""Conversions of the vector unit, against numpy and ml_dtypes."""

import ml_dtypes
import numpy as np
import pytest

from tests.emulator import emulator_isa as isa
from tests.emulator.isa_values import F32, pairs, same

# gfx942 has the FNUZ formats, gfx950 the OCP formats.
FP8 = {
  "gfx942": (ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2fnuz),
  "gfx950": (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2),
}
_RNG = np.random.default_rng(11)


def values() -> np.ndarray:
  """Special values, ties and random floats near the ranges of float8 and float16."""
  ties = np.arange(2**16, dtype=np.uint32)[::37] << 16
  near = (_RNG.standard_normal(2048) * 2.0 ** _RNG.integers(-26, 17, 2048)).astype(F32)
  x = np.concatenate(
    [pairs()[0].reshape(-1), ties.view(F32), (ties + 0x8000).view(F32), near]
  )
  return x[: x.size // 64 * 64].reshape(-1, 64)


def test_integers():
  with np.errstate(all="ignore"):
    for x in values():
      got = isa.run(
        "gfx942",
        "v_cvt_i32_f32_e32 v3, v2\nv_cvt_u32_f32_e32 v4, v2\n"
        "v_cvt_flr_i32_f32_e32 v5, v2\nv_cvt_rpi_i32_f32_e32 v6, v2",
        v={2: x},
      )
      for register, rounded, low, high in (
        (3, np.trunc(x), -(2**31), 2**31 - 1),
        (4, np.trunc(x), 0, 2**32 - 1),
        (5, np.floor(x), -(2**31), 2**31 - 1),
        (6, np.floor(x + F32(0.5)), -(2**31), 2**31 - 1),
      ):
        exact = np.nan_to_num(rounded.astype(np.float64), nan=0.0)
        expected = np.clip(exact, low, high).astype(np.int64)
        assert (got.v[register] == (expected & 0xFFFFFFFF)).all()
  bits = _RNG.integers(0, 2**32, 64, np.uint32)
  bits[:3] = 0x7FFFFFFF, 0x80000000, 0xFFFFFF7F
  got = isa.run(
    "gfx942",
    "v_cvt_f32_i32_e32 v3, v2\nv_cvt_f32_u32_e32 v4, v2\n"
    "v_cvt_f32_ubyte0_e32 v5, v2\nv_cvt_f32_ubyte1_e32 v6, v2\n"
    "v_cvt_f32_ubyte2_e32 v7, v2\nv_cvt_f32_ubyte3_e32 v8, v2\n"
    "v_cvt_f16_u16_e32 v9, v2\nv_cvt_f16_i16_e32 v10, v2",
    v={2: bits},
  )
  same(got.v[3].view(F32), bits.view(np.int32).astype(F32))
  same(got.v[4].view(F32), bits.astype(F32))
  for byte in range(4):
    same(got.v[5 + byte].view(F32), (bits >> 8 * byte & 255).astype(F32))
  with np.errstate(over="ignore"):
    same(
      got.v[9].astype(np.uint16).view(np.float16),
      bits.astype(np.uint16).astype(np.float16),
    )
  same(
    got.v[10].astype(np.uint16).view(np.float16),
    bits.astype(np.uint16).view(np.int16).astype(np.float16),
  )


def test_float16():
  for codes in np.arange(2**16, dtype=np.uint16).reshape(-1, 64)[::7]:
    half = codes.view(np.float16)
    got = isa.run(
      "gfx942",
      "v_cvt_f32_f16_e32 v3, v2\nv_cvt_i16_f16_e32 v4, v2\n"
      "v_cvt_u16_f16_e32 v5, v2\nv_cvt_f16_f32_e32 v6, v3",
      v={2: codes},
    )
    same(got.v[3].view(F32), half.astype(F32))
    exact = np.trunc(np.nan_to_num(half.astype(np.float64), nan=0.0))
    signed = np.clip(exact, -32768, 32767).astype(np.int64)
    assert (got.v[4] == (signed & 0xFFFF)).all()
    assert (got.v[5] == np.clip(exact, 0, 65535)).all()
    same(got.v[6].astype(np.uint16).view(np.float16), half)
  with np.errstate(all="ignore"):
    for x in values():
      y = np.roll(x, 1)
      got = isa.run(
        "gfx950",
        "v_cvt_f16_f32_e32 v3, v2\nv_cvt_pkrtz_f16_f32 v4, v2, v5\n"
        "v_cvt_pk_f16_f32 v6, v2, v5\nv_cvt_pk_bf16_f32 v7, v2, v5\n"
        "v_pack_b32_f16 v8, v3, v6 op_sel:[0,1,0]",
        v={2: x, 5: y},
      )
      nearest = x.astype(np.float16)
      same(got.v[3].astype(np.uint16).view(np.float16), nearest)
      same((got.v[6] & 0xFFFF).astype(np.uint16).view(np.float16), nearest)
      same((got.v[6] >> 16).astype(np.uint16).view(np.float16), y.astype(np.float16))
      same(
        got.v[7].astype(np.uint16).view(ml_dtypes.bfloat16).astype(F32),
        x.astype(ml_dtypes.bfloat16).astype(F32),
      )
      same(
        (got.v[7] >> 16).astype(np.uint16).view(ml_dtypes.bfloat16).astype(F32),
        y.astype(ml_dtypes.bfloat16).astype(F32),
      )
      away = np.isfinite(x) & (np.abs(nearest.astype(np.float64)) > np.abs(x))
      towards_zero = np.where(away, np.nextafter(nearest, np.float16(0)), nearest)
      same((got.v[4] & 0xFFFF).astype(np.uint16).view(np.float16), towards_zero)
      assert (got.v[8] == (got.v[3] & 0xFFFF | got.v[6] & 0xFFFF0000)).all()


def test_bfloat16():
  for codes in np.arange(2**16, dtype=np.uint16).reshape(-1, 64)[::13]:
    got = isa.run("gfx950", "v_cvt_f32_bf16_e32 v3, v2", v={2: codes})
    same(got.v[3].view(F32), codes.view(ml_dtypes.bfloat16).astype(F32))


@pytest.mark.parametrize("arch", ("gfx942", "gfx950"))
def test_float8_decode(arch):
  """All 256 codes, in every byte and as pairs."""
  for name, dtype in zip(("fp8", "bf8"), FP8[arch]):
    codes = np.arange(256, dtype=np.uint8)
    exact = codes.view(dtype).astype(F32)
    for part in codes.reshape(4, 64):
      x = part.astype(np.uint32) << 8 | 0x33_0000_44
      got = isa.run(
        arch,
        f"v_cvt_f32_{name}_sdwa v3, v2 src0_sel:BYTE_1\n"
        f"v_cvt_f32_{name}_sdwa v4, v2 src0_sel:BYTE_3\n"
        f"v_cvt_pk_f32_{name}_e32 v[6:7], v2\n"
        f"v_cvt_pk_f32_{name}_sdwa v[8:9], v2 src0_sel:WORD_1\n"
        f"v_cvt_f32_{name}_e32 v5, v2",
        v={2: x},
      )
      for register in (3, 7):
        same(got.v[register].view(F32), exact[part])
      same(got.v[4].view(F32), np.full(64, exact[0x33]))
      for register in (5, 6):
        same(got.v[register].view(F32), np.full(64, exact[0x44]))
      same(got.v[8].view(F32), np.full(64, exact[0x00]))
      same(got.v[9].view(F32), np.full(64, exact[0x33]))


@pytest.mark.parametrize("arch", ("gfx942", "gfx950"))
def test_float8_encode(arch):
  """Rounds to nearest even; an overflow becomes inf if the format has it, else NaN."""
  with np.errstate(all="ignore"):
    for name, dtype in zip(("fp8", "bf8"), FP8[arch]):
      for x in values():
        y = np.roll(x, 1)
        got = isa.run(
          arch,
          f"v_cvt_pk_{name}_f32 v3, v2, v5\n"
          f"v_cvt_pk_{name}_f32 v4, v2, v5 op_sel:[0,0,1]",
          v={2: x, 5: y, 3: 0x12345678, 4: 0x12345678},
        )
        assert (got.v[3] >> 16 == 0x1234).all() and (got.v[4] & 0xFFFF == 0x5678).all()
        for part, wide in (
          (got.v[3], x),
          (got.v[3] >> 8, y),
          (got.v[4] >> 16, x),
          (got.v[4] >> 24, y),
        ):
          decoded = (part & 255).astype(np.uint8).view(dtype).astype(F32)
          same(decoded, wide.astype(dtype).astype(F32))

# gfx950's conversions with a scale: the type of the other side, and how many values are converted.
SCALED = {"f32": F32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}


def scale_words(rng) -> tuple[np.ndarray, np.ndarray]:
  """64 floats whose exponents are scales, and these scales; 255 is NaN, as in E8M0."""
  words = rng.integers(0, 2**32, 64, np.uint32)  # mantissas and signs do not matter
  exponents = words >> 23 & 255
  exponents[:4] = 0, 1, 254, 255
  exponents[4:48] = rng.integers(110, 145, 44)
  words = words & 0x807FFFFF | exponents.astype(np.uint32) << 23
  scales = np.ldexp(1.0, exponents.astype(int) - 127)
  scales[exponents == 255] = np.nan
  return words, scales


@pytest.mark.parametrize("name", SCALED)
def test_float8_decode_with_a_scale(name):
  """All 256 codes: op_sel's byte or half is multiplied by the scale, and rounded once."""
  wide = SCALED[name]
  with np.errstate(all="ignore"):
    for eight, dtype in zip(("fp8", "bf8"), FP8["gfx950"]):
      codes = np.arange(256, dtype=np.uint8)
      for part in codes.reshape(4, 64):
        words, scales = scale_words(_RNG)
        times_scale = lambda x: (x.view(dtype).astype(np.float64) * scales).astype(wide)
        bytes_ = [part, np.roll(part, 1), np.roll(part, 2), np.roll(part, 3)]
        x = sum(b.astype(np.uint32) << 8 * i for i, b in enumerate(bytes_))
        op, pair = f"v_cvt_scalef32_pk_{name}_{eight}", lambda v: f"v[{v}:{v + 1}]"
        to = pair if name == "f32" else lambda v: f"v{v}"
        source = f"{op} {to(8)}, v2, v3\n{op} {to(10)}, v2, v3 op_sel:[1,0,0]\n"
        got = isa.run("gfx950", source, v={2: x, 3: words})
        for half, register in enumerate((8, 10)):
          if name == "f32":
            values = [got.v[register].view(F32), got.v[register + 1].view(F32)]
          else:
            values = [(got.v[register] >> 16 * i).astype(np.uint16).view(wide)
                      for i in range(2)]
          for i, value in enumerate(values):
            same(value, times_scale(bytes_[2 * half + i]))
        if name == "bf16":
          continue
        op = f"v_cvt_scalef32_{name}_{eight}"
        # op_sel's third bit is the half of a float16 result; the other half is kept.
        high = 0 if name == "f32" else 1
        got = isa.run("gfx950", "\n".join(
            f"{op} v{8 + i}, v2, v3 op_sel:[{i & 1},{i >> 1},{high}]" for i in range(4)),
            v={2: x, 3: words, **{8 + i: 0x12345678 for i in range(4)}})
        for i in range(4):
          value = got.v[8 + i]
          if high:
            assert (value & 0xFFFF == 0x5678).all()
            value = (value >> 16).astype(np.uint16)
          same(value.view(wide), times_scale(bytes_[i]))


@pytest.mark.parametrize("name", SCALED)
def test_float8_encode_with_a_scale(name):
  """The quotient by the scale is rounded once; the half that is not written is kept."""
  wide = SCALED[name]
  with np.errstate(all="ignore"):
    for eight, dtype in zip(("fp8", "bf8"), FP8["gfx950"]):
      op = f"v_cvt_scalef32_pk_{eight}_{name}"
      for bits in values()[::3]:
        words, scales = scale_words(_RNG)
        x, y = bits.astype(wide), np.roll(bits, 1).astype(wide)
        if name == "f32":
          registers, sources = {2: x, 4: y}, "v2, v4, v3"
        else:
          both = x.view(np.uint16) | y.view(np.uint16).astype(np.uint32) << 16
          registers, sources = {2: both}, "v2, v3"
        zeros = "0,0,0" if name == "f32" else "0,0"
        got = isa.run("gfx950", f"{op} v8, {sources}\n{op} v9, {sources} op_sel:[{zeros},1]",
                      v={3: words, 8: 0x12345678, 9: 0x12345678, **registers})
        assert (got.v[8] >> 16 == 0x1234).all() and (got.v[9] & 0xFFFF == 0x5678).all()
        for part, exact in ((got.v[8], x), (got.v[8] >> 8, y), (got.v[9] >> 16, x),
                            (got.v[9] >> 24, y)):
          decoded = (part & 255).astype(np.uint8).view(dtype)
          same(decoded, (exact.astype(np.float64) / scales).astype(dtype))
