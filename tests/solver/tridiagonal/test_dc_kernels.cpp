// Runs the kernels of the divide and conquer on the CPU, with each thread as a fiber: ranges of rows and subsets against the whole solution, bit for
// bit. The products of merges of more than 512 rows are cuBLAS's and are not here.
#include "tests/support/emulation.hpp"
// The kernels follow the emulation. Their files have constants of the same names.
#include "solver/tridiagonal/dc_launch.cuh"
#include "solver/tridiagonal/dc_leaf.cu"
#include "solver/tridiagonal/dc_tear.cu"
#define max_threads max_threads_of_deflate
#include "solver/tridiagonal/dc_deflate.cu"
#undef max_threads
#define warps warps_of_secular
#include "solver/tridiagonal/dc_secular.cu"
#undef warps
#include "solver/tridiagonal/dc_merge.cu"
#include "solver/tridiagonal/dc_rank_one.cu"
#define threads threads_of_product
#include "solver/tridiagonal/dc_product.cu"
#undef threads
#include "solver/tridiagonal/dc_small_merge.cu"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "tests/support/catch.hpp"

using namespace eigen_g;
using namespace eigen_g::dc;

namespace {

template <class R>
std::vector<R> not_written(std::int64_t count) {
  return std::vector<R>(static_cast<std::size_t>(count), std::numeric_limits<R>::quiet_NaN());
}

// The lists of a tree "on the host", and their copy.
struct Lists {
  std::vector<Index> words, copied;
  TreeOnDevice tree{};
  explicit Lists(const Tree& of) {
    for (const Leaf& leaf : of.leaves) words.insert(words.end(), {leaf.first, leaf.size});
    for (const auto& level : of.levels)
      for (const Merge& m : level) words.insert(words.end(), {m.first, m.size, m.upper});
    const auto merges = static_cast<Index>((words.size() - 2 * of.leaves.size()) / 3);
    const std::vector<Subtree> subtrees = subtrees_of(of);
    for (const Subtree& s : subtrees) {
      words.insert(words.end(), {s.leaf, s.leaves});
      words.insert(words.end(), std::begin(s.merge), std::end(s.merge));
      words.insert(words.end(), std::begin(s.merges), std::end(s.merges));
    }
    copied.assign(words.size(), -1);
    tree = {words.data(),
            static_cast<Index>(words.size()),
            reinterpret_cast<Leaf*>(copied.data()),
            static_cast<Index>(of.leaves.size()),
            merges,
            static_cast<Index>(subtrees.size())};
  }
};

// Q and C with some rows.
template <class R>
struct Both {
  std::vector<R> memory;
  MatrixView<R> q{}, c{};
  void take(std::int64_t rows, std::int64_t n) {
    memory = not_written<R>(2 * rows * n);
    q = {memory.data(), rows, n, rows};
    c = {memory.data() + rows * n, rows, n, rows};
  }
};

bool clusters = true;     // merges of more than 64 rows may be a cluster's
bool in_subtrees = true;  // the lowest levels are in one launch

// A phase runner as in divide_and_conquer.cu.
template <class R>
class OnKernels {
 public:
  // d, e  of T
  OnKernels(const Tree& tree, const std::vector<R>& d, const std::vector<R>& e, R* w, Rows rows,
            MatrixView<R> z)
      : n_(static_cast<Index>(d.size())),
        rows_(rows),
        lists_(tree),
        arrays_(not_written<R>(arrays_size<R>(n_))),
        x_(place_arrays(n_, arrays_.data())),
        w_(w),
        z_(z) {
    shapes_.resize(tree.leaves.size());
    dc::tear<R>(queue_, n_, lists_.tree, d.data(), e.data(), x_, &findings_);
    if (!rows.ends_only()) {
      kept_.take(rows.count, n_);
      panel_ = not_written<R>(std::int64_t{n_} * (n_ + n_ % 2));
    }
    if (rows.for_values(n_).ends_only()) ends_.take(2, n_);
  }
  Batch<R> first_batch() {
    return {lists_.tree.merges(), shapes_.data(), 0, 0, x_, rows_, &findings_.failed, true, false};
  }
  void solve_leaves(const std::vector<Leaf>& leaves) {
    dc::solve_leaves<R>(queue_, lists_.tree.leaves, static_cast<Index>(leaves.size()), x_, rows_, kept_.q,
                        ends_.q, &findings_.failed);
  }
  std::size_t solve_subtrees(const Tree&, const Batch<R>& batch) {
    if (!in_subtrees || lists_.tree.subtree_count == 0) return 0;
    if (batch.rows.count == rows_.count)
      dc::solve_subtrees<R>(queue_, lists_.tree, batch, of(batch).q, of(batch).c);
    else
      solve_subtrees_in_range<R>(queue_, lists_.tree, batch, ends_.q, ends_.c, rows_, kept_.q, kept_.c);
    return subtree_levels;
  }
  bool takes_whole(const Batch<R>& batch) const {
    return batch.largest <= (clusters ? largest_small_merge(batch.count) : small_merge_rows);
  }
  void merge_whole(const Batch<R>& batch) {
    if (batch.rows.count == rows_.count)
      merge_small<R>(queue_, batch, of(batch).q, of(batch).c, panel());
    else
      merge_small_in_range<R>(queue_, batch, ends_.q, ends_.c, rows_, kept_.q, kept_.c, panel());
  }
  void deflate(const Batch<R>& batch) { dc::deflate<R>(queue_, batch, of(batch).q); }
  void solve_secular(const Batch<R>& batch) { dc::solve_secular<R>(queue_, batch); }
  void order_values(const Batch<R>& batch, bool with_vectors) {
    dc::order_values<R>(queue_, batch, with_vectors);
  }
  void compress(const Batch<R>& batch) { dc::compress<R>(queue_, batch, of(batch).q, of(batch).c); }
  void form_end_rows(const Batch<R>& batch) { dc::form_end_rows<R>(queue_, batch); }
  void keep(const Batch<R>& batch) { dc::keep<R>(queue_, batch, of(batch).c, of(batch).q); }
  bool in_one_launch(const Batch<R>&) const { return true; }
  void multiply_together(const Batch<R>& batch, Roots roots) {
    if (roots.count() == 0) return;
    form_vectors<R>(queue_, batch, roots.begin, roots.count(), panel());
    multiply<R>(queue_, batch, roots.begin, roots.count(), kept_.c, panel(), kept_.q);
  }
  void multiply_apart(const std::vector<Merge>&, const Batch<R>&, Roots) { FAIL("not under emulation"); }
  std::vector<R> values() const { return {x_.d, x_.d + n_}; }
  LastMerge last_merge(const Batch<R>& batch, const Selected& found) const {
    return {batch.shapes[0].k, {x_.column + found.first, x_.column + found.first + found.count}};
  }
  int exponent() const { return findings_.exponent; }
  void store(const Selected& found) {
    store_ordered<R>(queue_, static_cast<Index>(found.first), &findings_, &on_host_, x_, kept_.q, w_,
                     {z_.data, z_.rows, found.count, z_.lda});
  }
  DivideAndConquerResult result(const Selected& found) const { return result_of(on_host_, found); }

