// Solves a distributed matrix by ELPA.
#include <elpa/elpa.h>

#include <string>

#include "solver/distributed/libraries.hpp"

namespace eigen_g::distributed {

namespace {

void require_ok(int error, const char* what) {
  if (error != ELPA_OK) throw DeviceError(std::string("ELPA: ") + what + ": error " + std::to_string(error));
}

// Initialises the ELPA library and owns one ELPA object.
class Elpa {
 public:
  Elpa() {
    require_ok(elpa_init(ELPA_API_VERSION), "the library is older than its header");
    int error = ELPA_OK;
    handle_ = elpa_allocate(&error);
    require_ok(error, "cannot allocate an object");
  }
  ~Elpa() {
    int ignored = ELPA_OK;
    elpa_deallocate(handle_, &ignored);
    elpa_uninit(&ignored);
  }
  Elpa(const Elpa&) = delete;
  Elpa& operator=(const Elpa&) = delete;

  void set(const char* key, std::int64_t value) {
    int error = ELPA_OK;
    elpa_set_integer(handle_, key, static_cast<int>(value), &error);
    require_ok(error, key);
  }
  void setup() { require_ok(elpa_setup(handle_), "setup"); }
  elpa_t handle() const { return handle_; }

 private:
  elpa_t handle_ = nullptr;
};

}  // namespace

template <class T>
LibraryResult solve_by_elpa(const LocalProblem<T>& t) {
  const std::int64_t n = t.a.layout.rows.n;
  const bool by_number = t.subset.by == Subset::By::index;
  LibraryResult outcome;
  outcome.path = t.path == Path::two_stage ? Path::two_stage : Path::one_stage;
  outcome.routine = outcome.path == Path::two_stage ? "ELPA's two-stage solver" : "ELPA's one-stage solver";
  Elpa elpa;
  elpa.set("na", n);
  elpa.set("nev", by_number && t.vectors ? t.subset.last : n);
  elpa.set("local_nrows", t.a.ld);
  elpa.set("local_ncols", t.a.layout.cols.count());
  elpa.set("nblk", t.a.layout.rows.block);
  elpa.set("mpi_comm_parent", MPI_Comm_c2f(t.grid.comm()));
  elpa.set("process_row", t.grid.row());
  elpa.set("process_col", t.grid.col());
  elpa.setup();
  elpa.set("solver", outcome.path == Path::two_stage ? ELPA_SOLVER_2STAGE : ELPA_SOLVER_1STAGE);
  int error = ELPA_OK;
  if (t.vectors)
    elpa_eigenvectors(elpa.handle(), t.a.data, t.w, t.z.data, &error);
  else
    elpa_eigenvalues(elpa.handle(), t.a.data, t.w, &error);
  if (error != ELPA_OK) {
    outcome.status = Status::not_converged;
    outcome.info = error;
    return outcome;
  }
  keep_subset(t, outcome);
  return outcome;
}

template LibraryResult solve_by_elpa(const LocalProblem<double>&);
template LibraryResult solve_by_elpa(const LocalProblem<std::complex<double>>&);

}  // namespace eigen_g::distributed
