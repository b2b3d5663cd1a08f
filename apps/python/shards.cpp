#include "apps/python/shards.hpp"

#include <eigen_g/shards.hpp>

#include "apps/python/gil.hpp"
#include "apps/python/types.hpp"

namespace eigen_g::python {

namespace {

template <class T>
std::vector<Shard<T>> shards_of(const std::vector<ShardAt>& pieces) {
  std::vector<Shard<T>> shards;
  for (const auto& [address, ld, columns, stream] : pieces)
    shards.push_back({pointer<T>(address), ld, columns, pointer<CUstream_st>(stream)});
  return shards;
}

}  // namespace

PythonReport solve_shards(const CallOptions& plan, std::int64_t n, const std::vector<ShardAt>& a,
                          std::uintptr_t w, const std::vector<ShardAt>& z, nanobind::object progress) {
  const Options options = with_progress(plan.options, n, std::move(progress));
  const GilReleased free;
  return with_type(plan.dtype, [&]<class T>() {
    return reported(
        eigen_g<T>(n, shards_of<T>(a), pointer<real_t<T>>(w), shards_of<T>(z), options, plan.devices));
  });
}

}  // namespace eigen_g::python
