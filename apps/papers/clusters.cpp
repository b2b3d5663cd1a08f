#include "apps/papers/clusters.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "hybrid/error.hpp"

namespace eigen_g::papers {

namespace {

double positive(const nlohmann::json& object, const char* key) {
  const double value = object.at(key);
  if (!(value > 0)) throw InvalidArgument("cluster", std::string(key) + " must be positive");
  return value;
}

// log x and log r of the runs, ascending by x. Among runs of equal x only the one with the most processes.
std::vector<std::pair<double, double>> rates_of(const Cluster& cluster) {
  std::vector<ClusterRun> runs = cluster.runs;
  const auto held = [](const ClusterRun& run) { return run.n * run.n / run.processes; };
  std::sort(runs.begin(), runs.end(), [&](const ClusterRun& a, const ClusterRun& b) {
    return std::pair(held(a), -a.processes) < std::pair(held(b), -b.processes);
  });
  std::vector<std::pair<double, double>> rates;
  for (const ClusterRun& run : runs) {
    const double x = std::log(held(run));
    if (rates.empty() || rates.back().first < x)
      rates.emplace_back(x, std::log(run.n * run.n * run.n / (run.processes * run.seconds)));
  }
  return rates;
}

}  // namespace

Cluster parse_cluster(std::string_view text) {
  try {
    const nlohmann::json root = nlohmann::json::parse(text);
    if (root.at("format") != "eigen_g-cluster" || root.at("version") != 1)
      throw InvalidArgument("cluster", "must be an eigen_g-cluster of version 1");
    Cluster c;
    for (const auto& [key, to] : {std::pair{"name", &c.name},
                                  {"title", &c.title},
                                  {"library", &c.library},
                                  {"type", &c.type},
                                  {"process", &c.process}})
      *to = root.at(key);
    c.source = root.at("source").get<std::vector<std::string>>();
    c.processes_a_node = static_cast<std::int64_t>(positive(root, "processes_a_node"));
    c.bytes_a_process = positive(root, "bytes_a_process");
    c.bytes = positive(root, "bytes");
    c.bytes_fixed = root.at("bytes_fixed");
    for (const nlohmann::json& run : root.at("runs"))
      c.runs.push_back({positive(run, "n"), positive(run, "processes"), positive(run, "seconds")});
    if (c.runs.empty()) throw InvalidArgument("cluster", "must have at least one run");
    if (!(c.bytes_fixed >= 0 && c.bytes_fixed < c.bytes_a_process))
      throw InvalidArgument("cluster", "bytes_fixed must be from 0 to less than bytes_a_process");
    return c;
  } catch (const nlohmann::json::exception& error) {
    throw InvalidArgument("cluster", std::string("cannot be read: ") + error.what());
  }
}

const std::vector<Cluster>& clusters() {
  static const std::vector<Cluster> all = [] {
    std::vector<Cluster> parsed;
    for (const ShippedMachine& file : shipped_clusters()) parsed.push_back(parse_cluster(file.text));
    return parsed;
  }();
  return all;
}

const Cluster& cluster_of(std::string_view name) {
  const auto found =
      std::find_if(clusters().begin(), clusters().end(), [&](const Cluster& c) { return c.name == name; });
  if (found == clusters().end()) throw InvalidArgument("cluster", "is unknown: " + std::string(name));
  return *found;
}

ClusterPrediction predict(const Cluster& cluster, std::int64_t n, std::int64_t nodes) {
  if (n < 1) throw InvalidArgument("n", "must be at least 1, but is " + std::to_string(n));
  if (nodes < 1) throw InvalidArgument("nodes", "must be at least 1, but is " + std::to_string(nodes));
  const double order = static_cast<double>(n);
  ClusterPrediction p;
  p.processes = nodes * cluster.processes_a_node;
  const double processes = static_cast<double>(p.processes);
  p.bytes = cluster.bytes * order * order / processes + cluster.bytes_fixed;
  p.fits = p.bytes <= cluster.bytes_a_process;
  const double room =
      (cluster.bytes_a_process - cluster.bytes_fixed) * static_cast<double>(cluster.processes_a_node);
  p.least_nodes =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(cluster.bytes * order * order / room)));
  double most = 0;
  for (const ClusterRun& run : cluster.runs) most = std::max(most, run.processes);
  p.processes_over = processes / most;

  const auto rates = rates_of(cluster);
  const double x = std::log(order * order / processes);
  if (x < rates.front().first) return p;
  p.within = x <= rates.back().first;
  double rate = rates.back().second;
  for (std::size_t i = 1; i < rates.size() && p.within; ++i) {
    const auto& [x0, r0] = rates[i - 1];
    const auto& [x1, r1] = rates[i];
    if (x > x1) continue;
    rate = r0 + (r1 - r0) * (x - x0) / (x1 - x0);
    break;
  }
  p.seconds = order * order * order / (processes * std::exp(rate));
  return p;
}

}  // namespace eigen_g::papers
