#include "runtime/tensor_maps.h"

#include "plan/hopper/tma.h"
#include "sm90/launch_args.h"

namespace jaxgemm {
namespace {

// Values of CUtensorMapDataType, CUtensorMapSwizzle and CUtensorMapL2promotion. A promotion to 256
// bytes gives the L2 a fifth more work, which lowers the clock in large products (no file
// of that measurement was kept).
constexpr int kUint8 = 0, kUint32 = 2, kFloat16 = 6, kFloat32 = 7, kBFloat16 = 9, kTFloat32 = 11;
constexpr int kSwizzle128 = 3, kPromote128 = 2;

int TypeOf(DType dtype) {
  switch (dtype) {
    case DType::kBF16: return kBFloat16;
    case DType::kF16: return kFloat16;
    case DType::kF32: return kTFloat32;  // rounded to TF32, which wgmma multiplies
    default: return kUint8;
  }
}
// Results of 32 bits are stored as they are, but TMA adds floats to an out that is accumulated
// into.
int OutTypeOf(const Problem& p) {
  if (p.accumulate) return kFloat32;
  return Bytes(p.out_dtype) == 4 ? kUint32 : TypeOf(p.out_dtype);
}

// Describes an array [z, y, x] with boxes of [1, box_y, box_x]. The lines of a box are 128 bytes
// apart in shared memory, also if they are shorter. Returns false if TMA cannot read the array:
// lines must begin at multiples of 16 bytes, and strides must be less than 2**40 bytes.
bool Encode(const Driver& driver, int type, int64_t bytes, const void* address, int64_t z,
            int64_t y, int64_t x, int64_t box_y, int64_t box_x, TensorMap* map) {
  const int64_t line = x * bytes;
  constexpr int64_t kMax = int64_t{1} << 31;
  if (line % 16 != 0 || reinterpret_cast<uintptr_t>(address) % 16 != 0 || x <= 0 || y <= 0 ||
      z <= 0 || x > kMax || y > kMax || z > kMax || y * line >= int64_t{1} << 40) {
    return false;
  }
  const uint64_t sizes[] = {static_cast<uint64_t>(x), static_cast<uint64_t>(y),
                            static_cast<uint64_t>(z)};
  const uint64_t strides[] = {static_cast<uint64_t>(line), static_cast<uint64_t>(y * line)};
  const uint32_t box[] = {static_cast<uint32_t>(box_x), static_cast<uint32_t>(box_y), 1};
  const uint32_t element_strides[] = {1, 1, 1};
  return driver.encode_tensor_map(map, type, 3, const_cast<void*>(address), sizes, strides, box,
                                  element_strides, /*interleave=*/0, kSwizzle128, kPromote128,
                                  /*out_of_bounds=*/0) == 0;
}
// The same for an operand, with lines of 128 bytes.
bool EncodeOperand(const Driver& driver, DType dtype, const void* address, int64_t z, int64_t y,
                   int64_t x, int64_t box_y, TensorMap* map) {
  return Encode(driver, TypeOf(dtype), Bytes(dtype), address, z, y, x, box_y,
                kBoxBytes / Bytes(dtype), map);
}
// Describes boxes for the last rows of an operand [z, rows, k], which do not fill a box of box_rows
// rows. Returns how many rows these are; 0: whole boxes have all rows.
int32_t EncodeRest(const Driver& driver, DType dtype, const void* address, int64_t z, int64_t rows,
                   int64_t k, int64_t box_rows, TensorMap* map) {
  const int64_t rest = rows % box_rows;
  const bool encoded = rest > 0 && EncodeOperand(driver, dtype, address, z, rows, k, rest, map);
  return encoded ? static_cast<int32_t>(rest) : 0;
}

}  // namespace

TensorMaps MakeTensorMaps(const Driver& driver, const Call& call) {
  const Problem& p = call.problem;
  const GpuInstance& instance = *call.plan.instance;
  const int64_t cluster = Sm90Cluster(instance);
  const Tma tma(p);
  TensorMaps maps{.cluster_m = static_cast<int32_t>(call.plan.choice.cluster_m),
                  .cluster_n = static_cast<int32_t>(call.plan.choice.cluster_n)};
  // Of a box: rows of lhs, and k of an rhs that is not k-contiguous.
  const int64_t lhs_rows =
      IsForFewRows(instance) ? kFewRowsBox : instance.tile_m / cluster / maps.cluster_n;
  const int64_t rhs_k = instance.tile_k / cluster / maps.cluster_m;
  const int64_t lhs_batch = p.lhs_batched ? p.batch : 1;
  // What is gathered is not loaded by TMA.
  maps.lhs_valid = !p.lhs_gathered && (tma.reads_lhs || LhsInRegisters(instance)) &&
                   (p.lhs_contracting == 1 ? EncodeOperand(driver, p.lhs_dtype, call.lhs, lhs_batch,
                                                           p.m, p.k, lhs_rows, &maps.lhs)
                                           : EncodeOperand(driver, p.lhs_dtype, call.lhs, lhs_batch,
                                                           p.k, p.m, instance.tile_k, &maps.lhs));
  if (maps.lhs_valid && p.lhs_contracting == 1) {
    maps.lhs_rest_rows =
        EncodeRest(driver, p.lhs_dtype, call.lhs, lhs_batch, p.m, p.k, lhs_rows, &maps.lhs_rest);
  }
  // If rhs is k-contiguous, a box has all of the tile's columns or half of them. Else a box has the
  // part of the k that a CTA loads for all CTAs of a cluster.
  const bool halves = LoadsRhsInHalves(call.plan.choice.form, cluster,
                                       /*multicasts=*/maps.cluster_m * maps.cluster_n > 1);
  const int64_t rhs_columns = instance.tile_n / (halves ? 2 : 1);
  maps.rhs_valid =
      !p.rhs_gathered && (tma.reads_rhs || RhsInRegisters(instance, call.plan.choice.form)) &&
      (p.rhs_contracting == 1 ? EncodeOperand(driver, p.rhs_dtype, call.rhs, p.num_rhs(),
                                              p.num_columns(), p.k, rhs_columns, &maps.rhs)
                              : EncodeOperand(driver, p.rhs_dtype, call.rhs, p.num_rhs(), p.k,
                                              p.num_columns(), rhs_k, &maps.rhs));
  const int64_t rest_columns = instance.tile_n % (kBoxBytes / Bytes(p.rhs_dtype));
  if (maps.rhs_valid && p.rhs_contracting == 0 && rest_columns > 0) {
    maps.rhs_valid = Encode(driver, TypeOf(p.rhs_dtype), Bytes(p.rhs_dtype), call.rhs, p.num_rhs(),
                            p.k, p.num_columns(), rhs_k, rest_columns, &maps.rhs_rest);
  }
  if (maps.rhs_valid && p.rhs_contracting == 1) {
    maps.rhs_rest_rows = EncodeRest(driver, p.rhs_dtype, call.rhs, p.num_rhs(), p.num_columns(),
                                    p.k, rhs_columns, &maps.rhs_rest);
  }
  const int64_t neighbours = p.out_dtype == DType::kF32 ? 2 : 8;
  maps.stores_unstaged = IsWideFloat(p.out_dtype) && p.n % neighbours == 0 &&
                         reinterpret_cast<uintptr_t>(call.out) % 16 == 0 &&
                         reinterpret_cast<uintptr_t>(call.preact) % 16 == 0;
  maps.out_valid = (maps.stores_unstaged || p.out_dtype == DType::kS32) &&
                   !call.plan.choice.transposed &&
                   Encode(driver, OutTypeOf(p), Bytes(p.out_dtype), call.out, p.num_out(), p.m, p.n,
                          kBoxRows, kBoxBytes / Bytes(p.out_dtype), &maps.out);
  // Only TMA adds to out without staging.
  if (p.accumulate) maps.stores_unstaged = maps.out_valid;
  return maps;
}

}  // namespace jaxgemm
