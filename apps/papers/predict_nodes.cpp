// eigen_g predict --nodes: predicted solves on clusters. The JSON report has "format": "eigen_g-predict-nodes", "version": 2 and
//
//   nodes         number of nodes
//   clusters      name, title, library, type, source
//   predictions   cluster, n, processes, bytes and bytes_available of a process, fits, least_nodes, seconds or null, within,
//                 processes_over (apps/papers/clusters.hpp)
#include "apps/papers/predict_nodes.hpp"

#include <nlohmann/json.hpp>

#include "apps/papers/clusters.hpp"
#include "apps/support/named_files.hpp"
#include "apps/support/text.hpp"
#include "apps/support/text_table.hpp"

namespace eigen_g::apps {

namespace {

using Json = nlohmann::ordered_json;
using papers::Cluster;
using papers::ClusterPrediction;

struct Line {
  const Cluster& cluster;
  std::int64_t n;
  ClusterPrediction found;
};

std::string seconds_of(const ClusterPrediction& p) {
  return p.fits && p.seconds ? print("%.4g", *p.seconds) : "-";
}

std::string remark(const ClusterPrediction& p) {
  if (!p.fits) return print("does not fit: %lld nodes would do", static_cast<long long>(p.least_nodes));
  if (!p.seconds) return "each holds less than in any run";
  std::string text;
  if (p.processes_over > 1) text = print("%.3g times the processes of the largest run", p.processes_over);
  if (!p.within) text += std::string(text.empty() ? "" : ", ") + "each holds more than in any run";
  return text;
}

std::string nodes_table(std::int64_t nodes, const std::vector<Line>& lines) {
  TextTable table({print("all pairs on %lld nodes", static_cast<long long>(nodes)), "n", "processes",
                   "GB each", "of", "seconds"});
  for (const Line& line : lines)
    table.add({line.cluster.name, std::to_string(line.n), std::to_string(line.found.processes),
               print("%.3g", line.found.bytes * 1e-9), print("%.3g", line.cluster.bytes_a_process * 1e-9),
               seconds_of(line.found)});
  std::string text = table.text();
  for (const Line& line : lines)
    if (const std::string words = remark(line.found); !words.empty())
      text += line.cluster.name + print(", n = %lld: ", static_cast<long long>(line.n)) + words + "\n";
  const Cluster* last = nullptr;
  for (const Line& line : lines) {
    if (last == &line.cluster) continue;
    last = &line.cluster;
    text += "\n" + last->name + ": " + last->title + "; type " + last->type + ", a process a " +
            last->process + "\n";
    for (const std::string& source : last->source) text += "  " + source + "\n";
  }
  return text;
}

std::string nodes_json(std::int64_t nodes, const std::vector<Line>& lines) {
  Json of_clusters = Json::array(), predictions = Json::array();
  const Cluster* last = nullptr;
  for (const Line& line : lines) {
    if (last != &line.cluster) {
      last = &line.cluster;
      of_clusters.push_back({{"name", last->name},
                             {"title", last->title},
                             {"library", last->library},
                             {"type", last->type},
                             {"source", last->source}});
    }
    const ClusterPrediction& p = line.found;
    predictions.push_back({{"cluster", last->name},
                           {"n", line.n},
                           {"processes", p.processes},
                           {"bytes", p.bytes},
                           {"bytes_available", last->bytes_a_process},
                           {"fits", p.fits},
                           {"least_nodes", p.least_nodes},
                           {"seconds", p.fits && p.seconds ? Json(*p.seconds) : Json()},
                           {"within", p.within},
                           {"processes_over", p.processes_over}});
  }
  const Json root{{"format", "eigen_g-predict-nodes"},
                  {"version", 2},
                  {"nodes", nodes},
                  {"clusters", of_clusters},
                  {"predictions", predictions}};
  return json_text(root);
}

}  // namespace

ExitCode predict_nodes(const NodesOptions& options, const std::vector<std::int64_t>& orders,
                       const RunOptions& run) {
  require_apart({}, {{"--json", run.json}}, run.force);
  ReportSink sink(run);
  std::vector<Line> lines;
  for (const Cluster& cluster : papers::clusters())
    if (options.cluster.empty() || options.cluster == cluster.name)
      for (const std::int64_t n : orders)
        lines.push_back({cluster, n, papers::predict(cluster, n, options.nodes)});
  sink.put(nodes_table(options.nodes, lines), nodes_json(options.nodes, lines));
  return ExitCode::done;
}

}  // namespace eigen_g::apps
