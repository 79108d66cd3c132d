#include "host/workgroups.h"

#include <algorithm>
#include <cstring>

#include "host/large_pages.h"
#include "host/mainloop.h"
#include "host/trace.h"
#include "kernel/quantize.h"
#include "schedule/fixup.h"

namespace jaxgemm {
namespace {

// An accumulator tile in memory, which is scratch, a slot for partial sums, or out itself. T is
// float or int32_t.
template <class T>
class HostAccumulator {
 public:
  HostAccumulator(T* slots, int64_t slot_size) : slots_(slots), slot_size_(slot_size) {}

  void Start(T* data, int64_t ld, int64_t rows, int64_t cols) {
    data_ = data, ld_ = ld, rows_ = rows, cols_ = cols;
  }
  T* slot(int64_t index) const { return slots_ + index * slot_size_; }
  T* data() const { return data_; }
  int64_t ld() const { return ld_; }

  // Copies nothing if the partial sums were computed in their slot.
  void Publish(int64_t index) {
    T* to = slot(index);
    if (to == data_) return;
    for (int64_t row = 0; row < rows_; ++row) {
      std::memcpy(to + row * ld_, data_ + row * ld_, static_cast<size_t>(cols_) * sizeof(T));
    }
    data_ = to;
  }
  void Load(int64_t index) { data_ = slot(index); }
  void Sum(int64_t first, int64_t step, int64_t count) {
    T* to = slot(first);
    for (int64_t i = 1; i < count; ++i) {
      const T* from = slot(first + i * step);
      for (int64_t row = 0; row < rows_; ++row) {
        for (int64_t col = 0; col < cols_; ++col) to[row * ld_ + col] += from[row * ld_ + col];
      }
    }
  }
  int32_t Arrive(int32_t* counter) { return FetchAddAcqRel(counter, 1); }
  void AddToSlot(int64_t index) {
    T* to = slot(index);
    for (int64_t row = 0; row < rows_; ++row) {
      for (int64_t col = 0; col < cols_; ++col) {
        AtomicAdd(to + row * ld_ + col, data_[row * ld_ + col]);
      }
    }
  }

 private:
  T* slots_;
  int64_t slot_size_;
  T* data_ = nullptr;
  int64_t ld_ = 0, rows_ = 0, cols_ = 0;
};

// ChunkSignals with a trace of each wait. A workgroup is one thread here, so no barrier follows.
struct TracedReady : ChunkSignals {
  bool Wait(const WorkTile& tile) const {
    Span span("wait", tile.m);
    return ChunkSignals::Wait(tile);
  }
};

// A matrix operand as the kernel sees it: with choice.transposed, lhs is rhs^T and rhs is lhs^T.
struct Operand {
  OperandView view;
  int64_t bytes, batch_stride;       // the stride is 0 if there is one matrix
  int64_t indices_batch_stride = 0;  // of the view's indices; 0 if all batches share them
  // The scales of its blocks; ScalesAt completes them. `data` is for the first matrix.
  BlockScales scales;
  int64_t scales_batch_stride = 0;

