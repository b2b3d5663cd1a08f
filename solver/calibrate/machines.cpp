#include "solver/calibrate/machines.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "hybrid/error.hpp"
#include "hybrid/machine/fork.hpp"

namespace eigen_g {

MeasuredMachine parse_machine(std::string_view text) {
  try {
    const nlohmann::json root = nlohmann::json::parse(text);
    if (root.at("format") != "eigen_g-machine" || root.at("version") != 1)
      throw InvalidArgument("machine", "must be an eigen_g-machine of version 1");
    const auto positive = [](const nlohmann::json& object, const char* key) {
      const double value = object.at(key);
      if (!(value > 0)) throw InvalidArgument("machine", std::string(key) + " must be positive");
      return value;
    };
    MeasuredMachine m;
    m.name = root.at("name");
    m.title = root.at("title");
    m.date = root.at("date");
    m.source = root.at("source").get<std::vector<std::string>>();
    for (const auto& [engine, rate] : root.at("products").items()) {
      const std::optional<Engine> of = engine_of(engine);
      if (!of || *of == Engine::automatic)
        throw InvalidArgument("machine", "has products by an unknown engine, " + engine);
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
    if (!(m.two_stages[0].n < m.two_stages[1].n))
      throw InvalidArgument("machine", "two_stages must have the smaller order first");
    return m;
  } catch (const nlohmann::json::exception& error) {
    throw InvalidArgument("machine", std::string("cannot be read: ") + error.what());
  }
}

const std::vector<MeasuredMachine>& measured_machines() {
  static constinit MadeOnce<const std::vector<MeasuredMachine>> machines;
  return machines.get([] {
    std::vector<MeasuredMachine> all;
    for (const ShippedMachine& file : shipped_machines()) all.push_back(parse_machine(file.text));
    return all;
  });
}

const MeasuredMachine& measured_machine(std::string_view name) {
  const std::vector<MeasuredMachine>& all = measured_machines();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const MeasuredMachine& m) { return m.name == name; });
  if (found == all.end()) throw InvalidArgument("machine", "is unknown: " + std::string(name));
  return *found;
}

}  // namespace eigen_g