 private:
  MatrixView<R> panel() { return {panel_.data(), n_, n_, n_ + n_ % 2}; }
  const Both<R>& of(const Batch<R>& batch) const { return batch.rows.ends_only() ? ends_ : kept_; }

  Queue queue_;
  Index n_;
  Rows rows_;
  Lists lists_;
  std::vector<R> arrays_, panel_;
  Arrays<R> x_;
  std::vector<Shape<R>> shapes_;
  Both<R> kept_, ends_;
  R* w_;
  MatrixView<R> z_;
  Findings findings_, on_host_{0, 0, 0};
};

template <class R>
struct Pairs {
  std::vector<R> w, z;  // z: rows.count rows
  Selected found;
};

template <class R>
Pairs<R> solve(std::vector<R> d, std::vector<R> e, Rows rows, const Subset& subset = {}) {
  const auto n = static_cast<Index>(d.size());
  const Tree tree = make_tree(n);
  Pairs<R> pairs{not_written<R>(n), not_written<R>(std::int64_t{rows.count} * n), {}};
  const MatrixView<R> z{rows.ends_only() ? nullptr : pairs.z.data(), rows.ends_only() ? n : rows.count, n,
                        std::max<std::int64_t>(1, rows.count)};
  OnKernels<R> on(tree, d, e, pairs.w.data(), rows, z);
  const DivideAndConquerResult result =
      solve_levels(on, tree, n, rows, {.subset = subset, .scale = 0, .first_row = rows.first});
  CHECK(result.status == Status::converged);
  pairs.found = result.found;
  return pairs;
}

// T with an entry that many leaves share, glued blocks, or random entries.
template <class R>
std::pair<std::vector<R>, std::vector<R>> tridiagonal(int kind, std::int64_t n, std::mt19937& random) {
  std::uniform_real_distribution<R> uniform(-1, 1);
  std::vector<R> d, e;
  for (std::int64_t i = 0; i < n; ++i) {
    d.push_back(kind == 0 ? uniform(random) : kind == 1 ? R(1) : static_cast<R>(std::abs(i % 10 - 5)));
    if (i + 1 < n) e.push_back(kind < 2 ? uniform(random) : i % 10 == 9 ? R(1e-6) : R(1));
  }
  return {d, e};
}

template <class R>
double residual(const std::vector<R>& d, const std::vector<R>& e, const Pairs<R>& pairs) {
  const std::size_t n = d.size();
  double worst = 0;
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i) {
      const R* const z = pairs.z.data() + k * n;
      double sum = (double{d[i]} - double{pairs.w[k]}) * double{z[i]};
      if (i > 0) sum += double{e[i - 1]} * double{z[i - 1]};
      if (i + 1 < n) sum += double{e[i]} * double{z[i + 1]};
      worst = std::isnan(sum) ? 1 : std::max(worst, std::fabs(sum));
    }
  return worst;
}