  OperandView At(int64_t batch, int64_t row, int64_t col) const {
    OperandView moved = view;
    moved.data = Offset(view.data, batch * batch_stride, bytes);
    if (view.row_indices) moved.row_indices += batch * indices_batch_stride;
    if (view.col_indices) moved.col_indices += batch * indices_batch_stride;
    return From(moved, row, col, bytes);
  }
  BlockScales ScalesAt(int64_t batch, int64_t line) const {
    BlockScales moved = scales;
    if (moved.data) moved.data += batch * scales_batch_stride;
    moved.first = line;
    return moved;
  }
};

// An operand with `count` matrices of `size` elements.
Operand MakeOperand(const void* data, DType dtype, int64_t rows, int64_t cols, bool row_major,
                    int64_t size, int64_t count) {
  return {.view = {.data = data,
                   .dtype = dtype,
                   .row_stride = row_major ? cols : 1,
                   .col_stride = row_major ? 1 : rows,
                   .total_bytes = count * size * Bytes(dtype)},
          .bytes = Bytes(dtype),
          .batch_stride = count > 1 ? size : 0};
}

// Adds scales to an operand that has `blocks` blocks of lines (rows of lhs or columns of rhs) and
// blocks_k blocks of k. by_k: the scales for one block of k are neighbours in memory; else those
// for one block of lines are.
Operand WithScales(Operand operand, const void* scales, int64_t block, int64_t blocks,
                   int64_t blocks_k, bool by_k) {
  operand.scales = {.data = static_cast<const float*>(scales),
                    .block = block,
                    .stride = by_k ? 1 : blocks_k,
                    .k_stride = by_k ? blocks : 1};
  operand.scales_batch_stride = operand.batch_stride ? blocks * blocks_k : 0;
  return operand;
}

// Gathers an operand's rows or its columns.
Operand Gathered(Operand operand, bool rows, const int32_t* indices, int64_t lines,
                 int64_t indices_batch_stride) {
  (rows ? operand.view.row_indices : operand.view.col_indices) = indices;
  operand.view.lines = lines;
  operand.indices_batch_stride = indices_batch_stride;
  return operand;
}

Operand Transpose(Operand operand) {
  std::swap(operand.view.row_stride, operand.view.col_stride);
  return operand;
}

template <class T>
class Workgroup {
 public:
  Workgroup(const HostCall& call, int64_t thread)
      : call_(call),
        plan_(call.plan),
        choice_(call.plan.choice),
        lhs_(MakeOperand(call.lhs, call.problem.lhs_dtype, call.problem.m, call.problem.k,
                         call.problem.lhs_contracting == 1, call.problem.lhs_size(),
                         call.problem.num_lhs())),
        rhs_(MakeOperand(call.rhs, call.problem.rhs_dtype, call.problem.k,
                         call.problem.num_columns(), call.problem.rhs_contracting == 0,
                         call.problem.rhs_size(), call.problem.num_rhs())),
        accumulator_(reinterpret_cast<T*>(call.workspace + (choice_.reduction == Reduction::kAtomic
                                                                ? plan_.atomic_offset
                                                                : plan_.partials_offset)),
                     choice_.tile_m * choice_.tile_n) {
    const Problem& p = call.problem;
    if (p.lhs_gathered) {
      lhs_ = Gathered(lhs_, /*rows=*/ragged_m(), call.lhs_indices, p.lhs_lines,
                      p.lhs_indices_batched ? p.ragged_extent() : 0);
    }
    if (p.rhs_gathered) {
      rhs_ = Gathered(rhs_, /*rows=*/true, call.rhs_indices, p.rhs_lines,
                      p.rhs_indices_batched ? p.ragged_extent() : 0);
    }
    if (plan_.scaled) {
      lhs_ = WithScales(lhs_, call.lhs_scales, p.block_m, p.blocks_m(), p.blocks_k(), false);
      rhs_ = WithScales(rhs_, call.rhs_scales, p.block_n, p.blocks_n(), p.blocks_k(),
                        /*by_k=*/p.block_n == 1);
    }
    if (plan_.choice.transposed) {
      std::swap(lhs_, rhs_);
      lhs_ = Transpose(lhs_), rhs_ = Transpose(rhs_);
    }
    char* scratch = call.workspace + plan_.scratch_offset + thread * plan_.scratch_bytes;
    auto take = [&scratch](int64_t bytes) {
      char* taken = scratch;
      scratch += (bytes + 63) / 64 * 64;
      return taken;
    };
    packed_a_ = take(HostPackedABytes(choice_.tile_m));
    packed_b_ = choice_.path == KernelPath::kFewRows
                    ? nullptr
                    : take(HostPackedBBytes(choice_.tile_n, plan_.k));
    scaled_ = plan_.scaled ? take(HostScaledBytes(choice_.tile_m, choice_.tile_n)) : nullptr;
    tile_ = reinterpret_cast<T*>(scratch);
  }

  void Run(Index index) {
    const Problem& p = call_.problem;
    if (p.ragged == Ragged::kNone) {
      // One whole tile needs no schedule, which takes longer than a small product.
      if (plan_.grid.num_tiles() == 1 && choice_.cut_tiles == 0 && p.tiles_per_chunk == 0) {
        if (index == 0) Run(WorkTile{.k_end = plan_.grid.tiles_k});
        return;
      }
      StreamKMap map = plan_.stream_k_map();
      map.grid.group_m = call_.chunks().GroupM(map.grid);
      return Run(index, map);
    }
    GroupedMap map = plan_.grouped_map(p);
    map.group_sizes = call_.group_sizes;
    map.StartAt(call_.group_offset);
    map.CountTiles(static_cast<Index>(choice_.num_workgroups),
                   static_cast<Index>(choice_.num_shares));
    Run(index, map);
  }

