// The engines ozaki, ozaki-fast and ozaki-fp8: double products by residues of 8 bits, as integers or as floats (residues.hpp).
#include "gemm_df/engines/engine_table.hpp"
#include "gemm_df/engines/ozaki/residues.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include <algorithm>
#include <complex>

#include "gemm_df/engines/native/native_engine.hpp"
#include "gemm_df/engines/ozaki/ozaki_gemm.hpp"
#include "gemm_df/engines/ozaki/residue_products.hpp"
#include "gemm_df/tuning.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/error.hpp"
#include "hybrid/machine/tuning.hpp"
#include "hybrid/stream/queue.hpp"
#endif

namespace eigen_g {

namespace {

#ifdef EIGEN_G_HAVE_CUDA

using ozaki::Entries;
using ozaki::Operand;
using ozaki::OperandView;
using ozaki::Pieces;
using ozaki::Source;
using ozaki::term_multiple;
using Complex = std::complex<double>;

// The matrix whose lines are the rows of A, or its columns.
Source lines_of(bool rows, MatrixView<const double> a) {
  if (rows) return {a.data, 1, a.lda, a.rows, a.cols};
  return {a.data, a.lda, 1, a.cols, a.rows};
}
// part 0: the real parts; 1: the imaginary parts.
Source lines_of(bool rows, MatrixView<const Complex> a, int part) {
  Source source = lines_of(rows, {reinterpret_cast<const double*>(a.data), a.rows, a.cols, a.lda});
  source.data += part;
  source.line_step *= 2;
  source.term_step *= 2;
  return source;
}

// The pieces of the left side, whose lines are the rows of op(A), and of the right side, whose lines are the columns of op(B).
Pieces left_of(Op op, MatrixView<const double> a) {
  return {lines_of(op == Op::none, a)};
}
Pieces right_of(Op op, MatrixView<const double> b) {
  return {lines_of(op != Op::none, b)};
}
Pieces left_of(Op op, MatrixView<const Complex> a) {
  const bool rows = op == Op::none;
  const Source imaginary = lines_of(rows, a, 1);
  return {op == Op::conjugate_transpose ? imaginary.opposite() : imaginary, lines_of(rows, a, 0)};
}
Pieces right_of(Op op, MatrixView<const Complex> b) {
  const bool rows = op != Op::none;
  const Source imaginary = lines_of(rows, b, 1);
  return {op == Op::conjugate_transpose ? imaginary : imaginary.opposite(), lines_of(rows, b, 0),
          Pieces::Third::minus_first};
}

// Some terms, or some lines, of all pieces.
Pieces terms_of(Pieces x, std::int64_t first, std::int64_t count) {
  const bool two = x.second.terms > 0;
  x.first = x.first.part(0, x.first.lines, first, count);
  if (two) x.second = x.second.part(0, x.second.lines, first, count);
  return x;
}
Pieces lines_of(Pieces x, std::int64_t first, std::int64_t count) {
  x.first = x.first.part(first, count, 0, x.first.terms);
  x.second = x.second.part(first, count, 0, x.second.terms);
  return x;
}

// Lines of each operand that are converted at once.
struct Lines {
  std::int64_t left, right;
};
// `left` and `right` lines in parts of about equal size, at most `most` at once.
Lines lines_at_once(std::int64_t left, std::int64_t right, std::int64_t most) {
  if (left + right <= most) return {left, right};
  const std::int64_t half = std::max(most / 2, ozaki::tile_lines);
  const auto even = [](std::int64_t lines, std::int64_t at_once) {
    const std::int64_t parts = ozaki::whole(lines, std::max(at_once, ozaki::tile_lines));
    return ozaki::whole(ozaki::whole(lines, parts), ozaki::tile_lines) * ozaki::tile_lines;
  };
  if (left <= half) return {left, even(right, most - left)};
  if (right <= half) return {even(left, most - right), right};
  return {even(left, half), even(right, half)};
}

// A product of complex matrices consists of two real products with twice the number of terms. A complex rank-2k update is native.
template <class T>
class OzakiEngine final : public NativeEngine<T> {
  using View = MatrixView<const T>;
  static constexpr int real_products = is_complex<T> ? 2 : 1;

 public:
  OzakiEngine(const Queue& queue, int moduli, std::uint64_t max_scratch)
      : NativeEngine<T>(queue), moduli_(moduli), memory_(max_scratch) {}