// max |Z^T Z - I|.
template <class R>
double nonorthogonality(const Pairs<R>& pairs) {
  const std::size_t n = pairs.w.size();
  double worst = 0;
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t k = 0; k <= j; ++k) {
      double sum = j == k ? -1 : 0;
      for (std::size_t i = 0; i < n; ++i) sum += double{pairs.z[i + j * n]} * double{pairs.z[i + k * n]};
      worst = std::isnan(sum) ? 1 : std::max(worst, std::fabs(sum));
    }
  return worst;
}

}  // namespace

TEMPLATE_TEST_CASE("dc kernels: T is prepared as on the CPU, bit for bit", "", double, float) {
  using R = TestType;
  std::mt19937 random(5);
  Queue queue;
  for (const Index n : {1, 2, 8, 9, 17, 33, 100, 1024, 1025, 2500})
    for (const R size :
         {R(1), R(0), std::numeric_limits<R>::max() / 8, std::numeric_limits<R>::min(), R(1e-3)})
      for (int kind = 0; kind < 4; ++kind) {
        CAPTURE(n, size, kind);
        auto [d, e] = tridiagonal<R>(kind % 3, n, random);
        for (std::size_t i = 0; i < d.size(); ++i) d[i] *= size * (kind == 3 && i % 3 == 0 ? R(1e-12) : R(1));
        // Small entries are dropped; zeros alone would change the tree of the CPU.
        for (std::size_t i = 0; i < e.size(); ++i) e[i] *= size * (kind == 3 && i % 7 == 6 ? R(1e-15) : R(1));
        emulation::seed(static_cast<unsigned>(n + kind));
        const Tree tree = make_tree(n);
        std::vector<R> arrays = not_written<R>(arrays_size<R>(n)), torn_d = d, torn_e = e;
        const Arrays<R> x = place_arrays(n, arrays.data());
        Findings findings{0, 0, -1};
        const Lists lists(tree);
        dc::tear<R>(queue, n, lists.tree, d.data(), e.data(), x, &findings);
        CHECK(findings.failed == ~0u);
        CHECK(lists.copied == lists.words);
        const Division division = divide(torn_d, torn_e);
        CHECK(findings.not_finite == ~0u);
        CHECK(findings.exponent == division.exponent);
        CHECK(std::equal(torn_e.begin(), torn_e.end(), x.e));
        if (division.tree.leaves.size() == tree.leaves.size() &&
            std::equal(tree.leaves.begin(), tree.leaves.end(), division.tree.leaves.begin(),
                       [](const Leaf& a, const Leaf& b) { return a.first == b.first; }))
          CHECK(std::memcmp(torn_d.data(), x.d, sizeof(R) * d.size()) == 0);
        else
          CHECK(std::count(torn_e.begin(), torn_e.end(), R(0)) > 0);
        const Index bad = n / 2;
        d[static_cast<std::size_t>(bad)] = std::numeric_limits<R>::infinity();
        if (n > 2) e[static_cast<std::size_t>(n - 2)] = std::numeric_limits<R>::quiet_NaN();
        dc::tear<R>(queue, n, lists.tree, d.data(), e.data(), x, &findings);
        CHECK(findings.not_finite == static_cast<unsigned>(bad));
        CHECK(std::all_of(x.d, x.d + n, [](R value) { return value == 0; }));
        CHECK(std::all_of(x.e, x.e + n - 1, [](R value) { return value == 0; }));
      }
}

