// The engines ozaki and ozaki-fast: double products by residues of 8 bits (residues.hpp).
#include "gemm_df/engines/engine_table.hpp"
#include "gemm_df/engines/ozaki/residues.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include <algorithm>

#include "gemm_df/engines/native/native_engine.hpp"
#include "gemm_df/engines/ozaki/ozaki_gemm.hpp"
#include "gemm_df/tuning.hpp"
#include "hybrid/error.hpp"
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
using View = MatrixView<const double>;

// The matrix whose lines are the rows of op(A), or of op(A)^T.
Source rows_of(Op op, View a) {
  if (op == Op::none) return {a.data, 1, a.lda, a.rows, a.cols};
  return {a.data, a.lda, 1, a.cols, a.rows};
}
Source columns_of(Op op, View b) {
  return rows_of(op == Op::none ? Op::transpose : Op::none, b);
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

class OzakiEngine final : public NativeEngine<double> {
 public:
  OzakiEngine(const Queue& queue, int moduli, std::uint64_t max_scratch)
      : NativeEngine<double>(queue), moduli_(moduli), memory_(max_scratch) {}

  void gemm(Op op_a, Op op_b, double alpha, View a_dev, View b_dev, double beta,
            MatrixView<double> c_dev) override {
    const Source a = rows_of(op_a, a_dev), b = columns_of(op_b, b_dev);
    if (!pays(c_dev.rows * c_dev.cols, a.terms))
      return NativeEngine::gemm(op_a, op_b, alpha, a_dev, b_dev, beta, c_dev);
    if (const OperandView* const held = op_a == Op::none ? held_part(a_dev) : nullptr)
      return gemm_with_held(alpha, *held, b, beta, c_dev);
    for (std::int64_t first = 0; first < a.terms; first += ozaki::max_terms) {
      const std::int64_t terms = std::min(ozaki::max_terms, a.terms - first);
      multiply(alpha, {a.part(0, a.lines, first, terms)}, {b.part(0, b.lines, first, terms)},
               first == 0 ? beta : 1, c_dev);
    }
  }

  void syr2k_lower(double alpha, View a_dev, View b_dev, double beta, MatrixView<double> c_dev) override {
    const Source a = rows_of(Op::none, a_dev), b = rows_of(Op::none, b_dev);
    if (!pays(c_dev.rows * c_dev.cols, 2 * a.terms))
      return NativeEngine::syr2k_lower(alpha, a_dev, b_dev, beta, c_dev);
    constexpr std::int64_t most = ozaki::max_terms / 2 / term_multiple * term_multiple;
    for (std::int64_t first = 0; first < a.terms; first += most) {
      const std::int64_t terms = std::min(most, a.terms - first);
      update(alpha, {a.part(0, a.lines, first, terms), b.part(0, b.lines, first, terms), true},
             first == 0 ? beta : 1, c_dev);
    }
  }
  bool syr2k_lower_and_product(double, View, View, MatrixView<double>,
                               const ProductBeside<double>&) override {
    return false;
  }

  void hold(View a_dev) override {
    let_go();
    const Pieces pieces{rows_of(Op::none, a_dev)};
    if (pieces.first.terms > ozaki::max_terms || Operand::bytes_for(moduli_, pieces) > memory_) return;
    try {
      held_.reserve(queue_, moduli_, pieces);
    } catch (const OutOfMemory&) {
      return held_.release();
    }
    held_.convert(queue_, moduli_, pieces);
    held_matrix_ = a_dev;
  }
  void let_go() override { held_matrix_ = {}; }

  std::uint64_t scratch_bytes() const override {
    return left_.bytes() + right_.bytes() + held_.bytes() + sums_.bytes();
  }

 private:
  static bool pays(std::int64_t entries, std::int64_t terms) {
    const ProductTuning& tuning = product_tuning();
    return entries >= tuning.ozaki_min_entries && terms >= tuning.ozaki_min_terms;
  }
  static std::uint64_t bytes_of_sums(std::int64_t terms) {
    const ProductTuning& tuning = product_tuning();
    return static_cast<std::uint64_t>(terms <= tuning.ozaki_few_terms ? tuning.ozaki_sums_of_few
                                                                      : tuning.ozaki_sums_of_many);
  }
  std::int64_t most_lines(std::int64_t stride) const {
    return static_cast<std::int64_t>(memory_ / static_cast<std::uint64_t>(moduli_ * stride));
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
        sums_ = {};
        if (!held_matrix_.data) held_.release();
        if (memory_ < least) throw;
        memory_ /= 2;
      }
  }

  // The part of the held matrix that `a` is, or null.
  const OperandView* held_part(View a) {
    const View& whole = held_matrix_;
    if (!whole.data || a.lda != whole.lda || a.data < whole.data) return nullptr;
    const std::int64_t apart = a.data - whole.data, row = apart % whole.lda, column = apart / whole.lda;
    if (row + a.rows > whole.rows || column + a.cols > whole.cols || column % term_multiple != 0)
      return nullptr;
    held_view_ = held_.view().part(row, a.rows);
    held_view_.residues.data += column;
    held_view_.first = rows_of(Op::none, a);
    held_view_.terms = Pieces::padded(a.cols);
    return &held_view_;
  }

  void gemm_with_held(double alpha, const OperandView& a, const Source& b, double beta,
                      MatrixView<double> c_dev) {
    const std::uint64_t sums = bytes_of_sums(b.terms);
    std::int64_t at_once = 0;
    reserve_within([&] {
      at_once = lines_at_once(0, b.lines, most_lines(Pieces::padded(b.terms))).right;
      right_.reserve(queue_, moduli_, {b.part(0, at_once, 0, b.terms)});
      ozaki::reserve_sums(queue_, moduli_, a.lines, at_once, sums_, sums);
    });
    for (std::int64_t j = 0; j < b.lines; j += at_once) {
      const std::int64_t columns = std::min(at_once, b.lines - j);
      right_.convert(queue_, moduli_, {b.part(j, columns, 0, b.terms)});
      ozaki::multiply(queue_, moduli_, alpha, a, right_.view(), beta, c_dev.block(0, j, a.lines, columns),
                      Entries::all, sums_, sums);
    }
  }

  void multiply(double alpha, const Pieces& a, const Pieces& b, double beta, MatrixView<double> c_dev) {
    const std::int64_t terms = a.first.terms;
    const std::uint64_t sums = bytes_of_sums(terms);
    const auto lines = [&](const Source& of, std::int64_t first, std::int64_t count) {
      return Pieces{of.part(first, count, 0, terms)};
    };
    Lines at_once{};
    reserve_within([&] {
      at_once = lines_at_once(a.lines(), b.lines(), most_lines(a.stride()));
      left_.reserve(queue_, moduli_, lines(a.first, 0, at_once.left));
      right_.reserve(queue_, moduli_, lines(b.first, 0, at_once.right));
      ozaki::reserve_sums(queue_, moduli_, at_once.left, at_once.right, sums_, sums);
    });
    for (std::int64_t i = 0; i < a.lines(); i += at_once.left) {
      const std::int64_t rows = std::min(at_once.left, a.lines() - i);
      left_.convert(queue_, moduli_, lines(a.first, i, rows));
      for (std::int64_t j = 0; j < b.lines(); j += at_once.right) {
        const std::int64_t columns = std::min(at_once.right, b.lines() - j);
        if (i == 0 || at_once.right < b.lines()) right_.convert(queue_, moduli_, lines(b.first, j, columns));
        ozaki::multiply(queue_, moduli_, alpha, left_.view(), right_.view(), beta,
                        c_dev.block(i, j, rows, columns), Entries::all, sums_, sums);
      }
    }
  }

  // The lower triangle of C in square blocks of lines. A block on the diagonal needs one operand for both sides.
  void update(double alpha, const Pieces& ab, double beta, MatrixView<double> c_dev) {
    const std::int64_t n = ab.lines(), terms = ab.first.terms;
    const std::uint64_t sums = bytes_of_sums(2 * terms);
    const auto lines = [&](std::int64_t first, std::int64_t count) {
      return Pieces{ab.first.part(first, count, 0, terms), ab.second.part(first, count, 0, terms), true};
    };
    std::int64_t at_once = 0;
    reserve_within([&] {
      const std::int64_t most = most_lines(ab.stride());
      at_once = n <= most ? n : lines_at_once(n, n, most).left;
      left_.reserve(queue_, moduli_, lines(0, at_once));
      if (at_once < n) right_.reserve(queue_, moduli_, lines(0, at_once));
      ozaki::reserve_sums(queue_, moduli_, at_once, at_once, sums_, sums);
    });
    for (std::int64_t i = 0; i < n; i += at_once) {
      const std::int64_t rows = std::min(at_once, n - i);
      left_.convert(queue_, moduli_, lines(i, rows));
      for (std::int64_t j = 0; j < i; j += at_once) {
        right_.convert(queue_, moduli_, lines(j, at_once));
        ozaki::multiply(queue_, moduli_, alpha, left_.view(), right_.view().swapped(), beta,
                        c_dev.block(i, j, rows, at_once), Entries::all, sums_, sums);
      }
      ozaki::multiply(queue_, moduli_, alpha, left_.view(), left_.view().swapped(), beta,
                      c_dev.block(i, i, rows, rows), Entries::lower, sums_, sums);
    }
  }

  int moduli_;
  std::uint64_t memory_;  // bytes for the residues of both operands
  Operand left_, right_, held_;
  View held_matrix_;
  OperandView held_view_;
  DeviceBuffer<std::int32_t> sums_;
};

// No property of the GPU gives the speed of its integer products.
EngineRate ozaki_estimated_rate(const Queue&) {
  return {};
}

// The residues need twice the memory of the operands, so the engine uses more scratch memory than others.
constexpr std::uint64_t scratch_factor = 4;

template <int moduli>
std::unique_ptr<EngineProducts<double>> make(const Queue& queue, std::uint64_t max_scratch) {
  return std::make_unique<OzakiEngine>(queue, moduli, scratch_factor * max_scratch);
}
template <int moduli>
constexpr EngineOnGpu ozaki_on_gpu{ozaki_estimated_rate, {make<moduli>, nullptr, nullptr, nullptr}};

#else
template <int moduli>
constexpr EngineOnGpu ozaki_on_gpu{};
#endif

}  // namespace

EngineRow ozaki_engine() {
  return {"a build with CUDA", true, seconds_by_rate, ozaki_on_gpu<ozaki::moduli_of_native_errors>, false};
}
EngineRow ozaki_fast_engine() {
  return {"a build with CUDA", true, seconds_by_rate, ozaki_on_gpu<ozaki::moduli_of_fast_products>, false};
}

}  // namespace eigen_g