 private:
  template <class Map>
  void Run(Index index, Map& map) {
    const ChunkSignals chunks = call_.chunks();
    if (chunks.signals) return Run(index, map, TracedReady{chunks});
    Run(index, map, AlwaysReady());
  }
  template <class Map, class Ready>
  void Run(Index index, Map& map, const Ready& ready) {
    auto compute = [this](const WorkTile& tile) { TracedCompute(tile); };
    auto store = [this](const WorkTile& tile) { Store(tile); };
    const ClaimArgs args = plan_.claim_args();
    auto* counters = reinterpret_cast<int32_t*>(call_.workspace + plan_.claim_offset);
    const AnyClaim claim = MakeClaim(args, counters, index, args.FirstQueue(index), map.size());
    ForEachWorkTile(claim, map, ready, choice_.claim_ahead, compute, store);
  }

  void Run(const WorkTile& tile) {
    TracedCompute(tile);
    Store(tile);
  }
  void TracedCompute(const WorkTile& tile) {
    Span span("compute", tile.m);
    Compute(tile);
  }

  bool ragged_m() const { return call_.problem.ragged == Ragged::kM; }
  bool ragged_k() const { return call_.problem.ragged == Ragged::kK; }
  // The first row of the tile, and the number of its rows.
  int64_t Row(const WorkTile& tile) const {
    return tile.m * choice_.tile_m + (ragged_m() ? tile.origin : 0);
  }
  int64_t Rows(const WorkTile& tile) const {
    return std::min(choice_.tile_m, (ragged_m() ? tile.limit : plan_.m) - Row(tile));
  }
  // The number of columns of out in a whole tile, and in all; the first column of a tile, and the
  // number of its columns.
  int64_t TileCols() const { return call_.problem.gated ? choice_.tile_n / 2 : choice_.tile_n; }
  int64_t OutCols() const { return plan_.choice.transposed ? plan_.n : call_.problem.n; }
  int64_t Col(const WorkTile& tile) const { return tile.n * TileCols(); }
  int64_t Cols(const WorkTile& tile) const { return std::min(TileCols(), OutCols() - Col(tile)); }

  void Compute(const WorkTile& tile) {
    int64_t row = Row(tile), col = Col(tile);
    int64_t k_origin = ragged_k() ? tile.origin : 0;
    int64_t k_begin = k_origin + tile.k_begin * choice_.tile_k;
    int64_t k_end =
        std::min(k_origin + tile.k_end * choice_.tile_k, ragged_k() ? tile.limit : plan_.k);
    int64_t rhs_batch = tile.batch;
    if (ragged_m()) {
      const Problem& p = call_.problem;
      rhs_batch = (p.rhs_batched ? tile.batch * p.local_groups : 0) + tile.group;
    }
    int64_t rows = Rows(tile), cols = Cols(tile);
    const bool gated = call_.problem.gated;
    int64_t acc_cols = gated ? 2 * cols : cols;
    if (tile.num_peers > 1) {
      T* data = choice_.reduction == Reduction::kAtomic
                    ? tile_
                    : accumulator_.slot(tile.first_slot + tile.peer);
      accumulator_.Start(data, choice_.tile_n, rows, acc_cols);
    } else if (plan_.in_place) {
      T* out = static_cast<T*>(call_.out) + OutOffset(tile, OutCols());
      accumulator_.Start(out, OutCols(), rows, acc_cols);
    } else {
      accumulator_.Start(tile_, choice_.tile_n, rows, acc_cols);
    }
    // Only here is it known whether a group has few rows.
    bool few_rows =
        choice_.path == KernelPath::kFewRows ||
        (choice_.path == KernelPath::kTiles && call_.problem.grouped() && rows <= kHostFewRows);
    const bool accumulate = call_.problem.accumulate && tile.num_peers == 1;
    // A gated tile is two products: the gate's and the up projection's.
    for (int64_t part = 0; part <= gated; ++part) {
      const int64_t rhs_col = col + part * OutCols();
      const ScaledBlocks scaled{.lhs = lhs_.ScalesAt(tile.batch, row),
                                .rhs = rhs_.ScalesAt(rhs_batch, rhs_col),
                                .block_k = call_.problem.block_k,
                                .first_k = k_begin,
                                .scratch = scaled_};
      MainLoop(*call_.kernel, lhs_.At(tile.batch, row, k_begin), lhs_.bytes,
               rhs_.At(rhs_batch, k_begin, rhs_col), rhs_.bytes, rows, cols, k_end - k_begin,
               accumulate, few_rows, packed_a_, packed_b_, scaled,
               reinterpret_cast<char*>(accumulator_.data() + part * cols), accumulator_.ld());
    }
  }