  void gemm(Op op_a, Op op_b, T alpha, View a_dev, View b_dev, T beta, MatrixView<T> c_dev) override {
    const Pieces a = left_of(op_a, a_dev), b = right_of(op_b, b_dev);
    const std::int64_t k = a.first.terms;
    if (!pays(c_dev.rows * c_dev.cols, k) || !is_real(alpha) || !is_real(beta))
      return NativeEngine<T>::gemm(op_a, op_b, alpha, a_dev, b_dev, beta, c_dev);
    if (const OperandView* const held = op_a == Op::none ? held_part(a_dev) : nullptr)
      return gemm_with_held(real_part(alpha), *held, b, real_part(beta), c_dev);
    if (strong_in_double_ && std::min(c_dev.rows, c_dev.cols) <= product_tuning().ozaki_native_lines)
      return NativeEngine<T>::gemm(op_a, op_b, alpha, a_dev, b_dev, beta, c_dev);
    constexpr std::int64_t most = ozaki::max_terms / real_products / term_multiple * term_multiple;
    for (std::int64_t first = 0; first < k; first += most) {
      const std::int64_t terms = std::min(most, k - first);
      multiply(real_part(alpha), terms_of(a, first, terms), terms_of(b, first, terms),
               first == 0 ? real_part(beta) : 1, c_dev);
    }
  }

  void syr2k_lower(T alpha, View a_dev, View b_dev, real_t<T> beta, MatrixView<T> c_dev) override {
    if (is_complex<T> || !pays(c_dev.rows * c_dev.cols, 2 * a_dev.cols))
      return NativeEngine<T>::syr2k_lower(alpha, a_dev, b_dev, beta, c_dev);
    if constexpr (!is_complex<T>) {
      const Pieces both{lines_of(true, a_dev), lines_of(true, b_dev), Pieces::Third::first};
      constexpr std::int64_t most = ozaki::max_terms / 2 / term_multiple * term_multiple;
      for (std::int64_t first = 0; first < a_dev.cols; first += most)
        update(alpha, terms_of(both, first, std::min(most, a_dev.cols - first)), first == 0 ? beta : 1,
               c_dev);
    }
  }
  bool syr2k_lower_and_product(T, View, View, MatrixView<T>, const ProductBeside<T>&) override {
    return false;
  }

  // Complex matrices are not held.
  void hold([[maybe_unused]] View a_dev) override {
    if constexpr (!is_complex<T>) {
      let_go();
      const Pieces pieces = left_of(Op::none, a_dev);
      if (pieces.first.terms > ozaki::max_terms || Operand::bytes_for(moduli_, pieces) > memory_) return;
      try {
        held_.reserve(this->queue_, moduli_, pieces);
      } catch (const OutOfMemory&) {
        return held_.release();
      }
      held_.convert(this->queue_, moduli_, pieces);
      held_matrix_ = a_dev;
    }
  }
  void let_go() override { held_matrix_ = {}; }

  std::uint64_t scratch_bytes() const override {
    return left_.bytes() + right_.bytes() + held_.bytes() + sums_.bytes();
  }

 private:
  static bool is_real([[maybe_unused]] T x) {
    if constexpr (is_complex<T>)
      return x.imag() == 0;
    else
      return true;
  }
  static double real_part(T x) {
    if constexpr (is_complex<T>)
      return x.real();
    else
      return x;
  }
  // The part of C that real product number i computes.
  static ozaki::Target target_of(MatrixView<T> c, int i) {
    return {reinterpret_cast<double*>(c.data) + i, real_products, real_products * c.lda};
  }
  static bool pays(std::int64_t entries, std::int64_t terms) {
    const ProductTuning& tuning = product_tuning();
    return entries >= tuning.ozaki_min_entries && terms >= tuning.ozaki_min_terms;
  }
  std::int64_t max_lines(std::int64_t stride) const {
    return static_cast<std::int64_t>(memory_ /
                                     static_cast<std::uint64_t>(ozaki::planes_of(moduli_) * stride));
  }

  // Calls reserve(), with less and less memory until there is enough of it.
  template <class Reserve>
  void reserve_within(const Reserve& reserve) {
    constexpr std::uint64_t least = std::uint64_t{64} << 20;
    for (;;) try {
        return reserve();
      } catch (const OutOfMemory&) {
        left_.release();
        right_.release();
        sums_.release();
        if (!held_matrix_.data) held_.release();
        if (memory_ < least) throw;
        memory_ /= 2;
      }
  }

