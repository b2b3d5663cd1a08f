#include "solver/devices/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "gemm_df/engines/engine.hpp"
#include "hybrid/machine/cpu.hpp"

namespace eigen_g {

namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr const char* format_name = "eigen_g-calibration";
constexpr int format_version = 4;

struct Version {
  const char* key;
  std::string Calibration::*value;
};
constexpr Version versions[] = {{"eigen_g", &Calibration::eigen_g},
                                {"cuda_driver", &Calibration::cuda_driver},
                                {"cuda_toolkit", &Calibration::cuda_toolkit},
                                {"cublas", &Calibration::cublas},
                                {"openblas", &Calibration::openblas}};

struct Figure {
  const char* key;
  double DeviceRates::*value;
};
constexpr Figure figures[] = {{"symv_bytes_per_second", &DeviceRates::symv_bytes_per_second},
                              {"to_device", &DeviceRates::to_device},
                              {"from_device", &DeviceRates::from_device},
                              {"latency", &DeviceRates::latency},
                              {"from_first", &DeviceRates::from_first},
                              {"to_first", &DeviceRates::to_first},
                              {"halo_bytes_per_second", &DeviceRates::halo_bytes_per_second},
                              {"halo_latency", &DeviceRates::halo_latency},
                              {"team_overhead_seconds", &DeviceRates::team_overhead_seconds}};

constexpr const char* name_of(TeamWork work) {
  return work == TeamWork::product ? "product" : "reflectors";
}

std::string compute_capability(const Device& d) {
  return d.kind == DeviceKind::cpu ? ""
                                   : std::to_string(d.compute_major) + "." + std::to_string(d.compute_minor);
}

const char* processors_key(const Device& d) {
  return d.kind == DeviceKind::cpu ? "cores" : "multiprocessors";
}

int processors(const Device& d) {
  return d.kind == DeviceKind::cpu ? d.cores : d.multiprocessors;
}

std::string in_words(const Device& d) {
  return d.name + ", " + std::to_string(processors(d)) + " " + processors_key(d) +
         (d.kind == DeviceKind::cpu ? "" : ", compute capability " + compute_capability(d));
}

bool same_device(const Device& a, const Device& b) {
  return a.kind == b.kind && a.name == b.name && processors(a) == processors(b) &&
         a.compute_major == b.compute_major && a.compute_minor == b.compute_minor;
}

// Reads values of the file. Every error message names the place of the value.
class Reader {
 public:
  explicit Reader(const std::string& name) : name_(name) {}
  [[noreturn]] void refuse(const std::string& reason) const { throw CalibrationError(name_ + ": " + reason); }

  const OrderedJson& member(const OrderedJson& object, const std::string& where, const char* key) const {
    if (!object.is_object() || !object.contains(key))
      refuse("is damaged: " + where + " has no '" + key + "'");
    return object[key];
  }
  std::string text(const OrderedJson& object, const std::string& where, const char* key) const {
    const OrderedJson& value = member(object, where, key);
    if (!value.is_string()) refuse("is damaged: '" + std::string(key) + "' of " + where + " is not a text");
    return value.get<std::string>();
  }
  double figure(const OrderedJson& object, const std::string& where, const char* key) const {
    const OrderedJson& value = member(object, where, key);
    if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < 0)
      refuse("is damaged: '" + std::string(key) + "' of " + where + " is not a number >= 0");
    return value.get<double>();
  }
  std::int64_t count(const OrderedJson& object, const std::string& where, const char* key) const {
    const OrderedJson& value = member(object, where, key);
    if (!value.is_number_integer() || value.get<std::int64_t>() < 0 ||
        value.get<std::int64_t>() > std::numeric_limits<int>::max())
      refuse("is damaged: '" + std::string(key) + "' of " + where + " is not a count");
    return value.get<std::int64_t>();
  }
  const OrderedJson& list(const OrderedJson& object, const std::string& where, const char* key) const {
    const OrderedJson& value = member(object, where, key);
    if (!value.is_array()) refuse("is damaged: '" + std::string(key) + "' of " + where + " is not a list");
    return value;
  }

