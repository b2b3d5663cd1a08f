#include "apps/generate/sparse_matrices.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "apps/generate/random.hpp"

namespace eigen_g::generate {

namespace {

using blas2::CrsMatrix;

// row_of(i, columns) returns the columns of row i in ascending order, with the diagonal. It is called twice and must return the same.
template <class RowOf>
CrsMatrix<double> matrix_of(std::int64_t n, std::uint64_t seed, RowOf row_of) {
  std::vector<std::int64_t> length(static_cast<std::size_t>(n));
#pragma omp parallel
  {
    std::vector<std::int32_t> columns;
#pragma omp for schedule(dynamic, 512)
    for (std::int64_t i = 0; i < n; ++i) {
      columns.clear();
      row_of(i, columns);
      length[static_cast<std::size_t>(i)] = static_cast<std::int64_t>(columns.size());
    }
  }
  std::int64_t nnz = 0;
  for (const std::int64_t l : length) nnz += l;
  CrsMatrix<double> a(n, n, nnz);
  for (std::int64_t i = 0; i < n; ++i)
    a.row_offsets[i + 1] = a.row_offsets[i] + length[static_cast<std::size_t>(i)];
  const CounterRandom random(seed, 0);
#pragma omp parallel
  {
    std::vector<std::int32_t> columns;
#pragma omp for schedule(dynamic, 512)
    for (std::int64_t i = 0; i < n; ++i) {
      columns.clear();
      row_of(i, columns);
      std::int64_t p = a.row_offsets[i], diagonal = p;
      double sum = 0;
      for (const std::int32_t j : columns) {
        a.col[p] = j;
        if (j == i) {
          diagonal = p++;
          continue;
        }
        a.value[p] = -random.uniform(std::max<std::int64_t>(i, j), std::min<std::int64_t>(i, j));
        sum -= a.value[p++];
      }
      a.value[diagonal] = 1.001 * sum + 0.001;
    }
  }
  return a;
}

}  // namespace

CrsMatrix<double> seven_points(std::int64_t edge) {
  return matrix_of(edge * edge * edge, 1, [edge](std::int64_t i, std::vector<std::int32_t>& columns) {
    const std::int64_t x = i % edge, y = i / edge % edge, z = i / (edge * edge);
    const auto put = [&](bool inside, std::int64_t j) {
      if (inside) columns.push_back(static_cast<std::int32_t>(j));
    };
    put(z > 0, i - edge * edge);
    put(y > 0, i - edge);
    put(x > 0, i - 1);
    put(true, i);
    put(x + 1 < edge, i + 1);
    put(y + 1 < edge, i + edge);
    put(z + 1 < edge, i + edge * edge);
  });
}

CrsMatrix<double> coupled_27_points(std::int64_t edge, int unknowns) {
  return matrix_of(edge * edge * edge * unknowns, 2, [=](std::int64_t i, std::vector<std::int32_t>& columns) {
    const std::int64_t point = i / unknowns, x = point % edge, y = point / edge % edge,
                       z = point / (edge * edge);
    for (std::int64_t w = std::max<std::int64_t>(0, z - 1); w <= std::min(edge - 1, z + 1); ++w)
      for (std::int64_t v = std::max<std::int64_t>(0, y - 1); v <= std::min(edge - 1, y + 1); ++v)
        for (std::int64_t u = std::max<std::int64_t>(0, x - 1); u <= std::min(edge - 1, x + 1); ++u)
          for (int k = 0; k < unknowns; ++k)
            columns.push_back(static_cast<std::int32_t>(((w * edge + v) * edge + u) * unknowns + k));
  });
}

namespace {

using Ends = std::pair<std::int32_t, std::int32_t>;

// Numbers the vertices in a scattered order, so that a row's index says nothing about its length.
std::int32_t shuffled(std::int64_t vertex, std::int64_t n) {
  return static_cast<std::int32_t>((vertex * 2654435761 + 12345) % n);
}

// The matrix of the graph with these edges and a loop at every vertex. Multiple edges count once.
CrsMatrix<double> graph_of(std::int64_t n, const std::vector<Ends>& edges, std::uint64_t seed) {
  std::vector<std::vector<std::int32_t>> rows(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i)
    rows[static_cast<std::size_t>(i)].push_back(static_cast<std::int32_t>(i));
  for (const Ends& end : edges) {
    rows[static_cast<std::size_t>(end.first)].push_back(end.second);
    rows[static_cast<std::size_t>(end.second)].push_back(end.first);
  }
#pragma omp parallel for schedule(dynamic, 512)
  for (std::int64_t i = 0; i < n; ++i) {
    auto& row = rows[static_cast<std::size_t>(i)];
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
  }
  return matrix_of(n, seed, [&rows](std::int64_t i, std::vector<std::int32_t>& columns) {
    const auto& row = rows[static_cast<std::size_t>(i)];
    columns.assign(row.begin(), row.end());
  });
}

}  // namespace

CrsMatrix<double> power_law(int scale, std::int64_t edges, std::uint64_t seed) {
  const std::int64_t n = std::int64_t{1} << scale;
  const CounterRandom random(seed, 1);
  std::vector<Ends> ends(static_cast<std::size_t>(edges));
#pragma omp parallel for schedule(static)
  for (std::int64_t e = 0; e < edges; ++e) {
    std::int64_t a = 0, b = 0;
    for (int level = 0; level < scale; ++level) {
      const double u = random.uniform(e, level);
      a = 2 * a + (u >= 0.76);
      b = 2 * b + ((u >= 0.57 && u < 0.76) || u >= 0.95);
    }
    ends[static_cast<std::size_t>(e)] = {shuffled(a, n), shuffled(b, n)};
  }
  return graph_of(n, ends, seed);
}

CrsMatrix<double> expected_degrees(int scale, std::int64_t edges, double exponent, std::uint64_t seed) {
  const std::int64_t n = std::int64_t{1} << scale;
  std::vector<double> up_to(static_cast<std::size_t>(n));
  double sum = 0;
  for (std::int64_t v = 0; v < n; ++v)
    up_to[static_cast<std::size_t>(v)] = sum += std::pow(static_cast<double>(v + 1), -exponent);
  const CounterRandom random(seed, 3);
  std::vector<Ends> ends(static_cast<std::size_t>(edges));
  const auto vertex = [&](std::int64_t e, int end) {
    const auto at = std::upper_bound(up_to.begin(), up_to.end(), sum * random.uniform(e, end));
    return shuffled(std::min<std::int64_t>(at - up_to.begin(), n - 1), n);
  };
#pragma omp parallel for schedule(static)
  for (std::int64_t e = 0; e < edges; ++e) ends[static_cast<std::size_t>(e)] = {vertex(e, 0), vertex(e, 1)};
  return graph_of(n, ends, seed);
}

CrsMatrix<double> banded(std::int64_t n, std::int64_t nnz, std::uint64_t seed) {
  // Distances from the diagonal: half of them next to it, a quarter each around n^(1/3) and n^(2/3) beyond. Each entry exists with a
  // probability of about 0.8.
  constexpr double taken = 0.8;
  const double beside = (static_cast<double>(nnz) / static_cast<double>(n) - 1) / (2 * taken);
  const auto count = std::max<std::int64_t>(1, std::llround(beside));
  const double keep = std::min(1.0, taken * beside / static_cast<double>(count));
  const std::int64_t near = std::llround(std::cbrt(static_cast<double>(n))), far = near * near;
  std::vector<std::int64_t> distances;
  for (std::int64_t d = 0; d < count; ++d)
    distances.push_back(2 * d < count ? d + 1 : 4 * d < 3 * count ? count + near + d : count + far + d);
  std::sort(distances.begin(), distances.end());
  distances.erase(std::unique(distances.begin(), distances.end()), distances.end());
  const CounterRandom random(seed, 2);
  return matrix_of(n, seed, [=](std::int64_t i, std::vector<std::int32_t>& columns) {
    for (auto d = distances.rbegin(); d != distances.rend(); ++d)
      if (i >= *d && random.uniform(i, *d) < keep) columns.push_back(static_cast<std::int32_t>(i - *d));
    columns.push_back(static_cast<std::int32_t>(i));
    for (const std::int64_t d : distances)
      if (i + d < n && random.uniform(i + d, d) < keep) columns.push_back(static_cast<std::int32_t>(i + d));
  });
}

std::vector<RowCounts> paper_row_counts() {
  return {{"tmt_sym", 726713, 5080961},   {"mario002", 389874, 2097566}, {"ldoor", 952203, 42493817},
          {"audikw_1", 943695, 77651847}, {"msdoor", 415863, 19173163},  {"F1", 343791, 26837113},
          {"s3dkt3m2", 90449, 3686223},   {"x104", 108384, 8713602},     {"crankseg_2", 63838, 14148858},
          {"nd24k", 72000, 28715634}};
}

}  // namespace eigen_g::generate