  // The part of the held matrix that `a` is, or null.
  const OperandView* held_part([[maybe_unused]] View a) {
    if constexpr (!is_complex<T>) {
      const View& whole = held_matrix_;
      if (!whole.data || a.lda != whole.lda || a.data < whole.data) return nullptr;
      const std::int64_t apart = a.data - whole.data, row = apart % whole.lda, column = apart / whole.lda;
      if (row + a.rows > whole.rows || column + a.cols > whole.cols || column % term_multiple != 0)
        return nullptr;
      held_view_ = held_.view().part(row, a.rows);
      held_view_.residues.data += column;
      held_view_.first = left_of(Op::none, a).first;
      held_view_.terms = Pieces::padded(a.cols);
      return &held_view_;
    }
    return nullptr;
  }

  void gemm_with_held(double alpha, const OperandView& a, const Pieces& b, double beta, MatrixView<T> c_dev) {
    const std::uint64_t sums = ozaki::bytes_at_once(b.first.terms);
    std::int64_t at_once = 0;
    reserve_within([&] {
      at_once = lines_at_once(0, b.lines(), max_lines(b.stride())).right;
      right_.reserve(this->queue_, moduli_, lines_of(b, 0, at_once));
      sums_.reserve(this->queue_, moduli_, a.lines, at_once, sums);
    });
    for (std::int64_t j = 0; j < b.lines(); j += at_once) {
      const std::int64_t columns = std::min(at_once, b.lines() - j);
      right_.convert(this->queue_, moduli_, lines_of(b, j, columns));
      ozaki::multiply(this->queue_, moduli_, alpha, a, right_.view(), beta,
                      target_of(c_dev.block(0, j, a.lines, columns), 0), Entries::all, sums_, sums);
    }
  }

  void multiply(double alpha, const Pieces& a, const Pieces& b, double beta, MatrixView<T> c_dev) {
    const std::uint64_t sums = ozaki::bytes_at_once(real_products * a.first.terms);
    Lines at_once{};
    reserve_within([&] {
      at_once = lines_at_once(a.lines(), b.lines(), max_lines(std::max(a.stride(), b.stride())));
      left_.reserve(this->queue_, moduli_, lines_of(a, 0, at_once.left));
      right_.reserve(this->queue_, moduli_, lines_of(b, 0, at_once.right));
      sums_.reserve(this->queue_, moduli_, at_once.left, at_once.right, sums);
    });
    for (std::int64_t i = 0; i < a.lines(); i += at_once.left) {
      const std::int64_t rows = std::min(at_once.left, a.lines() - i);
      left_.convert(this->queue_, moduli_, lines_of(a, i, rows));
      for (std::int64_t j = 0; j < b.lines(); j += at_once.right) {
        const std::int64_t columns = std::min(at_once.right, b.lines() - j);
        if (i == 0 || at_once.right < b.lines())
          right_.convert(this->queue_, moduli_, lines_of(b, j, columns));
        OperandView right = right_.view();
        for (int product = 0; product < real_products; ++product) {
          if (product > 0) right = right.behind_first();
          ozaki::multiply(this->queue_, moduli_, alpha, left_.view(), right, beta,
                          target_of(c_dev.block(i, j, rows, columns), product), Entries::all, sums_, sums);
        }
      }
    }
  }

  // The lower triangle of C in square blocks of lines. A block on the diagonal needs one operand for both sides.
  void update(double alpha, const Pieces& ab, double beta, MatrixView<T> c_dev) {
    const std::int64_t n = ab.lines();
    const std::uint64_t sums = ozaki::bytes_at_once(2 * ab.first.terms);
    std::int64_t at_once = 0;
    reserve_within([&] {
      const std::int64_t most = max_lines(ab.stride());
      at_once = n <= most ? n : lines_at_once(n, n, most).left;
      left_.reserve(this->queue_, moduli_, lines_of(ab, 0, at_once));
      if (at_once < n) right_.reserve(this->queue_, moduli_, lines_of(ab, 0, at_once));
      sums_.reserve(this->queue_, moduli_, at_once, at_once, sums);
    });
    for (std::int64_t i = 0; i < n; i += at_once) {
      const std::int64_t rows = std::min(at_once, n - i);
      left_.convert(this->queue_, moduli_, lines_of(ab, i, rows));
      for (std::int64_t j = 0; j < i; j += at_once) {
        right_.convert(this->queue_, moduli_, lines_of(ab, j, at_once));
        ozaki::multiply(this->queue_, moduli_, alpha, left_.view(), right_.view().behind_first(), beta,
                        target_of(c_dev.block(i, j, rows, at_once), 0), Entries::all, sums_, sums);
      }
      ozaki::multiply(this->queue_, moduli_, alpha, left_.view(), left_.view().behind_first(), beta,
                      target_of(c_dev.block(i, i, rows, rows), 0), Entries::lower, sums_, sums);
    }
  }

