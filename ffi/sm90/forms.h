// The forms of a GPU kernel, and what is asked about them. It comes from the columns of forms.def.
// Most of it is about Hopper: AMD's kernels have three forms, which differ in their work only.
#pragma once

#include <cstdint>

#include "spec/types.h"

namespace jaxgemm {

enum class KernelForm : uint8_t {
#define JAXGEMM_FORM(id, ...) id,
#include "sm90/forms.def"
#undef JAXGEMM_FORM
};
inline constexpr int kKernelForms = 0
#define JAXGEMM_FORM(...) +1
#include "sm90/forms.def"
#undef JAXGEMM_FORM
    ;

enum class FormWork : uint8_t {
  kAny,      // Every product and schedule, but no cluster split-K.
  kScaled,   // As kAny, but for operands with scales of blocks along k.
  kMx,       // As kScaled, but for operands in an MX format.
  kDense,    // Dense products, with tiles at a fixed stride.
  kClaimed,  // As kDense, but tiles are stolen or wait for chunks of lhs.
  kPeers,    // Dense products, with cluster split-K. Kernels of out^T: whole tiles, too.
  // Grouped products, with tiles at a fixed stride. Each form has little code, and all that a tile
  // needs lies near the main loop: code is fetched as it is executed, and far code is fetched late
  // for every tile.
  kGrouped,
  // As kGrouped, with any epilogue, for groups of few rows (IsForFewRows).
  kFewRows,
};
enum class FormStore : uint8_t {
#define JAXGEMM_STORE(id, reason) id,
#include "sm90/forms.def"
#undef JAXGEMM_STORE
};
// Whether the two consumer warpgroups ping-pong: each has an output tile of its own, and one stores
// while the other multiplies. kIfFits: with the tiles that IsPingPong says, else both work on one
// tile. kAlways: an instance with another tile does not have the form.
enum class FormTurns : uint8_t { kNever, kIfFits, kAlways };

struct FormColumns {
  FormWork work;
  FormStore store;
  FormTurns turns;
  int ctas;
};
constexpr FormColumns ColumnsOf(KernelForm form) {
  switch (form) {
#define JAXGEMM_FORM(id, name, suffix, work, store, turns, ctas) \
  case KernelForm::id: return {FormWork::work, FormStore::store, FormTurns::turns, ctas};
#include "sm90/forms.def"
#undef JAXGEMM_FORM
  }
  return {};
}
constexpr FormWork WorkOf(KernelForm form) { return ColumnsOf(form).work; }
constexpr FormStore StoreOf(KernelForm form) { return ColumnsOf(form).store; }

// The first form for this work: with kAny and kMx the only one, with kScaled that for any epilogue.
constexpr KernelForm FormFor(FormWork work) {
#define JAXGEMM_FORM(id, name, suffix, form_work, ...) \
  if (work == FormWork::form_work) return KernelForm::id;
#include "sm90/forms.def"
#undef JAXGEMM_FORM
  return {};
}

constexpr bool IsGeneral(KernelForm form) { return WorkOf(form) == FormWork::kAny; }
constexpr bool IsScaled(KernelForm form) { return WorkOf(form) == FormWork::kScaled; }
constexpr bool IsMx(KernelForm form) { return WorkOf(form) == FormWork::kMx; }
constexpr bool IsPeers(KernelForm form) { return WorkOf(form) == FormWork::kPeers; }
constexpr bool IsClaimed(KernelForm form) { return WorkOf(form) == FormWork::kClaimed; }
constexpr bool IsFewRows(KernelForm form) { return WorkOf(form) == FormWork::kFewRows; }
constexpr bool IsGrouped(KernelForm form) {
  return WorkOf(form) == FormWork::kGrouped || IsFewRows(form);
}
// Forms for dense products that give a workgroup its tiles at a fixed stride (gemm_dense.h).
constexpr bool IsDense(KernelForm form) {
  return WorkOf(form) == FormWork::kDense || IsPeers(form);
}
// Forms that apply the epilogue to the accumulators.
constexpr bool IsFused(KernelForm form) { return StoreOf(form) == FormStore::kFused; }
// Forms in which TMA loads both operands, and accumulators are only cast to PlainOut and stored.
// Those of HasOnlyVectors apply bias and scales before.
constexpr bool IsPlain(KernelForm form) {
  return StoreOf(form) == FormStore::kCast || StoreOf(form) == FormStore::kVectors;
}
constexpr bool IsGroupedCast(KernelForm form) {
  return IsGrouped(form) && StoreOf(form) == FormStore::kCast;
}
constexpr bool Quantizes(KernelForm form) { return StoreOf(form) == FormStore::kQuantized; }
// Forms that always ping-pong. Others may, too.
constexpr bool AlwaysPingPongs(KernelForm form) {
  return ColumnsOf(form).turns == FormTurns::kAlways;
}
constexpr bool NeverPingPongs(KernelForm form) {
  return ColumnsOf(form).turns == FormTurns::kNever;
}
// How many CTAs a multiprocessor runs at once.
constexpr int Sm90CtasPerSm(KernelForm form) { return ColumnsOf(form).ctas; }

// The rest combines columns with the tile and the operands of an instance.

// The type of out that an instance's plain forms store.
constexpr DType PlainOut(DType lhs) { return lhs == DType::kF16 ? DType::kF16 : DType::kBF16; }

// The least number of k tiles for forms that always ping-pong: the boxes of a CTA's last tile go
// through the stages that its warpgroup has read, one box through each.
inline constexpr int kPingPongKTiles = 4;

// Tiles of 64 rows are for groups of few rows, whose time is that of reading rhs. A CTA has one
// consumer warpgroup, and as many stages as there is room for.
constexpr bool IsForFewRows(int64_t tile_m) { return tile_m == 64; }
// In a tile of 256x160 each consumer warpgroup has two blocks of 64 rows, so that the CTA reads
// fewer bytes for each multiplication.
constexpr bool HasTwoBlocks(int64_t tile_n) { return tile_n == 160; }
// The rows of a tile that one CTA computes.
constexpr int64_t CtaRows(int64_t tile_m, int64_t tile_n) {
  return IsForFewRows(tile_m) ? tile_m : HasTwoBlocks(tile_n) ? 256 : 128;
}
// The CTAs that share a tile's rhs.
constexpr int64_t Sm90Cluster(int64_t tile_m, int64_t tile_n) {
  return tile_m / CtaRows(tile_m, tile_n);
}
// Whether the consumer warpgroups ping-pong: each has all accumulators of its own output tile.
constexpr bool IsPingPong(KernelForm form, int64_t tile_n) {
  if (NeverPingPongs(form) || HasTwoBlocks(tile_n)) return false;
  // With the accumulators of 192 columns there are too few registers for an epilogue, but enough
  // for vectors (HasOnlyVectors).
  if (IsFused(form)) return tile_n == 128 || tile_n == 192;
  return tile_n > 96 && tile_n <= 192;
}

// Whether the form applies vectors (bias, scale, row_scale) to the accumulators and then casts them
// as the plain forms do. The scales of 8-bit floats are vectors. With the accumulators of 256
// columns there are too few registers.
constexpr bool HasOnlyVectors(KernelForm form, DType lhs, int64_t tile_n) {
  if (StoreOf(form) == FormStore::kVectors) return true;
  return ElementBytes(lhs) == 1 && lhs != DType::kS8 &&
         ((IsGroupedCast(form) && tile_n <= 192) ||
          (IsFused(form) && AlwaysPingPongs(form) && tile_n == 192));
}

// Tiles with columns that do not fill boxes of 64 are for sizes between those of the other tiles.
// They have dense forms only. Their results go straight from the registers to out.
constexpr bool HasOnlyDenseForms(int64_t tile_n, bool transposed) {
  return !transposed && tile_n % 64 != 0;
}

// Whether a grouped form that casts reads rhs, of 8 or 32 bits and not k-contiguous, into
// registers, because wgmma reads these types from shared memory only k-major. It then multiplies
// rhs^T lhs^T.
constexpr bool MayHaveRhsInRegisters(DType lhs, bool lhs_k_contiguous, bool rhs_k_contiguous,
                                     bool transposed) {
  return ElementBytes(lhs) != 2 && lhs != DType::kS8 && lhs_k_contiguous && !rhs_k_contiguous &&
         !transposed;
}
constexpr bool RhsInRegisters(KernelForm form, DType lhs, bool lhs_k_contiguous,
                              bool rhs_k_contiguous, bool transposed) {
  return IsGroupedCast(form) &&
         MayHaveRhsInRegisters(lhs, lhs_k_contiguous, rhs_k_contiguous, transposed);
}
// Whether an instance has no other form. The tile of 128 x 128 also has other forms, which load
// rhs element by element.
constexpr bool HasOnlyGroupedForm(DType lhs, int64_t tile_n, bool lhs_k_contiguous,
                                  bool rhs_k_contiguous, bool transposed) {
  return MayHaveRhsInRegisters(lhs, lhs_k_contiguous, rhs_k_contiguous, transposed) && tile_n > 128;
}

// `transposed`: out is stored column-major.
constexpr bool HasForm(KernelForm form, DType lhs, int64_t tile_m, int64_t tile_n,
                       bool lhs_k_contiguous, bool rhs_k_contiguous, bool transposed) {
  if (IsMx(form)) return false;
  if (IsFewRows(form) || IsForFewRows(tile_m)) return IsFewRows(form) && IsForFewRows(tile_m);
  if (RhsInRegisters(form, lhs, lhs_k_contiguous, rhs_k_contiguous, transposed)) return true;
  if (HasOnlyGroupedForm(lhs, tile_n, lhs_k_contiguous, rhs_k_contiguous, transposed)) {
    return false;
  }
  // A tile has whole blocks of 128 columns.
  if (Quantizes(form) && (tile_n % 128 != 0 || lhs == DType::kS8)) return false;
  if (IsScaled(form)) {
    // The registers have the accumulators, and as many partial sums of a block of k. No product was
    // clearly faster with a form for tiles of 256 rows that only casts.
    const bool casts = StoreOf(form) == FormStore::kCast;
    const bool fits = casts ? tile_m == 128 && (tile_n == 128 || tile_n == 192) : tile_n == 128;
    return !transposed && fits && ElementBytes(lhs) == 1 && lhs != DType::kS8 && lhs_k_contiguous &&
           rhs_k_contiguous;
  }
  if (Sm90CtasPerSm(form) > 1) return transposed && tile_n < 64;
  if (transposed) return IsPeers(form);
  if (IsPeers(form)) return Sm90Cluster(tile_m, tile_n) == 1 && tile_n <= 144;
  if (HasTwoBlocks(tile_n)) {
    return ElementBytes(lhs) == 2 && IsDense(form) && NeverPingPongs(form);
  }
  if (HasOnlyDenseForms(tile_n, transposed) && !IsDense(form)) return false;
  if (IsGeneral(form)) return true;
  if (AlwaysPingPongs(form) && !IsPingPong(form, tile_n)) return false;
  if (IsFused(form) && IsPingPong(form, tile_n) && tile_n == 192 &&
      !HasOnlyVectors(form, lhs, tile_n)) {
    return false;
  }
  if (IsGrouped(form) && lhs == DType::kS8) return false;
  if (StoreOf(form) == FormStore::kGated && tile_n % 128 != 0) return false;
  // Grouped forms of 8-bit floats that cast apply vectors themselves.
  if (StoreOf(form) == FormStore::kVectors && ElementBytes(lhs) == 1) return false;
  // The plan takes the other forms only if TMA reads both operands, so those of 8 or 32 bits must
  // be k-contiguous.
  if (ElementBytes(lhs) == 2) return true;
  // The plain forms do not store results of float32 and int8 operands.
  const bool stores_plain = ElementBytes(lhs) == 1 && lhs != DType::kS8;
  return lhs_k_contiguous && rhs_k_contiguous &&
         (IsFused(form) || Quantizes(form) || StoreOf(form) == FormStore::kWide || stores_plain);
}

// Whether the form also runs if TMA cannot read an operand, which its threads then copy. In tiles
// that have no general form, the fused form does.
constexpr bool MayLoadByElement(KernelForm form, int64_t tile_n, bool transposed) {
  return IsGeneral(form) || IsPeers(form) ||
         (IsFused(form) && !AlwaysPingPongs(form) && HasOnlyDenseForms(tile_n, transposed));
}

// Whether the kernel reads an lhs of float32 that is not k-contiguous into registers, because wgmma
// reads float32 from shared memory only k-major.
constexpr bool LhsInRegisters(DType lhs, bool lhs_k_contiguous, bool transposed) {
  return lhs == DType::kF32 && !lhs_k_contiguous && transposed;
}

// Whether two CTAs of a cluster with tiles of the same columns may each load half of rhs for both,
// and two with tiles of the same rows half of lhs (multicast). Only cluster split-K does it: in the
// others it gained nothing. The two CTAs of a tile of 256 rows always load rhs for each other, in
// all forms.
constexpr bool MayMulticast(KernelForm form, DType lhs, bool lhs_k_contiguous, bool transposed) {
  return IsPeers(form) && !LhsInRegisters(lhs, lhs_k_contiguous, transposed);
}
// The largest number of CTAs that load an operand for each other.
inline constexpr int kMostMulticast = 2;
// Whether boxes of a k-contiguous rhs have half of a tile's columns: two CTAs load one each, or the
// halves of a gated product lie apart. Else a box has all columns.
constexpr bool LoadsRhsInHalves(KernelForm form, int64_t cluster, bool multicasts) {
  return !IsDense(form) || cluster > 1 || multicasts;
}

}  // namespace jaxgemm
