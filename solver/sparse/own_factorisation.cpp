// Factorisations by eigen_g's own code: fronts (elimination.hpp, front.hpp) in the order of METIS, which is loaded at the first call.
#include <algorithm>
#include <new>
#include <string>

#include "gemm_df/tall_product.hpp"
#include "hybrid/error.hpp"
#include "hybrid/machine/blas_turn.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/machine/shared_library.hpp"
#include "solver/sparse/elimination.hpp"
#include "solver/sparse/factorisation.hpp"
#include "solver/sparse/front.hpp"
#include "solver/sparse/front_kernels.hpp"

namespace eigen_g {

namespace {

class OwnFactorisation : public Factorisation {
 public:
  explicit OwnFactorisation(const LowerPattern& pattern)
      : pattern_(pattern), tree_(eliminate(pattern, nested_dissection(pattern))) {
    const std::uint64_t available = host_memory_available();
    if (available > 0 && bytes_of(tree_.entries) > available) throw too_large(available);
    factored_.resize(static_cast<std::size_t>(tree_.fronts()));
    place_.assign(static_cast<std::size_t>(tree_.n), -1);
  }

  Pivots factor(const double* values) override {
    try {
      return factor_fronts(values);
    } catch (const std::bad_alloc&) {
      throw too_large(host_memory_available());
    }
  }
  void solve(std::int64_t blocks, const double* x, double* y) override {
    for (std::int64_t p = 0; p < blocks; p += 2)
      solve_together(std::min<std::int64_t>(2, blocks - p), x + p * tree_.n * block_width,
                     y + p * tree_.n * block_width);
  }
  std::int64_t entries() const override { return entries_ > 0 ? entries_ : tree_.entries; }
  std::uint64_t bytes() const override { return bytes_of(entries()); }

 private:
  // Fronts in the order of the tree, each after its children.
  Pivots factor_fronts(const double* values) {
    scale_ = power_of_two_scaling(pattern_, values);
    const BlasTurn turn(tree_.n);
    parts_used_ = 0;
    entries_ = 0;
    Pivots pivots;
    Pending& pending = pending_;
    pending.rests.clear();
    pending.values.clear();
    pending.values.reserve(static_cast<std::size_t>(tree_.max_pending));
    take_front(tree_.largest_front);
    std::vector<double> d;
    for (std::int64_t f = 0; f < tree_.fronts(); ++f) {
      Factored& front = factored_[f];
      const std::int64_t complete = gather_rows(f, pending, front.row),
                         m = static_cast<std::int64_t>(front.row.size());
      double* const a = assemble(f, values, m, front.row, pending);
      d.resize(static_cast<std::size_t>(2 * m));
      const FrontPivots found = factor_.factor(m, complete, a, front.row.data(), d.data(), least_pivot);
      pivots.negative += found.negative;
      if (found.null > 0 && pivots.null == 0) pivots.null_row = tree_.original[found.null_column];
      pivots.null += found.null;
      store(front, m, found.eliminated, a, d.data());
      pending.push(f, m, found.eliminated, complete, a, front.row);
      for (std::int32_t& row : front.row) row = tree_.original[row];
    }
    return pivots;
  }

  // As Mumps: limit of a null pivot of the scaled matrix.
  static constexpr double least_pivot = 1e-11;

  // A front after its elimination.
  struct Factored {
    std::vector<std::int32_t> row;  // rows of S: first the rows of the eliminated columns
    std::int64_t columns = 0;
    double *tiles = nullptr, *d = nullptr;  // front_kernels.hpp; D as in front.hpp
  };
  // The matrices that wait for their parents, on a stack: a parent's children are on top.
  struct Pending {
    struct Rest {
      std::int64_t front, delayed,
          size;  // delayed: rows at the beginning that are complete columns of the parent
      std::vector<std::int32_t> row;
      std::size_t at;  // the place of its lower triangle, packed by columns
    };
    std::vector<Rest> rests;
    std::vector<double> values;
    void push(std::int64_t front, std::int64_t m, std::int64_t eliminated, std::int64_t complete,
              const double* a, const std::vector<std::int32_t>& row) {
      if (eliminated == m) return;
      rests.push_back({front,
                       complete - eliminated,
                       m - eliminated,
                       {row.begin() + eliminated, row.end()},
                       values.size()});
      for (std::int64_t j = eliminated; j < m; ++j) values.insert(values.end(), a + j + j * m, a + m + j * m);
    }
    void pop() {
      values.resize(rests.back().at);
      rests.pop_back();
    }
  };

