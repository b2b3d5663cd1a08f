// The products of large merges. They run on one GPU by slices of U, or a team divides their columns, or several GPUs each have a range of rows.
#include "solver/tridiagonal/dc_large_product.hpp"

#include <algorithm>
#include <array>

#include "gemm_df/cpu_gemm.hpp"
#include "gemm_df/gemm.hpp"
#include "gemm_df/tuning.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/transfer/copy_2d.hpp"
#include "solver/tridiagonal/dc_products.hpp"

namespace eigen_g::dc {

namespace {

constexpr auto slice = static_cast<Index>(merge_step);

// One of a merge's two products: rows of C and of the result, and the terms begin ... end - 1 of each entry. Terms count from the merge's
// first column.
struct Part {
  Index row, rows, begin, end;
  Index terms() const { return std::max(end - begin, Index{0}); }
};

template <class R>
std::array<Part, 2> parts_of(const Merge& m, const Shape<R>& shape, Rows rows) {
  return {Part{rows.upper_first(m), rows.upper_count(m), 0, shape.upper_end()},
          Part{rows.lower_first(m), rows.lower_count(m), shape.lower_begin(), shape.k}};
}
// The parts with all rows of the merge, counted from its first row.
template <class R>
std::array<Part, 2> parts_of(const Merge& m, const Shape<R>& shape) {
  return parts_of(m, shape, Rows{m.first, m.size});
}

template <class R>
ColumnProducts products_of(const Merge& m, const Shape<R>& shape, Index columns) {
  const auto [upper, lower] = parts_of(m, shape);
  return merge_products(upper.rows, upper.terms(), lower.rows, lower.terms(), columns, sizeof(R));
}

template <class R>
void clear(const Queue& queue, MatrixView<R> x) {
  EIGEN_G_CUDA(cudaMemset2DAsync(x.data, sizeof(R) * static_cast<std::size_t>(x.lda), 0,
                                 sizeof(R) * static_cast<std::size_t>(x.rows),
                                 static_cast<std::size_t>(x.cols), queue.stream()));
}

template <class R>
void clear_on_cpu(MatrixView<R> x) {
  for (std::int64_t j = 0; j < x.cols; ++j) std::fill_n(&x(0, j), x.rows, R(0));
}

// Columns first ... first + columns - 1 of one merge. `panel` has these columns of U.
template <class R>
void multiply_one(const Products<R>& products, const Merge& m, const Shape<R>& shape, Rows rows, Index first,
                  Index columns, MatrixView<const same_t<R>> c, MatrixView<const same_t<R>> panel,
                  MatrixView<same_t<R>> q) {
  for (const Part& part : parts_of(m, shape, rows)) {
    if (part.rows == 0) continue;
    const MatrixView<R> result = q.block(part.row, m.first + first, part.rows, columns);
    if (part.terms() == 0)
      clear(products.queue(), result);
    else
      gemm(products, Op::none, Op::none, 1, c.block(part.row, m.first + part.begin, part.rows, part.terms()),
           panel.block(m.first + part.begin, 0, part.terms(), columns), 0, result);
  }
}

// A range of rows, with these rows of C and of the result. They can be in the memory of another GPU.
template <class R>
struct RowsOfProduct {
  Rows rows;
  MatrixView<const R> c;
  MatrixView<R> q;
};

// Multiplies all merges with k > 0 in `shapes`, for all ranges of rows in `list`. A k of 0 leaves a merge out. Each slice of U is formed once and used
// for all ranges.
template <class R>
void multiply_by_panels(const Products<R>& products, const std::vector<Merge>& merges,
                        const std::vector<Shape<R>>& shapes, const Batch<R>& batch, Roots roots,
                        const std::vector<RowsOfProduct<R>>& list, MatrixView<same_t<R>> panel) {
  Index most = 0;
  for (const Shape<R>& shape : shapes) most = std::max(most, shape.k);
  const Index end = std::min(most, roots.end), all = Roots{roots.begin, end}.count();
  const auto widest = static_cast<Index>(panel.cols);
  const Index passes = (all + widest - 1) / widest;
  const Index even = passes > 0 ? (all + passes - 1) / passes : 0;
  const Index width = std::min(widest, (even + 63) / 64 * 64);
  for (Index first = roots.begin; first < end; first += width) {
    const Index columns = std::min(width, end - first);
    form_vectors(products.queue(), batch, first, columns, panel);
    for (const RowsOfProduct<R>& of : list)
      for (std::size_t i = 0; i < merges.size(); ++i)
        if (shapes[i].k > first && of.rows.count_of(merges[i]) > 0)
          multiply_one(products, merges[i], shapes[i], of.rows, first, std::min(columns, shapes[i].k - first),
                       of.c, panel, of.q);
  }
}

// One merge, divided over the team. `batch` contains only this merge.
template <class R>
void multiply_cut(ColumnTeam<R>& team, const std::vector<double>& shares, const Products<R>& products,
                  const Merge& m, const Shape<R>& shape, const Batch<R>& batch, Roots roots,
                  MatrixView<const same_t<R>> c, MatrixView<same_t<R>> panel, MatrixView<same_t<R>> q) {
  const Index own = static_cast<Index>(split_columns(roots.count(), shares, column_granularity)[0].count);
  const Index others = roots.count() - own;
  if (others > 0)
    form_vectors(products.queue(), batch, roots.begin + own, others,
                 q.block(0, m.first + roots.begin + own, q.rows, others));
  ColumnWork<R> work = cut_merge(m, shape, roots, c, q);
  work.on_first = [&](const Queue&, const OwnColumns<R>& mine) {
    const auto begin = roots.begin + static_cast<Index>(mine.range.first);
    multiply_by_panels<R>(products, {m}, {shape}, batch,
                          {begin, begin + static_cast<Index>(mine.range.count)}, {{batch.rows, c, q}}, panel);
  };
  team.run(work, shares, column_granularity);
}

}  // namespace

template <class R>
ColumnWork<R> cut_merge(const Merge& m, const Shape<R>& shape, Roots roots, MatrixView<const same_t<R>> c,
                        MatrixView<same_t<R>> q) {
  std::vector<Part> steps;  // a part without terms is a step too: it clears its rows
  for (const Part& part : parts_of(m, shape))
    for (Index begin = part.begin; begin == part.begin || begin < part.end; begin += slice)
      steps.push_back({part.row, part.rows, begin, std::min(begin + slice, std::max(begin, part.end))});
  const Index column = m.first + roots.begin;
  // rows of a step := (or +=) its slice of the product; without terms: := 0.
  const auto step = [steps](std::int64_t s, const Blocks<R>& blocks, const OwnColumns<R>& mine, auto&& empty,
                            auto&& product) {
    const auto i = static_cast<std::size_t>(s);
    const bool first = i == 0 || steps[i].row != steps[i - 1].row;
    const MatrixView<R> rows = mine.columns.block(steps[i].row, 0, steps[i].rows, mine.columns.cols);
    if (steps[i].terms() == 0)
      empty(rows);
    else
      product(blocks[0], blocks[1], first ? R(0) : R(1), rows);
  };

  ColumnWork<R> work;
  work.columns_dev = q.block(m.first, column, m.size, roots.count());
  work.reads_columns = false;
  work.steps = static_cast<std::int64_t>(steps.size());
  work.blocks = [=](std::int64_t s, ColumnRange range) -> Blocks<R> {
    const Part& p = steps[static_cast<std::size_t>(s)];
    return {c.block(m.first + p.row, m.first + p.begin, p.rows, p.terms()),
            q.block(m.first + p.begin, column + range.first, p.terms(), range.count)};
  };
  work.on_gpu = [step](const Queue& queue, std::int64_t s, const Blocks<R>& blocks,
                       const OwnColumns<R>& mine) {
    step(
        s, blocks, mine, [&](MatrixView<R> rows) { clear(queue, rows); },
        [&](auto a, auto b, R beta, MatrixView<R> rows) {
          gemm(queue, Op::none, Op::none, 1, a, b, beta, rows);
        });
  };
  work.on_cpu = [step](std::int64_t s, const Blocks<R>& blocks, const OwnColumns<R>& mine) {
    step(s, blocks, mine, clear_on_cpu<R>, [](auto a, auto b, R beta, MatrixView<R> rows) {
      gemm_on_threads(Op::none, Op::none, 1, a, b, beta, rows);
    });
  };
  return work;
}

template <class R>
CutWork<R> last_merge_cut(MatrixView<R> q) {
  const auto n = static_cast<Index>(q.rows), upper = n / 2;
  const Merge last{0, n, upper};
  const Shape<R> nothing_deflates{n, upper, 0, n - upper, 0};
  return {products_of(last, nothing_deflates, n), cut_merge(last, nothing_deflates, {0, n}, q, q)};
}

template <class R>
void multiply_large(const Products<R>& products, const std::vector<Merge>& merges,
                    const std::vector<Shape<R>>& shapes, const Batch<R>& batch, Roots roots,
                    MatrixView<const same_t<R>> c, MatrixView<same_t<R>> panel, MatrixView<same_t<R>> q,
                    SolveTeam<R>* team) {
  std::vector<Shape<R>> uncut = shapes;
  if (team)
    for (std::size_t i = 0; i < merges.size(); ++i) {
      const Roots own{roots.begin, std::min(roots.end, shapes[i].k)};
      const std::vector<double> shares = team->take_shares(products_of(merges[i], shapes[i], own.count()));
      if (shares.empty()) continue;
      Batch<R> one = batch;
      one.merges += i;
      one.shapes += i;
      one.count = 1;
      one.largest = merges[i].size;
      multiply_cut(team->devices(), shares, products, merges[i], shapes[i], one, own, c, panel, q);
      uncut[i].k = 0;
    }
  multiply_by_panels<R>(products, merges, uncut, batch, roots, {{batch.rows, c, q}}, panel);
}

template <class R>
void multiply_with_members(const Products<R>& products, const Merge& last, const Shape<R>& shape,
                           const Batch<R>& batch, Roots roots, MatrixView<same_t<R>> c,
                           MatrixView<same_t<R>> panel, MatrixView<same_t<R>> q, const RowMember<R>& member,
                           const std::vector<double>& before) {
  constexpr Index least_rows = 64, least_columns = 512;  // fewer are not worth copies and meetings
  RowMembers<R>& all = *member.all;
  const auto own = static_cast<std::size_t>(member.number);
  const Index columns = Roots{roots.begin, std::min(roots.end, shape.k)}.count();
  const std::vector<RowMove> moves = row_moves(last, shape, all.rows, columns, before, least_rows,
                                               columns < least_columns ? 0 : all.most_moved);
  if (moves.empty()) return multiply_large<R>(products, {last}, {shape}, batch, roots, c, panel, q, nullptr);
  const auto part = [](MatrixView<R> x, Rows x_rows, Rows rows) {
    return x.block(rows.first - x_rows.first, 0, rows.count, x.cols);
  };
  const Rows kept = kept_rows(moves, all.rows, member.number);
  std::vector<RowsOfProduct<R>> list{{kept, part(c, batch.rows, kept), part(q, batch.rows, kept)}};
  all.compressed[own] = c;
  all.q[own] = q;
  all.team.meet();
  Arena scratch = member.scratch;
  for (const RowMove& move : moves) {
    if (move.to != member.number) continue;
    const auto from = static_cast<std::size_t>(move.from);
    const Index count = move.rows.count;
    const MatrixView<R> copy = scratch.matrix<R>(count, all.compressed[from].cols, count + count % 2);
    copy_on_gpu<R>(
        products.queue(), copy.block(0, last.first, count, shape.k),
        part(all.compressed[from], all.rows[from], move.rows).block(0, last.first, count, shape.k));
    list.push_back({move.rows, copy, part(all.q[from], all.rows[from], move.rows)});
  }
  products.queue().wait();  // all copies end before any product begins
  all.team.meet();
  multiply_by_panels<R>(products, {last}, {shape}, batch, roots, list, panel);
  products.queue().wait();
  all.team.meet();
}

EIGEN_G_INSTANTIATE(real_types, cut_merge, last_merge_cut, multiply_large, multiply_with_members);

}  // namespace eigen_g::dc