  int moduli_;
  const bool strong_in_double_ = is_strong_in_double(current_capability());
  std::uint64_t memory_;  // bytes for the residues of both operands
  Operand left_, right_, held_;
  View held_matrix_;
  OperandView held_view_;
  ozaki::SumsMemory sums_;
};

// Only the rate of the project's own products is known from properties of the GPU; the parts of the peak rates were measured
// (data/perf/DECISIONS.md, "Products by cuBLAS"). No property gives the rate of cuBLAS's integer products.
template <int moduli>
EngineRate ozaki_estimated_rate(const Queue& queue) {
  if (!ozaki::residue_products_run()) return {};
  int device = 0, kilohertz = 0, bits = 0;
  EIGEN_G_CUDA(cudaGetDevice(&device));
  EIGEN_G_CUDA(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, device));
  EIGEN_G_CUDA(cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, device));
  const double bytes_per_second = 2e3 * kilohertz * bits / 8;
  constexpr double integers_of_float =
      32;  // multiply-adds of bytes, integers or floats, of the tensor cores in the time of one of float
  constexpr double part_of_integers = 0.72, part_of_floats = 0.6, part_of_results = 1,
                   part_of_conversions = 0.72;
  EngineRate rate;
  constexpr int planes = ozaki::planes_of(moduli);
  constexpr double part_of_products = ozaki::has_floats(moduli) ? part_of_floats : part_of_integers;
  rate.flops_per_second = 2 * part_of_products * integers_of_float * float_rate(queue) / planes;
  rate.seconds_per_entry = (2 * moduli * ozaki::bytes_of_residue(moduli) + 2 * sizeof(double)) /
                           (part_of_results * bytes_per_second);
  rate.seconds_per_operand_entry = (planes + 2 * sizeof(double)) / (part_of_conversions * bytes_per_second);
  rate.smallest_result = ozaki::plane_rows * ozaki::block_columns * queue.multiprocessors() / moduli;
  return rate;
}

// The residues need twice the memory of the operands, so the engine uses more scratch memory than others.
constexpr std::uint64_t scratch_factor = 4;

template <class T, int moduli>
std::unique_ptr<EngineProducts<T>> make(const Queue& queue, std::uint64_t max_scratch) {
  return std::make_unique<OzakiEngine<T>>(queue, moduli, scratch_factor * max_scratch);
}
template <int moduli>
constexpr EngineOnGpu ozaki_on_gpu{ozaki_estimated_rate<moduli>,
                                   {make<double, moduli>, nullptr, make<Complex, moduli>, nullptr},
                                   ozaki::has_floats(moduli) ? ozaki::residue_products_run : nullptr};

#else
template <int moduli>
constexpr EngineOnGpu ozaki_on_gpu{};
#endif

// The kernels of a product run one after the other and convert both operands.
double seconds_with_conversions(const EngineRate& rate, std::int64_t m, std::int64_t n, std::int64_t k) {
  constexpr double of_kernels = 2e-5;
  return seconds_by_rate(rate, m, n, k) + of_kernels +
         static_cast<double>(m + n) * static_cast<double>(k) * rate.seconds_per_operand_entry;
}

}  // namespace

EngineRow ozaki_engine() {
  return {"a build with CUDA", true, seconds_with_conversions, ozaki_on_gpu<ozaki::moduli_of_native_errors>};
}
EngineRow ozaki_fast_engine() {
  return {"a build with CUDA", true, seconds_with_conversions, ozaki_on_gpu<ozaki::moduli_of_fast_products>,
          false};
}
EngineRow ozaki_fp8_engine() {
  return {"a build with CUDA 12.5 or later", true, seconds_with_conversions,
          ozaki_on_gpu<ozaki::moduli_of_floats>};
}

}  // namespace eigen_g
