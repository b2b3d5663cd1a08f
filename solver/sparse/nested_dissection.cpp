// The order of elimination: nested dissection by METIS, which is loaded at the first call.
#include <algorithm>
#include <array>
#include <mutex>
#include <numeric>
#include <string>

#include "hybrid/error.hpp"
#include "hybrid/machine/shared_library.hpp"
#include "solver/sparse/factorisation.hpp"

#ifndef EIGEN_G_METIS_FILE
#define EIGEN_G_METIS_FILE "libmetis.so"
#endif

namespace eigen_g {

namespace {

// METIS with 32-bit integers.
struct Metis {
  using Dissection = int (*)(std::int32_t* vertices, std::int32_t* offsets, std::int32_t* neighbours,
                             std::int32_t* weights, std::int32_t* options, std::int32_t* permutation,
                             std::int32_t* inverse);
  SharedLibrary library;
  Dissection dissect;
  bool usable;
  Metis()
      : library({"libmetis.so.5", EIGEN_G_METIS_FILE}),
        dissect(reinterpret_cast<Dissection>(library.find("METIS_NodeND"))) {
    // METIS sets its 40 options, whose bytes show the size of its integers.
    constexpr std::size_t options = 40;
    std::array<std::int32_t, 2 * options> set{};
    reinterpret_cast<int (*)(std::int32_t*)>(library.find("METIS_SetDefaultOptions"))(set.data());
    usable = set[options - 1] != 0 && set[options] == 0;
  }
};
const Metis& metis() {
  static const Metis loaded;
  return loaded;
}

// METIS has data of the process, so one thread at a time calls it.
std::mutex& metis_turn() {
  static std::mutex mutex;
  return mutex;
}

// Calls use(neighbour) for the neighbours of each row of the whole graph, in two passes over the lower triangle.
struct Graph {
  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> neighbour;  // ascending within a row
};
Graph graph_of(const LowerPattern& pattern) {
  Graph graph;
  graph.offsets.assign(static_cast<std::size_t>(pattern.n) + 1, 0);
  const auto for_edges = [&](const auto& use) {
    for (std::int64_t j = 0; j < pattern.n; ++j)
      for (std::int64_t p = pattern.offsets[j]; p < pattern.offsets[j + 1]; ++p)
        if (pattern.row[p] != j) use(std::int64_t{pattern.row[p]}, j);
  };
  for_edges([&](std::int64_t i, std::int64_t j) { ++graph.offsets[i + 1], ++graph.offsets[j + 1]; });
  std::partial_sum(graph.offsets.begin(), graph.offsets.end(), graph.offsets.begin());
  graph.neighbour.resize(static_cast<std::size_t>(graph.offsets.back()));
  std::vector<std::int64_t> at(graph.offsets.begin(), graph.offsets.end() - 1);
  // Row i gets its smaller neighbours j in ascending order first, then row j its larger neighbours.
  for_edges([&](std::int64_t i, std::int64_t j) { graph.neighbour[at[i]++] = static_cast<std::int32_t>(j); });
  for_edges([&](std::int64_t i, std::int64_t j) { graph.neighbour[at[j]++] = static_cast<std::int32_t>(i); });
  return graph;
}

// The vertex of each row: rows with the same neighbours, themselves included, are one vertex. Vertices are numbered by their first rows.
std::vector<std::int32_t> vertices_of(const Graph& graph, std::int64_t n) {
  std::vector<std::uint64_t> hash(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    const auto of = [](std::int64_t row) {
      std::uint64_t x = static_cast<std::uint64_t>(row + 1) * 0x9e3779b97f4a7c15u;
      return (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u;
    };
    hash[i] = of(i);
    for (std::int64_t p = graph.offsets[i]; p < graph.offsets[i + 1]; ++p) hash[i] += of(graph.neighbour[p]);
  }
  const auto equal = [&](std::int64_t i, std::int64_t j) {  // i < j are neighbours
    const std::int64_t degree = graph.offsets[i + 1] - graph.offsets[i];
    if (hash[i] != hash[j] || degree != graph.offsets[j + 1] - graph.offsets[j]) return false;
    const std::int32_t *a = graph.neighbour.data() + graph.offsets[i],
                       *b = graph.neighbour.data() + graph.offsets[j];
    const std::int32_t *const a_end = a + degree, *const b_end = b + degree;
    while (true) {
      if (a != a_end && *a == j) ++a;
      if (b != b_end && *b == i) ++b;
      if (a == a_end || b == b_end) return a == a_end && b == b_end;
      if (*a++ != *b++) return false;
    }
  };
  std::vector<std::int32_t> vertex(static_cast<std::size_t>(n), -1);
  std::int32_t vertices = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t p = graph.offsets[i];
         vertex[i] < 0 && p < graph.offsets[i + 1] && graph.neighbour[p] < i; ++p)
      if (equal(graph.neighbour[p], i)) vertex[i] = vertex[graph.neighbour[p]];
    if (vertex[i] < 0) vertex[i] = vertices++;
  }
  return vertex;
}

}  // namespace

std::string own_missing() {
  static const std::string reason = [] {
    try {
      return std::string(metis().usable ? "" : "METIS has 64-bit integers");
    } catch (const DeviceError& error) {
      return std::string(error.what());
    }
  }();
  return reason;
}

std::vector<std::int32_t> nested_dissection(const LowerPattern& pattern) {
  const std::int64_t n = pattern.n;
  const Graph graph = graph_of(pattern);
  const std::vector<std::int32_t> vertex = vertices_of(graph, n);
  std::int32_t vertices = n == 0 ? 0 : *std::max_element(vertex.begin(), vertex.end()) + 1;
  // The graph of the vertices, from the first row of each.
  std::vector<std::int32_t> weights(static_cast<std::size_t>(vertices)), offsets{0}, neighbours;
  for (const std::int32_t v : vertex) ++weights[v];
  std::vector<std::int32_t> seen(static_cast<std::size_t>(vertices), -1);
  for (std::int64_t i = 0, next = 0; i < n; ++i) {
    if (vertex[i] != next) continue;
    const auto v = static_cast<std::int32_t>(next++);
    seen[v] = v;
    for (std::int64_t p = graph.offsets[i]; p < graph.offsets[i + 1]; ++p) {
      const std::int32_t u = vertex[graph.neighbour[p]];
      if (seen[u] != v) neighbours.push_back(u);
      seen[u] = v;
    }
    offsets.push_back(static_cast<std::int32_t>(neighbours.size()));
  }
  std::vector<std::int32_t> permutation(static_cast<std::size_t>(vertices)), position(permutation.size());
  std::iota(position.begin(), position.end(), 0);
  if (!neighbours.empty()) {
    const std::lock_guard lock(metis_turn());
    metis().dissect(&vertices, offsets.data(), neighbours.data(), weights.data(), nullptr, permutation.data(),
                    position.data());
  }
  // Rows of one vertex follow each other.
  std::vector<std::int64_t> first(static_cast<std::size_t>(vertices) + 1);
  for (std::int32_t v = 0; v < vertices; ++v) first[position[v] + 1] = weights[v];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<std::int32_t> order(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) order[i] = static_cast<std::int32_t>(first[position[vertex[i]]]++);
  return order;
}

}  // namespace eigen_g
