#ifdef EIGEN_G_HAVE_CUDA

#include "apps/bench/team_case.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "apps/bench/cusolvermg.hpp"
#include "apps/generate/random.hpp"
#include "apps/io/scalar_type.hpp"
#include "apps/support/text.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/team/loops.hpp"
#include "hybrid/transfer/peer.hpp"
#include "solver/api/eigen_g.hpp"
#include "solver/driver/arguments.hpp"
#include "solver/verify/verify.hpp"

namespace eigen_g::apps::bench {

namespace {

// The median over the reports of seconds(report).
template <class Seconds>
double median_of(const std::vector<Report>& reports, const Seconds& seconds) {
  std::vector<double> all;
  for (const Report& report : reports) all.push_back(seconds(report));
  return median(std::move(all));
}

template <class T>
class TeamCase {
  using R = real_t<T>;

 public:
  explicit TeamCase(const TeamCaseOptions& plan) : plan_(plan) {
    const generate::CounterRandom re(1, generate::entry_stream), im(1, generate::imaginary_stream);
    for_each(n_, loop_threads(), [&](std::int64_t j) {
      for (std::int64_t i = j; i < n_; ++i) {
        const std::int64_t e = i + j * n_;
        a_[e] = io::scalar_of<T>(2 * re.uniform(e, 0) - 1, i == j ? 0 : 2 * im.uniform(e, 0) - 1);
      }
    });
    poison();  // also so that the first solve finds the pages of Z
  }

  std::vector<Call> calls() {
    std::vector<Call> calls;
    for (const bool vectors : {true, false})
      for (const int gpus : plan_.gpus)
        if (vectors || plan_.values_only)
          calls.push_back({team_call(gpus, vectors),
                           [this, gpus, vectors](std::int64_t) { solve(gpus, vectors); },
                           [this, gpus, vectors] { prepare(gpus, vectors); }});
    for (const int gpus : plan_.gpus)
      if (plan_.peer && gpus > 1 && CusolverMg<T>::found())
        calls.push_back({cusolvermg_call(gpus), [this](std::int64_t) { cusolvermg_->syevd(w_.data()); },
                         [this, gpus] { prepare_cusolvermg(gpus); }});
    return calls;
  }

  void check(Json& result) {
    result["bit_for_bit"] = result["values"] = nullptr;
    if (cusolvermg_) {  // it made the last call, and still has the result
      if (Json* const call = call_of(result, cusolvermg_call(cusolvermg_gpus_))) {
        cusolvermg_->get(z_.get());
        cusolvermg_.reset();
        verify_pairs(*call);
      }
      cusolvermg_.reset();
    }
    std::vector<R> of_one;  // the values by the first number of GPUs
    for (const int gpus : plan_.gpus) {
      for (const bool vectors : {true, false}) add_stages(result, gpus, vectors);
      Json* const call = call_of(result, team_call(gpus, true));
      if (!call) continue;
      poison();
      prepare(gpus, true);
      solve(gpus, true);
      if (plan_.repeated) {
        const bool same = repeats(gpus);
        result["bit_for_bit"] = same && result["bit_for_bit"] != false;
      }
      if (of_one.empty()) of_one = w_;
      const double apart = distance(w_, of_one);
      if (result["values"].is_null() || !(apart <= result["values"].template get<double>()))
        result["values"] = apart;
      solvers_.clear();
      verify_pairs(*call);
    }
  }

 private:
  using Key = std::pair<int, bool>;  // number of GPUs, with vectors
  struct Planned {
    Context context;
    eigen_g::Solver<T> solver;
  };

  static Json* call_of(Json& result, const std::string& name) {
    for (Json& call : result["calls"])
      if (call["name"] == name && call["failure"].is_null()) return &call;
    return nullptr;
  }
  void poison() {
    for_ranges(n_ * n_, loop_threads(), [&](std::int64_t first, std::int64_t last) {
      std::fill(z_.get() + first, z_.get() + last, T(std::numeric_limits<R>::quiet_NaN()));
    });
    std::fill(w_.begin(), w_.end(), std::numeric_limits<R>::quiet_NaN());
  }
  Planned& planned(int gpus, bool vectors) {
    std::unique_ptr<Planned>& found = solvers_[{gpus, vectors}];
    if (found) return *found;
    Options options;
    options.vectors = vectors;
    options.path = Path::two_stage;
    Devices devices;
    devices.device = DeviceChoice::gpu;
    devices.gpus = gpus;
    Context context(devices);
    eigen_g::Solver<T> solver(context, n_, options);
    found.reset(new Planned{std::move(context), std::move(solver)});
    return *found;
  }
  // The solvers keep their memory, unless the GPU has too little of it for all of them.
  void prepare(int gpus, bool vectors) {
    cusolvermg_.reset();
    const bool known = solvers_.contains({gpus, vectors});
    if (!known &&
        gpu_memory_free(current_gpu()) < planned(gpus, vectors).solver.workspace().device * 11 / 10) {
      solvers_.clear();
      release_thread_cache();
    }
    if (!known && plan_.rule.warm_up) solve(gpus, vectors);  // allocates the memory
  }
  void prepare_cusolvermg(int gpus) {
    solvers_.clear();
    if (!cusolvermg_ || cusolvermg_gpus_ != gpus) {
      cusolvermg_.reset();
      std::vector<int> all = helper_gpus(gpus);
      all.insert(all.begin(), current_gpu());
      for (const int gpu : all)
        for (const int peer : all) reach_peer(gpu, peer);
      cusolvermg_ = std::make_unique<CusolverMg<T>>(n_, all);
      cusolvermg_gpus_ = gpus;
    }
    cusolvermg_->set(a_.get());
  }
  void solve(int gpus, bool vectors) {
    const Report report =
        planned(gpus, vectors).solver.solve(a_.get(), n_, w_.data(), vectors ? z_.get() : nullptr, n_);
    if (report.status != Status::converged) throw Error("did not converge: " + std::to_string(report.info));
    reports_[{gpus, vectors}].push_back(report);
  }