  std::uint64_t bytes_of(std::int64_t entries) const {
    const auto front = static_cast<std::uint64_t>(tree_.largest_front);
    return 8 * (static_cast<std::uint64_t>(entries) + static_cast<std::uint64_t>(tree_.max_pending) +
                front * front) +
           4 * (tree_.row.size() + tree_.entry_row.size()) + 8 * tree_.entry.size();
  }
  OutOfMemory too_large(std::uint64_t available) const {
    return {OutOfMemory::Where::host,
            "the host for a factorisation with " + std::to_string(tree_.entries) + " entries of L",
            bytes_of(tree_.entries), available};
  }

  // The rows of a front: its columns, the delayed columns of its children, and the rows below. Returns the number of complete columns.
  std::int64_t gather_rows(std::int64_t f, const Pending& pending, std::vector<std::int32_t>& row) const {
    row.clear();
    for (std::int32_t j = tree_.first[f]; j < tree_.first[f + 1]; ++j) row.push_back(j);
    for (auto rest = pending.rests.rbegin(); rest != pending.rests.rend() && tree_.parent[rest->front] == f;
         ++rest)
      row.insert(row.end(), rest->row.begin(), rest->row.begin() + rest->delayed);
    const auto complete = static_cast<std::int64_t>(row.size());
    row.insert(row.end(), tree_.row.begin() + tree_.row_offsets[f],
               tree_.row.begin() + tree_.row_offsets[f + 1]);
    return complete;
  }

  // Memory for a front of order m.
  void take_front(std::int64_t m) {
    if (m * m <= front_values_) return;
    front_values_ = 0;
    front_.reset();
    front_ = host_array<double>(m * m);
    front_values_ = m * m;
  }

  // The matrix of a front: the entries of S in its columns, and the sum of its children's rests.
  double* assemble(std::int64_t f, const double* values, std::int64_t m, const std::vector<std::int32_t>& row,
                   Pending& pending) {
    take_front(m);
    double* const a = front_.get();
    for (std::int64_t j = 0; j < m; ++j) std::fill(a + j + j * m, a + m + j * m, 0.0);
    for (std::int64_t i = 0; i < m; ++i) place_[row[i]] = static_cast<std::int32_t>(i);
    for (std::int32_t j = tree_.first[f]; j < tree_.first[f + 1]; ++j)
      for (std::int64_t p = tree_.entry_offsets[j]; p < tree_.entry_offsets[j + 1]; ++p) {
        const std::int32_t i = tree_.entry_row[p];
        a[place_[i] + (j - tree_.first[f]) * m] +=
            values[tree_.entry[p]] * scale_[tree_.original[i]] * scale_[tree_.original[j]];
      }
    std::vector<std::int32_t> to;
    while (!pending.rests.empty() && tree_.parent[pending.rests.back().front] == f) {
      const Pending::Rest& rest = pending.rests.back();
      to.clear();
      for (const std::int32_t i : rest.row) to.push_back(place_[i]);
      const double* from = pending.values.data() + rest.at;
      for (std::int64_t j = 0; j < rest.size; ++j) {
        double* const column = a + to[j] * m;
        // The rows behind the delayed ones ascend, here and in the parent.
        if (j >= rest.delayed)
          for (std::int64_t i = j; i < rest.size; ++i) column[to[i]] += *from++;
        else
          for (std::int64_t i = j; i < rest.size; ++i)
            a[std::max(to[i], to[j]) + std::min(to[i], to[j]) * m] += *from++;
      }
      pending.pop();
    }
    return a;
  }

  // Memory for the factor, in parts that later factorisations use again.
  double* take(std::int64_t values) {
    while (true) {
      if (parts_used_ == static_cast<std::int64_t>(parts_.size())) {
        const std::int64_t usual =
            parts_.empty() ? tree_.entries + tree_.entries / 8 + 64 * tree_.n : tree_.entries / 8 + 4096;
        const std::int64_t size = std::max(usual, values);
        parts_.push_back({host_array<double>(size), size});
        part_left_ = size;
        ++parts_used_;
      } else if (parts_used_ == 0) {
        part_left_ = parts_.front().size;
        parts_used_ = 1;
      }
      Part& part = parts_[parts_used_ - 1];
      if (part_left_ >= values) {
        double* const at = part.values.get() + (part.size - part_left_);
        part_left_ -= values;
        return at;
      }
      if (parts_used_ < static_cast<std::int64_t>(parts_.size())) {
        part_left_ = parts_[parts_used_].size;
        ++parts_used_;
      } else {
        part_left_ = 0;
        const std::int64_t size = std::max(tree_.entries / 8 + 4096, values);
        parts_.push_back({host_array<double>(size), size});
        part_left_ = size;
        ++parts_used_;
      }
    }
  }

