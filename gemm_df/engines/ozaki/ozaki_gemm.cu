#include "gemm_df/engines/ozaki/ozaki_gemm.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "gemm_df/engines/ozaki/launching.cuh"
#include "gemm_df/engines/ozaki/residue_products.hpp"
#include "gemm_df/tuning.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/error.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/stream/shared_memory.hpp"

namespace eigen_g::ozaki {

#ifndef EIGEN_G_HAVE_SM_90A
bool residue_products_run() {
  return false;
}
void multiply_to_planes(const Queue&, int, const OperandView&, const OperandView&, const Planes&,
                        std::int64_t) {}
#endif

namespace {

// Calls f(std::integral_constant<int, moduli>) for a possible number of moduli.
template <class F>
void with_moduli(int moduli, const F& f) {
  switch (moduli) {
    case 14:
      return f(std::integral_constant<int, 14>{});
    case 15:
      return f(std::integral_constant<int, 15>{});
    case 16:
      return f(std::integral_constant<int, 16>{});
    case moduli_of_floats:
      return f(std::integral_constant<int, moduli_of_floats>{});
    default:
      throw std::logic_error("the number of moduli must be 14, 15, 16 or 18");
  }
}

constexpr int shared_bytes_without_leave = 48 << 10;

auto launching_on(const Queue& queue) {
  return [&queue](auto kernel, std::int64_t blocks, int shared, const auto&... arguments) {
    if (shared > shared_bytes_without_leave) allow_shared_memory(kernel, static_cast<std::size_t>(shared));
    kernel<<<static_cast<unsigned>(blocks), threads, static_cast<std::size_t>(shared), queue.stream()>>>(
        arguments...);
    EIGEN_G_LAUNCHED();
  };
}

template <class T>
T* with_room(DeviceBuffer<T>& buffer, const Queue& queue, std::int64_t count) {
  if (buffer.size() < count) {
    buffer = {};
    buffer = DeviceBuffer<T>(queue, count);
  }
  return buffer.data();
}

// All integer products of a block of C: rows x columns sums for each modulus.
void multiply_residues(const Queue& queue, int moduli, const OperandView& a, const OperandView& b,
                       std::int64_t rows, std::int64_t columns, std::int32_t* sums) {
  const std::int32_t one = 1, zero = 0;
  const std::int64_t at_once = std::clamp<std::int64_t>(product_tuning().ozaki_moduli_at_once, 1, moduli);
  for (std::int64_t i = 0; i < moduli; i += at_once)
    EIGEN_G_CUBLAS(Cublas<cublasGemmStridedBatchedEx_64>::call(
        queue.blas(), CUBLAS_OP_T, CUBLAS_OP_N, rows, columns, b.terms, &one,
        a.residues.data + i * a.residues.step, CUDA_R_8I, a.residues.stride, a.residues.step,
        b.residues.data + i * b.residues.step, CUDA_R_8I, b.residues.stride, b.residues.step, &zero,
        sums + i * rows * columns, CUDA_R_32I, rows, rows * columns, std::min(at_once, moduli - i),
        CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT));
}

// Rows and columns of a block of C.
struct Block {
  std::int64_t rows, columns;
};
// A block whose sums have at most `most` bytes. It has about two rows for each column.
Block block_of_sums(std::int64_t rows, std::int64_t columns, int moduli, std::uint64_t most) {
  constexpr std::int64_t unit = 128;
  const std::int64_t entries =
      std::max(static_cast<std::int64_t>(most / sizeof(std::int32_t)) / moduli, tile_lines * tile_lines);
  const auto down = [](std::int64_t x) {
    return x >= unit ? x / unit * unit : std::max<std::int64_t>(x / tile_lines, 1) * tile_lines;
  };
  const std::int64_t all_rows = whole(rows, tile_lines) * tile_lines,
                     all_columns = whole(columns, tile_lines) * tile_lines;
  const std::int64_t side = down(static_cast<std::int64_t>(std::sqrt(static_cast<double>(entries) / 2)));
  Block block{all_rows, std::min(all_columns, side)};
  block.rows = std::min(all_rows, down(entries / block.columns));
  block.columns = std::min(all_columns, down(entries / block.rows));
  return block;
}
// A block whose planes have at most `most` bytes. All blocks have about the same size.
Block block_of_planes(std::int64_t rows, std::int64_t columns, int moduli, std::uint64_t most) {
  constexpr std::int64_t unit = plane_rows;
  const std::int64_t all_rows = whole(rows, unit), all_columns = whole(columns, unit),
                     tiles = std::max<std::int64_t>(
                         static_cast<std::int64_t>(most) / (moduli * bytes_of_residue(moduli) * unit * unit),
                         1);
  const auto even = [](std::int64_t all, std::int64_t at_once) {
    return whole(all, whole(all, std::clamp<std::int64_t>(at_once, 1, all)));
  };
  const std::int64_t side =
                         even(all_columns, static_cast<std::int64_t>(std::sqrt(static_cast<double>(tiles)))),
                     high = even(all_rows, tiles / side);
  return {unit * high, unit * even(all_columns, tiles / high)};
}

}  // namespace

void Operand::reserve(const Queue& queue, int moduli, const Pieces& pieces) {
  // A product with some of the lines reads whole tiles of lines, possibly beyond the last one.
  with_room(residues_, queue, (planes_of(moduli) * pieces.padded_lines() + tile_lines) * pieces.stride());
  with_room(parts_, queue, pieces.lines() * pieces.parts());
  with_room(bases_, queue, pieces.padded_lines() + 1);
}

void Operand::release() {
  residues_ = {};
  parts_ = {};
  bases_ = {};
  view_ = {};
}

void Operand::convert(const Queue& queue, int moduli, const Pieces& pieces) {
  reserve(queue, moduli, pieces);
  const OperandMemory memory{residues_.data(), parts_.data(), bases_.data(),
                             bases_.data() + pieces.padded_lines()};
  with_moduli(moduli, [&](auto count) {
    view_ = queue_operand<decltype(count)::value>(launching_on(queue), pieces, memory);
  });
}

namespace {

// The blocks of C that are computed one after the other.
struct Blocks {
  bool planes;  // true: planes are computed; false: sums
  Block block;
  std::int64_t count;
  Blocks(std::int64_t rows, std::int64_t columns, int moduli, std::uint64_t most)
      : planes(residue_products_run()),
        block((planes ? block_of_planes : block_of_sums)(rows, columns, moduli, most)),
        count(whole(rows, block.rows) * whole(columns, block.columns)) {}
  std::int64_t bytes(int moduli) const {
    return block.rows * block.columns * moduli *
           (planes ? bytes_of_residue(moduli) : static_cast<std::int64_t>(sizeof(std::int32_t)));
  }
};

// True if the reconstruction should run while the next block's products run. A part of a GPU has one queue.
bool overlaps(const Queue& queue, const Blocks& blocks) {
  if (blocks.planes || product_tuning().ozaki_overlap == 0 || blocks.count < 4) return false;
  int device = 0, multiprocessors = 0;
  EIGEN_G_CUDA(cudaGetDevice(&device));
  EIGEN_G_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  return queue.multiprocessors() == multiprocessors;
}

}  // namespace

std::uint64_t bytes_at_once(std::int64_t terms) {
  const ProductTuning& tuning = product_tuning();
  const bool few = terms <= tuning.ozaki_few_terms;
  if (residue_products_run())
    return static_cast<std::uint64_t>(few ? tuning.ozaki_planes_of_few : tuning.ozaki_planes_of_many);
  return static_cast<std::uint64_t>(few ? tuning.ozaki_sums_of_few : tuning.ozaki_sums_of_many);
}

SumsMemory::UrgentStream::UrgentStream() {
  int least = 0, greatest = 0;
  EIGEN_G_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  EIGEN_G_CUDA(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest));
}
SumsMemory::UrgentStream::~UrgentStream() {
  (void)cudaStreamDestroy(stream);
}