  void Store(const WorkTile& tile) {
    auto* arrivals = reinterpret_cast<int32_t*>(call_.workspace + plan_.arrivals_offset);
    if (!FixUp(tile, choice_.reduction, arrivals, accumulator_)) return;
    const Problem& p = call_.problem;
    if (tile.zero) return StoreZeros(tile);
    bool epilogue = p.has_vectors() || p.activation != Activation::kNone || p.gated;
    if (!epilogue && plan_.in_place && tile.num_peers == 1) return;

    const int64_t bytes = Bytes(p.out_dtype), preact_bytes = Bytes(preact_dtype());
    EpilogueTile out{.out = static_cast<char*>(call_.out) + OutOffset(tile, OutCols()) * bytes,
                     .preact = call_.preact ? static_cast<char*>(call_.preact) +
                                                  OutOffset(tile, PreactCols()) * preact_bytes
                                            : nullptr,
                     .out_dtype = p.out_dtype,
                     .preact_dtype = preact_dtype(),
                     .row_stride = plan_.choice.transposed ? 1 : OutCols(),
                     .col_stride = plan_.choice.transposed ? plan_.m : 1,
                     .activation = p.activation,
                     .up_acc_columns = p.gated ? Cols(tile) : 0,
                     .up_columns = p.gated ? p.n : 0,
                     .accumulate = p.accumulate,
                     .quantize_out = p.quantize_out,
                     .out_scales = ScalesAt(tile),
                     .scales_row_stride = ScaleCols()};
#define JAXGEMM_VECTOR(type, name, is_there, dtype, along) \
  out.name = At(tile, along, call_.name, call_.strides.name);
#include "spec/call_schema.def"
#undef JAXGEMM_VECTOR
    call_.kernel->store(accumulator_.data(), accumulator_.ld(), static_cast<int>(Rows(tile)),
                        static_cast<int>(Cols(tile)), out);
  }

  // A vector operand from the tile's first row and column on.
  TileVector At(const WorkTile& tile, Along along, const void* vector,
                VectorStrides strides) const {
    if (!vector) return {};
    if (plan_.choice.transposed) std::swap(strides.row, strides.column);
    const int64_t matrix = ragged_m() && along == Along::kColumns ? tile.group : tile.batch;
    const int64_t first =
        matrix * strides.batch + Row(tile) * strides.row + Col(tile) * strides.column;
    return {Offset(vector, first, 4), strides.row, strides.column};
  }

  // Writes zeros to the tile's rows, which belong to no group.
  void StoreZeros(const WorkTile& tile) {
    const Problem& p = call_.problem;
    auto clear = [&](void* base, DType dtype, int64_t row_length, int64_t first_col) {
      if (!base) return;
      const int64_t bytes = Bytes(dtype);
      char* to = static_cast<char*>(base) + (OutOffset(tile, row_length) + first_col) * bytes;
      for (int64_t row = 0; row < Rows(tile); ++row) {
        std::memset(to + row * row_length * bytes, 0, static_cast<size_t>(Cols(tile) * bytes));
      }
    };
    clear(call_.out, p.out_dtype, OutCols(), 0);
    clear(call_.preact, preact_dtype(), PreactCols(), 0);
    if (p.gated) clear(call_.preact, preact_dtype(), PreactCols(), OutCols());
    if (p.quantize_out == QuantizeOut::kNone) return;
    // The scale of zeros is 1.
    const int64_t count = Cols(tile) / QuantizedColumns(p.quantize_out);
    char* to = static_cast<char*>(ScalesAt(tile));
    for (int64_t row = 0; row < Rows(tile); ++row, to += ScaleCols() * ScaleBytes()) {
      if (p.quantize_out == QuantizeOut::kMx) {
        std::memset(to, 127, static_cast<size_t>(count));
      } else {
        std::fill_n(reinterpret_cast<float*>(to), count, 1.0f);
      }
    }
  }
  DType preact_dtype() const {
    return PreactDType(call_.problem.out_dtype, call_.problem.quantize_out);
  }
  // The number of scales of a row of a quantised out, the bytes of one, and those of a tile.
  int64_t ScaleCols() const {
    return call_.problem.n / QuantizedColumns(call_.problem.quantize_out);
  }
  int64_t ScaleBytes() const { return call_.problem.quantize_out == QuantizeOut::kMx ? 1 : 4; }
  void* ScalesAt(const WorkTile& tile) const {
    if (!call_.out_scales) return nullptr;
    const int64_t at = (tile.batch * plan_.m + Row(tile)) * ScaleCols() +
                       Col(tile) / QuantizedColumns(call_.problem.quantize_out);
    return static_cast<char*>(call_.out_scales) + at * ScaleBytes();
  }
  int64_t PreactCols() const { return call_.problem.gated ? 2 * OutCols() : OutCols(); }