  // Medians over the timed reports: the seconds by stage, and by device and stage.
  void add_stages(Json& result, int gpus, bool vectors) {
    Json* const call = call_of(result, team_call(gpus, vectors));
    std::vector<Report>& all = reports_[{gpus, vectors}];
    if (!call) return;
    const auto rounds = (*call)["rounds"].template get<std::size_t>();
    if (all.size() > rounds) all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(rounds));
    const Report& last = all.back();
    call->update({{"gpus", gpus}, {"path", name(last.path)}, {"device_bytes", last.bytes.device}});
    for (const StageWork& work : last.stages)
      (*call)["stages"][name(work.stage)] =
          median_of(all, [&](const Report& r) { return r.seconds_of(work.stage); });
    for (std::size_t k = 0; k < last.devices.size(); ++k) {
      const DeviceWork& device = last.devices[k];
      Json of_device{
          {"gpu", device.gpu}, {"name", device.name}, {"bytes", device.bytes}, {"flops", device.flops}};
      of_device["seconds"] = median_of(all, [&](const Report& r) { return r.devices.at(k).seconds; });
      for (std::size_t i = 0; i < device.stages.size(); ++i)
        of_device["stages"][name(device.stages[i].stage)] =
            median_of(all, [&](const Report& r) { return r.devices.at(k).stages.at(i).seconds; });
      (*call)["devices"].push_back(of_device);
    }
  }

  bool repeats(int gpus) {
    const HostArray<T> z = std::exchange(z_, host_array<T>(n_ * n_));
    const std::vector<R> w = w_;
    poison();
    solve(gpus, true);
    return std::memcmp(z_.get(), z.get(), sizeof(T) * w.size() * w.size()) == 0 &&
           std::memcmp(w_.data(), w.data(), sizeof(R) * w.size()) == 0;
  }

  // Checks w_ and z_: all pairs, or pairs that are spread over the spectrum.
  void verify_pairs(Json& call) {
    release_thread_cache();
    Verification v;
    if (n_ <= largest_order_verified_whole) {
      v = verify<T>(Uplo::lower, n_, a_.get(), n_, n_, w_.data(), z_.get(), n_);
    } else {
      const HostArray<T> some = host_array<T>(n_ * sampled_pairs);
      std::vector<R> values;
      for (std::int64_t k = 0; k < sampled_pairs; ++k) {
        const std::int64_t at = k * (n_ - 1) / (sampled_pairs - 1);
        values.push_back(w_[static_cast<std::size_t>(at)]);
        std::copy_n(z_.get() + at * n_, n_, some.get() + k * n_);
      }
      v = verify<T>(Uplo::lower, n_, a_.get(), n_, sampled_pairs, values.data(), some.get(), n_);
    }
    const bool sound = v.finite && v.ascending;
    call.update({{"verified", v.m},
                 {"residual", sound ? v.lapack_residual : std::nan("")},
                 {"orthogonality", sound ? v.lapack_orthogonality : std::nan("")},
                 {"passed", passed(v)}});
  }

  const TeamCaseOptions plan_;
  const std::int64_t n_ = plan_.n;
  const HostArray<T> a_ = host_array<T>(n_ * n_);
  HostArray<T> z_ = host_array<T>(n_ * n_);
  std::vector<R> w_ = std::vector<R>(static_cast<std::size_t>(n_));
  std::map<Key, std::unique_ptr<Planned>> solvers_;
  std::map<Key, std::vector<Report>> reports_;
  std::unique_ptr<CusolverMg<T>> cusolvermg_;
  int cusolvermg_gpus_ = 0;
};

}  // namespace

std::string team_call(int gpus, bool vectors) {
  return "gpus_" + std::to_string(gpus) + (vectors ? "" : "_values");
}
std::string cusolvermg_call(int gpus) {
  return "cusolvermg_" + std::to_string(gpus);
}

CaseOptions team_case(const Session&, const TeamCaseOptions& plan, Json parameters) {
  parameters["n"] = plan.n;
  parameters["gpus"] = plan.gpus;
  const auto plan_of = [&]<class T>(T) -> CaseOptions {
    TimingRule rule = plan.rule;
    rule.warm_up = false;  // prepare() makes the warm-up calls
    return {parameters, rule, [plan] { return case_of<TeamCase<T>>(plan); }};
  };
  return io::with_type(io::ScalarType{plan.type}, plan_of);
}

}  // namespace eigen_g::apps::bench

#endif
