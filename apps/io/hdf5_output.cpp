#include "apps/io/hdf5_output.hpp"

#ifdef EIGEN_G_HAVE_HDF5
#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "apps/io/hdf5_handle.hpp"
#endif

namespace eigen_g::io {

#ifndef EIGEN_G_HAVE_HDF5

void require_hdf5(const std::filesystem::path& path) {
  throw FileError(path, 0, "cannot be written: this program is built without HDF5");
}

Hdf5Writer::Hdf5Writer(std::filesystem::path path, const std::vector<Hdf5Dataset>&, Existing existing)
    : file_(path, existing) {
  require_hdf5(path);
}

#else

void require_hdf5(const std::filesystem::path&) {}

namespace {

class Layout {
 public:
  Layout(const OutputFile& file, const std::vector<Hdf5Dataset>& datasets)
      : target_(file.target()), access_(::H5Pcreate(H5P_FILE_ACCESS), H5Pclose), file_(create(file)) {
    for (const Hdf5Dataset& dataset : datasets) offsets_.push_back(add(dataset));
    require(file_.reset());
  }
  // Offset of each dataset in the file; HADDR_UNDEF: it has no elements.
  const std::vector<haddr_t>& offsets() const { return offsets_; }

 private:
  void require(bool good) const {
    if (!good) throw FileError(target_, 0, "cannot be written: " + hdf5_reason());
  }

  Hdf5Handle create(const OutputFile& file) const {
    constexpr hsize_t alignment = 64;
    require(::H5Pset_alignment(access_, 1, alignment) >= 0);
    Hdf5Handle created(::H5Fcreate(file.temporary().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access_), H5Fclose);
    require(created.is_open());
    return created;
  }

  static Hdf5Handle type_of(ScalarType type) {
    const bool wide = real_type(type) == ScalarType::d;
    const hid_t part = wide ? H5T_IEEE_F64LE : H5T_IEEE_F32LE;
    if (real_type(type) == type) return {::H5Tcopy(part), H5Tclose};
    const std::size_t size = wide ? sizeof(double) : sizeof(float);
    Hdf5Handle both(::H5Tcreate(H5T_COMPOUND, 2 * size), H5Tclose);
    ::H5Tinsert(both, "r", 0, part);
    ::H5Tinsert(both, "i", size, part);
    return both;
  }

  haddr_t add(const Hdf5Dataset& dataset) const {
    const std::vector<hsize_t> extents(dataset.shape.begin(), dataset.shape.end());
    const Hdf5Handle type = type_of(dataset.type),
                     space(::H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr),
                           H5Sclose),
                     links(::H5Pcreate(H5P_LINK_CREATE), H5Pclose),
                     how(::H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    require(space.is_open() && ::H5Pset_create_intermediate_group(links, 1) >= 0 &&
            ::H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY) >= 0 &&
            ::H5Pset_fill_time(how, H5D_FILL_TIME_NEVER) >= 0);
    const Hdf5Handle made(::H5Dcreate2(file_, dataset.name.c_str(), type, space, links, how, H5P_DEFAULT),
                          H5Dclose);
    require(made.is_open());
    return std::find(extents.begin(), extents.end(), hsize_t{0}) == extents.end() ? ::H5Dget_offset(made)
                                                                                  : HADDR_UNDEF;
  }

  std::filesystem::path target_;
  Hdf5Handle access_, file_;
  std::vector<haddr_t> offsets_;
};

// Bytes of all elements. Returns UINT64_MAX if the sum overflows; no disk has this much room.
std::uint64_t bytes_of(const std::vector<Hdf5Dataset>& datasets) {
  std::uint64_t sum = 1;  // a reservation of 0 bytes fails
  for (const Hdf5Dataset& dataset : datasets) {
    std::uint64_t bytes = (real_type(dataset.type) == ScalarType::d ? sizeof(double) : sizeof(float)) *
                          (real_type(dataset.type) == dataset.type ? 1 : 2);
    for (const std::int64_t extent : dataset.shape)
      if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(extent), &bytes)) return UINT64_MAX;
    if (__builtin_add_overflow(sum, bytes, &sum)) return UINT64_MAX;
  }
  return sum;
}

}  // namespace

Hdf5Writer::Hdf5Writer(std::filesystem::path path, const std::vector<Hdf5Dataset>& datasets,
                       Existing existing)
    : file_(std::move(path), existing) {
  static_assert(std::endian::native == std::endian::little, "elements are copied without conversion");
  begin_hdf5();
  // A full disk is an error here, before HDF5 has opened a file that it could not close.
  file_.reserve(bytes_of(datasets));
  const Layout layout(file_, datasets);
  std::byte* const bytes = file_.map(std::filesystem::file_size(file_.temporary()));
  for (const haddr_t offset : layout.offsets())
    places_.push_back(offset == HADDR_UNDEF ? nullptr : bytes + offset);
}

#endif

}  // namespace eigen_g::io
