#include "apps/distributed/result_writer.hpp"

#include <algorithm>
#include <complex>
#include <cstdio>
#include <vector>

#include "apps/distributed/collective.hpp"
#include "apps/io/npy_header.hpp"
#include "apps/support/signals.hpp"
#include "hybrid/instantiate.hpp"
#include "solver/distributed/scalapack_calls.hpp"

namespace eigen_g::apps {

namespace {

using distributed::LocalView;

// An MPI type that frees itself.
class Type {
 public:
  explicit Type(MPI_Datatype type) : type_(type) { MPI_Type_commit(&type_); }
  ~Type() { MPI_Type_free(&type_); }
  Type(const Type&) = delete;
  Type& operator=(const Type&) = delete;
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_;
};

// MPI type of this process's rows of one column of z, with their offsets in the file's column.
template <class T>
MPI_Datatype rows_of_column(const LocalView<T>& z) {
  const std::int64_t rows = z.layout.rows.count(), block = z.layout.rows.block;
  std::vector<int> lengths;
  std::vector<MPI_Aint> places;
  for (std::int64_t k = 0; k < rows; k += block) {
    lengths.push_back(static_cast<int>(std::min(block, rows - k)));
    places.push_back(z.layout.rows.global(k) * static_cast<MPI_Aint>(sizeof(T)));
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), places.data(),
                           distributed::mpi_type<T>(), &type);
  return type;
}

// MPI type of the local columns l0 to l1 - 1, with their offsets in the file.
template <class T>
MPI_Datatype columns_of(const LocalView<T>& z, MPI_Datatype column, std::int64_t l0, std::int64_t l1) {
  std::vector<MPI_Aint> places;
  for (std::int64_t l = l0; l < l1; ++l)
    places.push_back(z.layout.cols.global(l) * z.layout.rows.n * static_cast<MPI_Aint>(sizeof(T)));
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed_block(static_cast<int>(places.size()), 1, places.data(), column, &type);
  return type;
}

template <class T>
std::string descr() {
  return (is_complex<T> ? "<c" : "<f") + std::to_string(sizeof(T));
}

}  // namespace

template <class T>
ResultWriter<T>::ResultWriter(MPI_Comm comm, const ResultNames& names, std::int64_t n, std::int64_t most,
                              io::Existing existing)
    : comm_(comm), names_(names), n_(n) {
  agree(comm_, [&] {
    if (rank_in(comm_) != 0 || names_.values.empty()) return;
    values_ = std::make_unique<io::OutputFile>(names_.values, existing);
    if (names_.vectors.empty()) return;
    vectors_ = std::make_unique<io::OutputFile>(names_.vectors, existing);
    vectors_->reserve(io::format_npy_header({n, most}, descr<T>()).size() +
                      static_cast<std::uint64_t>(n * most) * sizeof(T));
  });
}

template <class T>
void ResultWriter<T>::write(std::span<const double> w, const LocalView<T>* z) {
  const auto m = static_cast<std::int64_t>(w.size());
  const std::string header = io::format_npy_header({n_, m}, descr<T>());
  std::string path;
  agree(comm_, [&] {
    if (!values_) return;
    const std::vector<real_t<T>> values(w.begin(), w.end());
    values_->write(io::format_npy_header({m}, descr<real_t<T>>()));
    values_->write({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(real_t<T>)});
    if (!vectors_) return;
    vectors_->write(header);
    vectors_->truncate(header.size() + static_cast<std::uint64_t>(n_ * m) * sizeof(T));
    path = vectors_->temporary().string();
  });
  broadcast(comm_, path);
  if (!path.empty()) write_vectors(path, static_cast<std::int64_t>(header.size()), m, *z);
}

template <class T>
void ResultWriter<T>::write_vectors(const std::string& path, std::int64_t header_bytes, std::int64_t m,
                                    const LocalView<T>& z) {
  constexpr std::int64_t max_entries = std::int64_t{1} << 24;  // maximum for one process in one call
  MPI_File file = MPI_FILE_NULL;
  int error = MPI_File_open(comm_, path.c_str(), MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  agree(comm_, [&] { require_file_call(error, names_.vectors, "opened by every process"); });
  const std::int64_t rows = z.layout.rows.count(), cols = z.layout.cols.below(m);
  const std::int64_t step = std::max<std::int64_t>(1, max_entries / std::max<std::int64_t>(1, rows));
  std::int64_t rounds = (cols + step - 1) / step;
  MPI_Allreduce(MPI_IN_PLACE, &rounds, 1, MPI_INT64_T, MPI_MAX, comm_);
  for (std::int64_t round = 0; round < rounds && error == MPI_SUCCESS; ++round) {
    const std::int64_t l0 = std::min(cols, round * step), l1 = std::min(cols, l0 + step);
    const Type column(rows_of_column(z)), columns(columns_of(z, column.get(), l0, l1));
    const bool nothing = rows == 0 || l0 == l1;
    MPI_File_set_view(file, header_bytes, distributed::mpi_type<T>(),
                      nothing ? distributed::mpi_type<T>() : columns.get(), "native", MPI_INFO_NULL);
    // The local columns of z are contiguous in memory.
    error = MPI_File_write_all(file, nothing ? nullptr : &z(0, l0),
                               nothing ? 0 : static_cast<int>(rows * (l1 - l0)), distributed::mpi_type<T>(),
                               MPI_STATUS_IGNORE);
    MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_INT, MPI_MAX, comm_);
  }
  if (error == MPI_SUCCESS) error = MPI_File_sync(file);
  MPI_File_close(&file);
  agree(comm_, [&] { require_file_call(error, names_.vectors, "written"); });
}

template <class T>
void ResultWriter<T>::commit() {
  agree(comm_, [&] {
    if (!values_) return;
    const HoldSignals both_or_none;
    if (vectors_) vectors_->commit();
    try {
      values_->commit();
    } catch (...) {
      if (vectors_) std::remove(names_.vectors.c_str());
      throw;
    }
  });
}

EIGEN_G_INSTANTIATE_CLASS(all_types, ResultWriter);

}  // namespace eigen_g::apps