  DeviceRates device(const OrderedJson& object, const std::string& where) const {
    DeviceRates rates;
    const std::string kind = text(object, where, "kind");
    if (kind != "cpu" && kind != "gpu") refuse("is damaged: 'kind' of " + where + " must be cpu or gpu");
    rates.device.kind = kind == "cpu" ? DeviceKind::cpu : DeviceKind::gpu;
    rates.device.name = text(object, where, "name");
    (kind == "cpu" ? rates.device.cores : rates.device.multiprocessors) =
        static_cast<int>(count(object, where, processors_key(rates.device)));
    const std::string compute = text(object, where, "compute_capability");
    if (kind == "gpu") {
      char dot = 0;
      std::istringstream in(compute);
      if (!(in >> rates.device.compute_major >> dot >> rates.device.compute_minor) || dot != '.' || !in.eof())
        refuse("is damaged: 'compute_capability' of " + where + " must be like 9.0");
    }
    for (const OrderedJson& product : list(object, where, "products")) {
      const std::string of = "a product of " + where;
      rates.products.push_back({text(product, of, "engine"), count(product, of, "m"), count(product, of, "n"),
                                count(product, of, "k"), figure(product, of, "flops")});
    }
    for (const OrderedJson& entry : list(object, where, "team")) {
      const std::string of = "the team's work of " + where;
      TeamRate rate;
      const std::string work = text(entry, of, "work");
      if (work != name_of(TeamWork::product) && work != name_of(TeamWork::reflectors))
        refuse("is damaged: 'work' of " + of + " must be product or reflectors");
      rate.work = work == name_of(TeamWork::product) ? TeamWork::product : TeamWork::reflectors;
      rate.multiprocessors = static_cast<int>(count(entry, of, "multiprocessors"));
      rate.rows = count(entry, of, "rows");
      rate.columns = count(entry, of, "columns");
      rate.inner = count(entry, of, "inner");
      rate.flops = figure(entry, of, "flops");
      rates.team.push_back(rate);
    }
    for (const Figure& f : figures) rates.*f.value = figure(object, where, f.key);
    return rates;
  }

 private:
  std::string name_;
};

}  // namespace

Calibration uncalibrated_machine() {
  Calibration here;
  here.eigen_g = EIGEN_G_VERSION;
  here.cuda_driver = cuda_driver_version();
  here.cuda_toolkit = cuda_toolkit_version();
  here.cublas = cublas_version();
  here.openblas = blas_version();
  int gpus = 0;
  for (const Device& device : devices()) {
    DeviceRates rates;
    rates.device = device;
    if (device.kind == DeviceKind::gpu) rates.device.index = gpus++;
    here.devices.push_back(rates);
  }
  return here;
}

std::string foreign(const Calibration& calibration, const Calibration& here) {
  for (const Version& v : versions)
    if (calibration.*v.value != here.*v.value)
      return "was measured with " + std::string(v.key) + " '" + calibration.*v.value + "'; this is '" +
             here.*v.value + "'";
  if (calibration.devices.size() != here.devices.size())
    return "is for a machine with " + std::to_string(calibration.devices.size()) + " devices; this one has " +
           std::to_string(here.devices.size());
  for (std::size_t i = 0; i < here.devices.size(); ++i)
    if (!same_device(calibration.devices[i].device, here.devices[i].device))
      return "is for another device (" + in_words(calibration.devices[i].device) + "); this one is " +
             in_words(here.devices[i].device);
  return "";
}

Calibration parse_calibration(std::string_view text, const std::string& name) {
  const Reader read(name);
  const OrderedJson root = OrderedJson::parse(text, nullptr, false);
  if (root.is_discarded()) read.refuse("is damaged: it is not JSON");
  const std::string top = "the file";
  if (read.text(root, top, "format") != format_name)
    read.refuse("is no calibration: its format is not " + std::string(format_name));
  const std::int64_t version = read.count(root, top, "version");
  if (version != format_version)
    read.refuse("is a calibration of version " + std::to_string(version) + "; this program reads version " +
                std::to_string(format_version));
  Calibration c;
  c.date = read.text(root, top, "date");
  const std::string effort = read.text(root, top, "effort");
  if (effort != "quick" && effort != "full") read.refuse("is damaged: 'effort' must be quick or full");
  c.full = effort == "full";
  const OrderedJson& machine = read.member(root, top, "machine");
  for (const Version& v : versions) c.*v.value = read.text(machine, "'machine'", v.key);
  int gpus = 0;
  for (const OrderedJson& object : read.list(root, top, "devices")) {
    c.devices.push_back(read.device(object, "device " + std::to_string(c.devices.size() + 1)));
    Device& device = c.devices.back().device;
    if (device.kind == DeviceKind::gpu) device.index = gpus++;
  }
  if (c.devices.empty()) read.refuse("is damaged: it has no device");
  return c;
}