  // Offset of the tile's first element in out or in preact, in elements.
  int64_t OutOffset(const WorkTile& tile, int64_t row_length) const {
    int64_t row = Row(tile), col = Col(tile);
    int64_t matrix = ragged_k() ? tile.batch * call_.problem.local_groups + tile.group : tile.batch;
    int64_t in_matrix = plan_.choice.transposed ? col * plan_.m + row : row * row_length + col;
    return matrix * plan_.m * row_length + in_matrix;
  }

  const HostCall& call_;
  const Plan& plan_;
  const Choice& choice_;
  Operand lhs_, rhs_;
  HostAccumulator<T> accumulator_;
  char *packed_a_, *packed_b_, *scaled_;
  T* tile_;
};

// Each workgroup has an equal part of the batch.
void RunSmall(const HostCall& call, std::atomic<int64_t>* next) {
  const Problem& p = call.problem;
  const Operand lhs = MakeOperand(call.lhs, p.lhs_dtype, p.m, p.k, p.lhs_contracting == 1,
                                  p.lhs_size(), p.num_lhs()),
                rhs = MakeOperand(call.rhs, p.rhs_dtype, p.k, p.n, p.rhs_contracting == 0,
                                  p.rhs_size(), p.num_rhs());
  const SmallBatch batch{.lhs = lhs.view,
                         .rhs = rhs.view,
                         .lhs_step = lhs.batch_stride,
                         .rhs_step = rhs.batch_stride,
                         .m = static_cast<int>(p.m),
                         .n = static_cast<int>(p.n),
                         .k = static_cast<int>(p.k),
                         .out = call.out,
                         .out_dtype = p.out_dtype};
  const int64_t count = call.plan.choice.num_workgroups;
  for (int64_t i; (i = next->fetch_add(1, std::memory_order_relaxed)) < count;) {
    const int64_t first = i * p.batch / count, end = (i + 1) * p.batch / count;
    call.kernel->multiply_small(batch, first, end - first);
  }
}

}  // namespace

const HostKernel* ChooseHostKernel(DType lhs, DType rhs, std::string_view name,
                                   std::string* error) {
  auto exact_in_bf16 = [](DType dtype) { return dtype == DType::kBF16 || IsF8(dtype); };
  const HostKernel* kernel = nullptr;
  if (IsInteger(lhs)) {
    kernel = FindHostKernel(name, Math::kS8);
  } else {
    if (exact_in_bf16(lhs) && exact_in_bf16(rhs)) {
      kernel = FindHostKernel(name, Math::kBF16);
    }
    if (!kernel) kernel = FindHostKernel(name, Math::kF32);
  }
  if (!kernel) *error = HostKernelError(name);
  return kernel;
}

void InitWorkspace(const HostCall& call) {
  const Problem& p = call.problem;
  AskForLargePages(call.out, p.num_out() * p.m * p.n * Bytes(p.out_dtype));
  std::memset(call.workspace, 0, static_cast<size_t>(call.plan.zeroed_bytes));
}

void RunWorkgroups(const HostCall& call, int64_t thread, std::atomic<int64_t>* next) {
  if (call.plan.choice.path == KernelPath::kSmall) return RunSmall(call, next);
  auto run = [&](auto workgroup) {
    const int64_t count = call.plan.choice.num_workgroups;
    for (int64_t i; (i = next->fetch_add(1, std::memory_order_relaxed)) < count;) {
      workgroup.Run(static_cast<Index>(i));
    }
  };
  if (IsInteger(call.problem.lhs_dtype)) {
    run(Workgroup<int32_t>(call, thread));
  } else {
    run(Workgroup<float>(call, thread));
  }
}

}  // namespace jaxgemm