  // Copies L and D out of a front.
  void store(Factored& front, std::int64_t m, std::int64_t columns, const double* a, const double* d) {
    front.columns = columns;
    if (columns == 0) return;
    entries_ += columns * (columns + 1) / 2 + columns * (m - columns);
    std::int64_t values = 0;
    for (std::int64_t first = 0; first < m; first += 4)
      values += 4 * std::min(first, columns) + (first < columns ? 16 : 0);
    front.d = take(2 * columns + values);
    std::copy_n(d, 2 * columns, front.d);
    double* to = front.tiles = front.d + 2 * columns;
    for (std::int64_t first = 0; first < m; first += 4) {
      const std::int64_t rows = std::min<std::int64_t>(4, m - first), before = std::min(first, columns);
      for (std::int64_t j = 0; j < before; ++j, to += 4)
        for (std::int64_t r = 0; r < 4; ++r) to[r] = r < rows ? a[first + r + j * m] : 0;
      if (first >= columns) continue;
      for (std::int64_t j = 0; j < 4; ++j, to += 4)
        for (std::int64_t r = 0; r < 4; ++r)
          to[r] = r > j && r < rows && first + j < columns ? a[first + r + (first + j) * m] : 0;
    }
  }

  static void copy_row(const double* from, double* to) {
    for (int c = 0; c < block_width; ++c) to[c] = from[c];
  }
  void solve_together(std::int64_t blocks, const double* x, double* y) {
    const std::int64_t n = tree_.n, width = blocks * block_width;
    std::int64_t most = 0;
    for (const Factored& front : factored_)
      most = std::max(most, static_cast<std::int64_t>(front.row.size()));
    rows_.resize(static_cast<std::size_t>(width * (most + 4)));
    double* const w = rows_.data();
    for (std::int64_t b = 0; b < blocks; ++b)
      for (std::int64_t i = 0; i < n; ++i)
        for (int c = 0; c < block_width; ++c)
          y[(b * n + i) * block_width + c] = scale_[i] * x[(b * n + i) * block_width + c];
    const auto load = [&](const Factored& front, std::int64_t m) {
      for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t b = 0; b < blocks; ++b)
          copy_row(y + (b * n + front.row[i]) * block_width, w + i * width + b * block_width);
      std::fill_n(w + m * width, 4 * width, 0.0);
    };
    const auto save = [&](const Factored& front, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i)
        for (std::int64_t b = 0; b < blocks; ++b)
          copy_row(w + i * width + b * block_width, y + (b * n + front.row[i]) * block_width);
    };
    for (const Factored& front : factored_) {
      if (front.columns == 0) continue;
      const auto m = static_cast<std::int64_t>(front.row.size());
      load(front, m);
      EIGEN_G_OF_WIDTH(forward_tiles)(front.columns, m, blocks, front.tiles, w);
      divide(front, width, w);
      save(front, m);
    }
    for (auto front = factored_.rbegin(); front != factored_.rend(); ++front) {
      if (front->columns == 0) continue;
      const auto m = static_cast<std::int64_t>(front->row.size());
      load(*front, m);
      EIGEN_G_OF_WIDTH(backward_tiles)(front->columns, m, blocks, front->tiles, w);
      save(*front, front->columns);
    }
    for (std::int64_t b = 0; b < blocks; ++b)
      for (std::int64_t i = 0; i < n; ++i)
        for (int c = 0; c < block_width; ++c) y[(b * n + i) * block_width + c] *= scale_[i];
  }

  // W := D^-1 W for the columns of a front.
  static void divide(const Factored& front, std::int64_t width, double* w) {
    for (std::int64_t k = 0; k < front.columns; ++k) {
      const double p = front.d[2 * k], off = front.d[2 * k + 1];
      double* const u = w + k * width;
      if (off == 0) {
        for (std::int64_t c = 0; c < width; ++c) u[c] /= p;
        continue;
      }
      const double ratio_p = p / off, ratio_r = front.d[2 * k + 2] / off,
                   by = 1 / (off * (ratio_p * ratio_r - 1));
      for (std::int64_t c = 0; c < width; ++c) {
        const double first = u[c], second = u[width + c];
        u[c] = (ratio_r * first - second) * by;
        u[width + c] = (ratio_p * second - first) * by;
      }
      ++k;
    }
  }

  struct Part {
    HostArray<double> values;
    std::int64_t size;
  };

  LowerPattern pattern_;
  Elimination tree_;
  FrontFactor factor_;
  std::vector<Factored> factored_;
  std::vector<std::int32_t> place_;  // the row of each position in the present front
  std::vector<double> scale_, rows_;
  HostArray<double> front_;
  Pending pending_;
  std::vector<Part> parts_;
  std::int64_t front_values_ = 0, parts_used_ = 0, part_left_ = 0, entries_ = 0;
};

}  // namespace

std::unique_ptr<Factorisation> analyse_by_own(const LowerPattern& pattern) {
  return std::make_unique<OwnFactorisation>(pattern);
}

}  // namespace eigen_g