std::string json_text_of(const Calibration& c) {
  OrderedJson machine = OrderedJson::object();
  for (const Version& v : versions) machine[v.key] = c.*v.value;
  OrderedJson list = OrderedJson::array();
  for (const DeviceRates& rates : c.devices) {
    OrderedJson products = OrderedJson::array();
    for (const ProductRate& p : rates.products)
      products.push_back({{"engine", p.engine}, {"m", p.m}, {"n", p.n}, {"k", p.k}, {"flops", p.flops}});
    OrderedJson team = OrderedJson::array();
    for (const TeamRate& rate : rates.team)
      team.push_back({{"work", name_of(rate.work)},
                      {"multiprocessors", rate.multiprocessors},
                      {"rows", rate.rows},
                      {"columns", rate.columns},
                      {"inner", rate.inner},
                      {"flops", rate.flops}});
    OrderedJson device{{"kind", rates.device.kind == DeviceKind::cpu ? "cpu" : "gpu"},
                       {"name", rates.device.name},
                       {processors_key(rates.device), processors(rates.device)},
                       {"compute_capability", compute_capability(rates.device)},
                       {"products", products},
                       {"team", team}};
    for (const Figure& f : figures) device[f.key] = rates.*f.value;
    list.push_back(device);
  }
  const OrderedJson root{{"format", format_name}, {"version", format_version},
                         {"date", c.date},        {"effort", c.full ? "full" : "quick"},
                         {"machine", machine},    {"devices", list}};
  return root.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

std::filesystem::path cache_folder() {
  // The XDG base directory specification: relative paths must be ignored.
  const char* xdg = std::getenv("XDG_CACHE_HOME");
  if (xdg && std::filesystem::path(xdg).is_absolute()) return std::filesystem::path(xdg) / "eigen_g";
  const char* home = std::getenv("HOME");
  if (home && *home) return std::filesystem::path(home) / ".cache" / "eigen_g";
  return {};
}

std::filesystem::path cached_calibration() {
  const auto folder = cache_folder();
  return folder.empty() ? folder : folder / "calibration.json";
}

Calibration read_calibration(const std::filesystem::path& file, const Calibration& here) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf()))
    throw CalibrationError(file.string() + ": cannot be read as a calibration");
  Calibration calibration = parse_calibration(text.str(), file.string());
  const std::string reason = foreign(calibration, here);
  if (!reason.empty()) throw CalibrationError(file.string() + ": " + reason);
  return calibration;
}

ChosenCalibration choose_calibration(const std::filesystem::path& file, const Calibration& here) {
  if (!file.empty()) return {read_calibration(file, here), file.string(), ""};
  ChosenCalibration chosen;
  const auto cached = cached_calibration();
  std::error_code ignored;
  if (cached.empty() || !std::filesystem::exists(cached, ignored)) return chosen;
  try {
    return {read_calibration(cached, here), cached.string(), ""};
  } catch (const CalibrationError& e) {
    chosen.refused = std::string(e.what()) + "; it is ignored";
  }
  return chosen;
}

namespace {

double apart(double a, std::int64_t b) {
  return std::fabs(std::log(std::max(a, 1.0) / std::max(static_cast<double>(b), 1.0)));
}

}  // namespace

double product_rate(const DeviceRates& rates, std::string_view engine, double m, double n, double k) {
  double nearest = std::numeric_limits<double>::infinity(), rate = 0;
  for (const ProductRate& p : rates.products) {
    if (p.engine != engine) continue;
    const double distance = apart(m, p.m) + apart(n, p.n) + apart(k, p.k);
    if (distance < nearest) {
      nearest = distance;
      rate = p.flops;
    }
  }
  return rate;
}

double team_rate(const DeviceRates& rates, TeamWork work, int multiprocessors, double rows, double columns,
                 double inner) {
  const bool cpu = rates.device.kind == DeviceKind::cpu;
  const double used = cpu ? 1 : std::max(1, multiprocessors);
  struct Point {
    double units = 0, rate_of_one = 0;
  };
  std::map<int, std::pair<double, Point>> nearest;  // by multiprocessors: its distance in shape
  for (const TeamRate& rate : rates.team) {
    if (rate.work != work || rate.flops <= 0) continue;
    const double units = cpu ? 1 : std::max(1, rate.multiprocessors);
    const double distance = apart(rows, rate.rows) + apart(columns, rate.columns) + apart(inner, rate.inner);
    const auto [at, is_new] = nearest.try_emplace(rate.multiprocessors, distance, Point{});
    if (is_new || distance < at->second.first) at->second = {distance, {units, rate.flops / units}};
  }
  if (nearest.empty()) {
    const double whole = product_rate(rates, name(Engine::native), rows, columns, inner);
    return cpu || rates.device.multiprocessors < 1 ? whole : whole * used / rates.device.multiprocessors;
  }
  Point below = nearest.begin()->second.second, above = below;
  for (const auto& entry : nearest) {
    above = entry.second.second;
    if (above.units >= used) break;
    below = above;
  }
  const double span = above.units - below.units;
  const double along = span > 0 ? std::clamp((used - below.units) / span, 0.0, 1.0) : 0;
  return used * (below.rate_of_one + along * (above.rate_of_one - below.rate_of_one));
}

}  // namespace eigen_g