void SumsMemory::reserve(const Queue& queue, int moduli, std::int64_t rows, std::int64_t columns,
                         std::uint64_t most) {
  const Blocks blocks(rows, columns, moduli, most);
  with_room(memory_, queue, (overlaps(queue, blocks) ? 2 : 1) * blocks.bytes(moduli));
}

void SumsMemory::release() {
  if (beside_) beside_->queue.wait();
  memory_ = {};
}

void multiply(const Queue& queue, int moduli, double alpha, const OperandView& a, const OperandView& b,
              double beta, const Target& c, Entries entries, SumsMemory& memory, std::uint64_t most) {
  if (has_floats(moduli) && !residue_products_run())
    throw DeviceError("products by floats of 8 bits need a GPU of compute capability 9.0");
  const Blocks blocks(a.lines, b.lines, moduli, most);
  const Block& block = blocks.block;
  memory.reserve(queue, moduli, a.lines, b.lines, most);
  const bool overlapped = overlaps(queue, blocks), lower = entries == Entries::lower;
  if (overlapped && !memory.beside_) memory.beside_.emplace(queue.resources());
  const auto result_of = [&](std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t columns) {
    Result result{c.data + i * c.row_step + j * c.lda,
                  c.row_step,
                  c.lda,
                  rows,
                  columns,
                  alpha,
                  beta,
                  lower ? j - i : INT64_MIN};
    result.pairs =
        c.row_step == 1 && c.lda % 2 == 0 && reinterpret_cast<std::uintptr_t>(result.data) % 16 == 0;
    return result;
  };
  std::size_t turn = 0;
  for (std::int64_t j = 0; j < b.lines; j += block.columns)
    for (std::int64_t i = lower ? j / block.rows * block.rows : 0; i < a.lines; i += block.rows) {
      const std::int64_t rows = std::min(block.rows, a.lines - i),
                         columns = std::min(block.columns, b.lines - j);
      if (lower && i + rows <= j) continue;
      const OperandView left = a.part(i, rows), right = b.part(j, columns);
      const Result result = result_of(i, j, rows, columns);
      if (blocks.planes) {
        const std::int64_t padded_rows = whole(rows, plane_rows) * plane_rows;
        const Planes of{reinterpret_cast<std::uint8_t*>(memory.memory_.data()), padded_rows * columns,
                        padded_rows};
        multiply_to_planes(queue, moduli, left, right, of, result.diagonal);
        with_moduli(moduli, [&](auto count) {
          queue_result_of_planes<decltype(count)::value>(launching_on(queue), of, left, right, result);
        });
        continue;
      }
      const std::int64_t padded_rows = whole(rows, tile_lines) * tile_lines,
                         padded_columns = whole(columns, tile_lines) * tile_lines;
      auto* const of_block = reinterpret_cast<std::int32_t*>(memory.memory_.data() +
                                                             static_cast<std::int64_t>(turn % 2) *
                                                                 (overlapped ? blocks.bytes(moduli) : 0));
      const Sums of{of_block, padded_rows * padded_columns, padded_rows};
      const Queue& second = overlapped ? memory.beside_->queue : queue;
      if (overlapped && turn >= 2) memory.beside_->read[turn % 2].hold(queue);
      multiply_residues(queue, moduli, left, right, padded_rows, padded_columns, of_block);
      if (overlapped) {
        memory.beside_->written[turn % 2].record(queue);
        memory.beside_->written[turn % 2].hold(second);
      }
      with_moduli(moduli, [&](auto count) {
        if constexpr (!has_floats(decltype(count)::value))
          queue_result<decltype(count)::value>(launching_on(second), of, left, right, result);
      });
      if (overlapped) memory.beside_->read[turn % 2].record(second);
      ++turn;
    }
  // The last reconstruction is the last work of the second queue.
  if (overlapped && turn > 0) memory.beside_->read[(turn - 1) % 2].hold(queue);
  queue_repair(launching_on(queue), a, b, result_of(0, 0, a.lines, b.lines), queue.multiprocessors());
}

}  // namespace eigen_g::ozaki