TEMPLATE_TEST_CASE("dc kernels: ranges of rows have the bits of the whole", "", double, float) {
  using R = TestType;
  std::mt19937 random(11);
  clusters = GENERATE(true, false);
  const std::int64_t n = GENERATE(1, 2, 7, 9, 33, 64, 65, 70, 129, 200);
  const int kind = GENERATE(0, 1, 2);
  if (!clusters && (n <= small_merge_rows || kind > 0)) return;
  CAPTURE(clusters, n, kind);
  const auto [d, e] = tridiagonal<R>(kind, n, random);
  const auto order = static_cast<Index>(n);
  const Pairs<R> whole = solve<R>(d, e, {0, order}), values = solve<R>(d, e, {});
  CHECK(residual(d, e, whole) <=
        4 * static_cast<double>(n) * static_cast<double>(std::numeric_limits<R>::epsilon()));
  CHECK(std::memcmp(whole.w.data(), values.w.data(), sizeof(R) * whole.w.size()) == 0);
  for (int round = 0; round < 4; ++round) {
    const auto first = round == 0 ? 0 : static_cast<Index>(random() % static_cast<unsigned>(n));
    const Index count =
        round == 1 ? order - first : 1 + static_cast<Index>(random() % static_cast<unsigned>(order - first));
    const std::int64_t low = n / 3, most = round == 3 && n > 3 ? n / 2 : n;
    const bool subset = most < n;
    CAPTURE(first, count, subset);
    const Pairs<R> part =
        solve<R>(d, e, {first, count}, subset ? Subset::by_index(low + 1, low + most) : Subset());
    REQUIRE(part.found.count == most);
    std::int64_t others = 0;
    for (std::int64_t k = 0; k < most; ++k) {
      const std::int64_t of_whole = k + (subset ? low : 0);
      others += part.w[static_cast<std::size_t>(k)] != whole.w[static_cast<std::size_t>(of_whole)];
      for (Index i = 0; i < count; ++i)
        others += part.z[static_cast<std::size_t>(k * count + i)] !=
                  whole.z[static_cast<std::size_t>(of_whole * n + first + i)];
    }
    CHECK(others == 0);
  }
}

TEMPLATE_TEST_CASE("dc kernels: merges in clusters against the six launches", "", double, float) {
  using R = TestType;
  std::mt19937 random(17);
  const auto n = GENERATE(Index{65}, Index{128}, Index{130}, Index{256});
  const int kind = n == 256 ? 0 : GENERATE(0, 1, 2);
  CAPTURE(n, kind);
  const auto [d, e] = tridiagonal<R>(kind, n, random);
  clusters = false;
  const Pairs<R> by_launches = solve<R>(d, e, {0, n});
  clusters = true;
  emulation::seed(1);
  const Pairs<R> found = solve<R>(d, e, {0, n});
  emulation::seed(2);
  const Pairs<R> again = solve<R>(d, e, {0, n});
  CHECK(std::memcmp(found.w.data(), again.w.data(), sizeof(R) * found.w.size()) == 0);
  CHECK(std::memcmp(found.z.data(), again.z.data(), sizeof(R) * found.z.size()) == 0);
  const double eps = std::numeric_limits<R>::epsilon(), limit = 4 * static_cast<double>(n) * eps;
  CHECK(residual(d, e, found) <= limit);
  CHECK(nonorthogonality(found) <= limit);
  for (std::size_t k = 0; k < found.w.size(); ++k)
    CHECK(std::fabs(double{found.w[k]} - double{by_launches.w[k]}) <= limit);
}

TEMPLATE_TEST_CASE("dc kernels: subtrees have the bits of the launches for each level", "", double, float) {
  using R = TestType;
  std::mt19937 random(23);
  clusters = false;
  const auto n = GENERATE(Index{65}, Index{72}, Index{90}, Index{128}, Index{150});
  const int kind = GENERATE(0, 1, 2);
  CAPTURE(n, kind);
  const auto [d, e] = tridiagonal<R>(kind, n, random);
  for (const Rows rows : {Rows{0, n}, Rows{}, Rows{n / 3, n / 2}}) {
    in_subtrees = false;
    const Pairs<R> by_levels = solve<R>(d, e, rows);
    in_subtrees = true;
    const Pairs<R> found = solve<R>(d, e, rows);
    CHECK(std::memcmp(found.w.data(), by_levels.w.data(), sizeof(R) * found.w.size()) == 0);
    CHECK((found.z.empty() ||
           std::memcmp(found.z.data(), by_levels.z.data(), sizeof(R) * found.z.size()) == 0));
  }
}
