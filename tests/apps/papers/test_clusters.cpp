// apps/papers/clusters: predictions from published runs; the shipped files. No GPU is needed.
#include "apps/papers/clusters.hpp"

#include "hybrid/error.hpp"
#include "tests/support/catch.hpp"

using namespace eigen_g;
using namespace eigen_g::papers;

TEST_CASE("a cluster: its own runs, weak scaling between them, nothing below them") {
  const std::string text =
      R"({"format": "eigen_g-cluster", "version": 1, "name": "c", "title": "t", "library": "e", "type": "d",
    "process": "core", "processes_a_node": 4, "bytes_a_process": 8e9, "bytes": 32, "bytes_fixed": 0, "source": ["s"], "runs": [
    {"n": 8000, "processes": 4, "seconds": 100}, {"n": 16000, "processes": 16, "seconds": 160},
    {"n": 32000, "processes": 16, "seconds": 900}]})";
  const Cluster cluster = parse_cluster(text);
  CHECK(predict(cluster, 16000, 4).seconds.value() == Approx(160));  // the run with the most processes counts
  CHECK(predict(cluster, 8000, 1).seconds.value() == Approx(80));
  CHECK(predict(cluster, 32000, 4).seconds.value() == Approx(900));
  const ClusterPrediction same_parts = predict(cluster, 64000, 16);
  CHECK(same_parts.seconds.value() == Approx(1800));  // n^3 / P
  CHECK(same_parts.within);
  CHECK(same_parts.processes == 64);
  CHECK(same_parts.processes_over == 4);
  CHECK(same_parts.bytes == Approx(32 * 64e3 * 64e3 / 64));
  const ClusterPrediction between = predict(cluster, 24000, 4);
  CHECK(between.seconds.value() > 160);
  CHECK(between.seconds.value() < 900);
  const ClusterPrediction beyond = predict(cluster, 64000, 4);
  CHECK_FALSE(beyond.within);
  CHECK(beyond.seconds.value() == Approx(8 * 900));
  CHECK_FALSE(predict(cluster, 4000, 1).seconds);
  CHECK(predict(cluster, 63245, 4).fits);  // sqrt(8e9 * 16 / 32) = 63245.6
  CHECK_FALSE(predict(cluster, 63246, 4).fits);
  CHECK(predict(cluster, 63246, 4).least_nodes == 5);

  CHECK_THROWS_AS(predict(cluster, 0, 1), InvalidArgument);
  CHECK_THROWS_AS(predict(cluster, 1, 0), InvalidArgument);
  CHECK_THROWS_AS(parse_cluster("{}"), InvalidArgument);
  CHECK_THROWS_AS(parse_cluster(R"({"format": "eigen_g-machine", "version": 1})"), InvalidArgument);
  CHECK_THROWS_AS(cluster_of("unknown"), InvalidArgument);
  for (const Cluster& shipped : clusters()) {
    CHECK(&cluster_of(shipped.name) == &shipped);
    CHECK(!shipped.source.empty());
  }
}
