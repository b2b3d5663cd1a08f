#include "solver/calibrate/machines.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "hybrid/error.hpp"
#include "hybrid/machine/fork.hpp"

namespace eigen_g {

namespace {

using Json = nlohmann::json;

[[noreturn]] void refuse(const std::string& why) {
  throw InvalidArgument("machine", why);
}

double positive(const Json& object, const char* key) {
  const double value = object.at(key);
  if (!(value > 0)) refuse(std::string(key) + " must be positive");
  return value;
}

// read(root) for the root of a file; the messages of the JSON library become InvalidArgument.
template <class Read>
auto read_machine(std::string_view text, const Read& read) {
  try {
    const Json root = Json::parse(text);
    if (root.at("format") != "eigen_g-machine" || root.at("version") != 1)
      refuse("must be an eigen_g-machine of version 1");
    return read(root);
  } catch (const Json::exception& error) {
    refuse(std::string("cannot be read: ") + error.what());
  }
}

template <class Machine>
Machine named(const Json& root) {
  Machine m;
  m.name = root.at("name");
  m.title = root.at("title");
  m.date = root.at("date");
  m.source = root.at("source").get<std::vector<std::string>>();
  const Json& peaks = root.at("peaks");
  for (const auto& [key, to] : {std::pair{"fp64", &ChipPeaks::fp64},
                                {"fp32", &ChipPeaks::fp32},
                                {"bandwidth", &ChipPeaks::bandwidth}})
    m.peaks.*to = positive(peaks, key);
  for (const auto& [key, to] : {std::pair{"int8", &ChipPeaks::int8}, {"fp8", &ChipPeaks::fp8}})
    if (peaks.contains(key)) m.peaks.*to = positive(peaks, key);
  return m;
}

template <class Machine>
const Machine& machine_named(const std::vector<Machine>& all, std::string_view name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Machine& m) { return m.name == name; });
  if (found == all.end()) refuse("is unknown: " + std::string(name));
  return *found;
}

}  // namespace

bool is_described(std::string_view text) {
  return read_machine(text, [](const Json& root) { return !root.contains("products"); });
}

DescribedMachine parse_described_machine(std::string_view text) {
  return read_machine(text, [](const Json& root) { return named<DescribedMachine>(root); });
}

MeasuredMachine parse_machine(std::string_view text) {
  return read_machine(text, [](const Json& root) {
    auto m = named<MeasuredMachine>(root);
    for (const auto& [engine, rate] : root.at("products").items()) {
      const std::optional<Engine> of = engine_of(engine);
      if (!of || *of == Engine::automatic) refuse("has products by an unknown engine, " + engine);
      m.products[*of] = rate;
    }
    positive(root.at("products"), name(Engine::native));
    for (const auto& [key, to] : {std::pair{"single", &m.single},
                                  {"rank_2k", &m.rank_2k},
                                  {"symv", &m.symv},
                                  {"pass", &m.pass},
                                  {"cpu", &m.cpu},
                                  {"link", &m.link},
                                  {"back_transform_chase_product", &m.back_transform_chase_product}})
      *to = positive(root, key);
    for (const auto& [key, to] : {std::pair{"n", &m.n},
                                  {"tridiagonalize", &m.tridiagonalize},
                                  {"divide_and_conquer", &m.divide_and_conquer},
                                  {"back_transform", &m.back_transform}})
      *to = positive(root.at("solve"), key);
    for (std::size_t i = 0; i < m.two_stages.size(); ++i)
      for (const auto& [key, to] : {std::pair{"n", &MeasuredTwoStages::n},
                                    {"full_to_band", &MeasuredTwoStages::full_to_band},
                                    {"chase", &MeasuredTwoStages::chase},
                                    {"back_transform_chase", &MeasuredTwoStages::back_transform_chase},
                                    {"back_transform_band", &MeasuredTwoStages::back_transform_band}})
        m.two_stages[i].*to = positive(root.at("two_stages").at(i), key);
    if (!(m.two_stages[0].n < m.two_stages[1].n)) refuse("two_stages must have the smaller order first");
    for (const auto& [key, to] : {std::pair{"n", &MeasuredByOzaki::n},
                                  {"symv", &MeasuredByOzaki::symv},
                                  {"full_to_band", &MeasuredByOzaki::full_to_band},
                                  {"divide_and_conquer", &MeasuredByOzaki::divide_and_conquer},
                                  {"back_transform_chase", &MeasuredByOzaki::back_transform_chase},
                                  {"back_transform_band", &MeasuredByOzaki::back_transform_band}})
      m.ozaki.*to = positive(root.at("two_stages_ozaki"), key);
    if (root.contains("team"))
      for (const Json& row : root["team"]) {
        MeasuredTeam& team = m.team.emplace_back();
        team.n = positive(row, "n");
        team.gpus = row.at("gpus");
        if (team.gpus < 1) refuse("gpus must be positive");
        for (std::size_t k = 0; k < team_stages.size(); ++k)
          team.seconds[k] = positive(row, name(team_stages[k]));
      }
    return m;
  });
}

const std::vector<MeasuredMachine>& measured_machines() {
  static constinit MadeOnce<const std::vector<MeasuredMachine>> machines;
  return machines.get([] {
    std::vector<MeasuredMachine> all;
    for (const ShippedMachine& file : shipped_machines())
      if (!is_described(file.text)) all.push_back(parse_machine(file.text));
    return all;
  });
}

const std::vector<DescribedMachine>& described_machines() {
  static constinit MadeOnce<const std::vector<DescribedMachine>> machines;
  return machines.get([] {
    std::vector<DescribedMachine> all;
    for (const ShippedMachine& file : shipped_machines())
      if (is_described(file.text)) all.push_back(parse_described_machine(file.text));
    return all;
  });
}

const MeasuredMachine& measured_machine(std::string_view name) {
  return machine_named(measured_machines(), name);
}
const DescribedMachine& described_machine(std::string_view name) {
  return machine_named(described_machines(), name);
}

}  // namespace eigen_g
