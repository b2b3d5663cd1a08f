#include "solver/lapack_names/call.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include "solver/lapack_names/behind.hpp"
#include "solver/lapack_names/library.hpp"
#include "solver/lapack_names/report.hpp"

namespace eigen_g::lapack_names {

namespace {

// Memory that is zero at first; null if there is too little.
class Buffer {
 public:
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { std::free(data_); }
  char* allocate(std::int64_t elements, std::int64_t bytes_of_element) {
    data_ = static_cast<char*>(
        std::calloc(static_cast<std::size_t>(elements), static_cast<std::size_t>(bytes_of_element)));
    return data_;
  }
  char* data() const { return data_; }

 private:
  char* data_ = nullptr;
};

void copy(void* to, const void* from, std::int64_t bytes) {
  if (bytes > 0) std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

// The part of a column that a packed or band matrix stores: rows first to first + count - 1.
struct Stored {
  std::int64_t first, count;
};
Stored stored_of(char uplo, std::int64_t n, std::int64_t kd, std::int64_t column) {
  if (uplo == 'U') {
    const std::int64_t first = std::max<std::int64_t>(0, column - kd);
    return {first, column - first + 1};
  }
  return {column, std::min(n - column, kd + 1)};
}

// Copies between a packed or band matrix and the same matrix as a dense one.
struct Compact {
  char uplo;
  std::int64_t n, kd;    // packed: kd = n - 1
  std::int64_t ldab;     // band; packed: 0
  std::int64_t element;  // bytes

  // Calls move(compact, dense, bytes) for each column.
  template <class Move>
  void for_columns(char* compact, char* dense, std::int64_t ld, Move&& move) const {
    char* packed = compact;
    for (std::int64_t j = 0; j < n; ++j) {
      const auto [first, count] = stored_of(uplo, n, kd, j);
      const std::int64_t row = uplo == 'U' ? kd - (j - first) : 0;  // row in the band
      move(ldab > 0 ? compact + (row + j * ldab) * element : packed, dense + (first + j * ld) * element,
           count * element);
      packed += count * element;
    }
  }
  void unpack(char* compact, char* dense, std::int64_t ld) const {
    for_columns(compact, dense, ld, [](char* from, char* to, std::int64_t bytes) { copy(to, from, bytes); });
  }
  void pack(char* compact, char* dense, std::int64_t ld) const {
    for_columns(compact, dense, ld, [](char* to, char* from, std::int64_t bytes) { copy(to, from, bytes); });
  }
};

class Call {
 public:
  Call(Routine& routine, void* const* arguments)
      : routine_(routine), family_(*routine.family), arguments_(arguments) {}

  void run() {
    resolve();
    Reason reason = decide();
    if (reason == Reason::taken) reason = solve();
    count_call(routine_, reason);
    if (reason != Reason::taken) call_behind(behind(), arguments_, family_.count);
  }
  // Finds the function behind, and what it is. Without one a call may still be taken.
  void resolve() const {
    if (routine_.behind.load(std::memory_order_acquire)) return;
    void* const found = find_behind(routine_.name);
    if (!found) return;
    routine_.foreign = routine_.bare && !is_lapack(found);
    if (!routine_.foreign && !routine_.long_integer) routine_.long_integer = has_long_integers(found);
    routine_.threads = thread_count_of(found);
    routine_.behind.store(found, std::memory_order_release);
  }

 private:
  bool has(Role role) const { return family_.has(role); }
  void* pointer(Role role) const { return arguments_[family_.at[static_cast<std::size_t>(role)]]; }
  char* bytes(Role role) const { return static_cast<char*>(pointer(role)); }
  std::int64_t integer(Role role) const {
    return routine_.long_integer ? *static_cast<const std::int64_t*>(pointer(role))
                                 : *static_cast<const std::int32_t*>(pointer(role));
  }
  void set(Role role, std::int64_t value, std::int64_t index = 0) const {
    if (!has(role)) return;
    if (routine_.long_integer)
      static_cast<std::int64_t*>(pointer(role))[index] = value;
    else
      static_cast<std::int32_t*>(pointer(role))[index] = static_cast<std::int32_t>(value);
  }
  char letter(Role role, char otherwise = 0) const {
    return has(role) ? static_cast<char>(std::toupper(static_cast<unsigned char>(*bytes(role)))) : otherwise;
  }
  bool letter_is_of(Role role, const char* allowed) const {
    return !has(role) || (letter(role) != '\0' && std::strchr(allowed, letter(role)) != nullptr);
  }

  bool single() const { return routine_.type == 's' || routine_.type == 'c'; }
  bool complex() const { return routine_.type == 'c' || routine_.type == 'z'; }
  std::int64_t real_bytes() const { return single() ? 4 : 8; }
  std::int64_t element() const { return complex() ? 2 * real_bytes() : real_bytes(); }
  double real(Role role) const {
    return single() ? *static_cast<const float*>(pointer(role)) : *static_cast<const double*>(pointer(role));
  }
  void set_length(Role role, std::int64_t value) const {  // rounded up, as LAPACK does
    if (!has(role)) return;
    auto length = static_cast<float>(value);
    if (static_cast<std::int64_t>(length) < value) length = std::nextafter(length, HUGE_VALF);
    if (single())
      *static_cast<float*>(pointer(role)) = length;
    else
      *static_cast<double*>(pointer(role)) = static_cast<double>(value);
  }

  // The order of the matrix.
  std::int64_t order() const {
    if (!has(Role::side)) return integer(Role::n);
    return integer(letter(Role::side) == 'L' ? Role::rows : Role::cols);
  }
  bool multiplied() const { return letter(Role::compz) == 'V'; }  // Z := Z U
  bool vectors() const { return letter(Role::jobz) == 'V' || letter(Role::compz) == 'I' || multiplied(); }
  char range() const { return letter(Role::range, 'A'); }
  bool whole() const {
    return range() == 'A' || (range() == 'I' && integer(Role::iu) - integer(Role::il) == order() - 1);
  }

  Reason decide() {
    if (is_inside()) return Reason::inside;
    const std::int64_t n = order(), on_gpu = smallest_order(Solver::gpu),
                       on_cpu = smallest_order(Solver::cpu);
    if (n < std::min(on_gpu, on_cpu)) return Reason::small;
    for (const Role length : {Role::lwork, Role::lrwork, Role::liwork})
      if (has(length) && integer(length) == -1) return Reason::query;
    if (!valid()) return Reason::arguments;
    solver_ = solver();
    if (solver_ == Solver::none) return Reason::no_gpu;
    if (solver_ == Solver::gpu && n < on_gpu) solver_ = Solver::cpu;
    return n < smallest_order(solver_) ? Reason::small : Reason::taken;
  }

  // The least order that is taken on a device.
  std::int64_t smallest_order(Solver on) const {
    const Settings& s = settings();
    if (s.device == (on == Solver::gpu ? DeviceWish::cpu : DeviceWish::gpu)) return none;
    const std::int64_t by_default = on == Solver::gpu ? 300 : smallest_order_on_cpu();
    return std::max<std::int64_t>(2, s.min_n > 0 ? s.min_n : by_default);
  }
  // Measured: data/perf/DECISIONS.md, "LAPACK's names".
  std::int64_t smallest_order_on_cpu() const {
    if (!vectors() && has(Role::ab)) return none;  // LAPACK needs O(n^2 kd) operations, a dense matrix O(n^3)
    if (!vectors() && has(Role::b) && single()) return none;
    return has(Role::tau) && !has(Role::d) ? 150 : 100;
  }
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

  bool valid() const {
    const std::int64_t n = order();
    const auto at_least = [&](Role role, std::int64_t value) { return !has(role) || integer(role) >= value; };
    if (!letter_is_of(Role::jobz, family_.two_stage ? "N" : "NV") || !letter_is_of(Role::compz, "NIV") ||
        !letter_is_of(Role::range, "AVI") || !letter_is_of(Role::uplo, "LU") ||
        !letter_is_of(Role::side, "LR") || !letter_is_of(Role::trans, complex() ? "NC" : "NT"))
      return false;
    if (has(Role::itype) && (integer(Role::itype) < 1 || integer(Role::itype) > 3)) return false;
    if (!at_least(Role::lda, n) || !at_least(Role::ldb, n) || !at_least(Role::ldz, vectors() ? n : 1) ||
        !at_least(Role::ldq, vectors() ? n : 1) || !at_least(Role::rows, 0) || !at_least(Role::cols, 0))
      return false;
    if (has(Role::ldc) && integer(Role::ldc) < std::max<std::int64_t>(1, integer(Role::rows))) return false;
    for (const auto& [width, ld] :
         {std::pair{Role::kd, Role::ldab}, std::pair{Role::ka, Role::ldab}, std::pair{Role::kb, Role::ldbb}})
      if (has(width) && (integer(width) < 0 || integer(ld) <= integer(width))) return false;
    if (has(Role::kb) && integer(Role::kb) > integer(Role::ka)) return false;
    if (range() == 'V' && !(real(Role::vl) < real(Role::vu))) return false;
    if (range() == 'I' &&
        (integer(Role::il) < 1 || integer(Role::il) > integer(Role::iu) || integer(Role::iu) > n))
      return false;
    return workspaces_serve();
  }

  bool workspaces_serve() const {
    const auto serves = [&](Role role, std::int64_t least) {
      return !has(role) || integer(role) >= std::max<std::int64_t>(1, least);
    };
    return serves(Role::lwork, least().work.of(of_workspace())) &&
           serves(Role::lrwork, least().rwork.of(of_workspace())) &&
           serves(Role::liwork, least().iwork.of(of_workspace())) &&
           (!family_.two_stage || integer(Role::lwork) >= queried_length());
  }
  const Lengths& least() const {
    return multiplied() ? family_.multiplied : vectors() ? family_.vectors : family_.values;
  }
  // The number on which the least lengths depend.
  std::int64_t of_workspace() const {
    if (!has(Role::side)) return order();
    return integer(letter(Role::side) == 'L' ? Role::cols : Role::rows);
  }
  // LAPACK's answer to a workspace query with the same arguments.
  std::int64_t queried_length() const {
    void* asked[32];
    std::copy_n(arguments_, family_.count, asked);
    const std::int64_t minus_one = -1;  // for both lengths of integers
    std::int64_t integers[2] = {};
    alignas(16) double answer[2] = {}, real_answer[2] = {};
    const auto replace = [&](Role role, const void* with) {
      if (has(role)) asked[family_.at[static_cast<std::size_t>(role)]] = const_cast<void*>(with);
    };
    for (const Role length : {Role::lwork, Role::lrwork, Role::liwork}) replace(length, &minus_one);
    replace(Role::work, answer);
    replace(Role::rwork, real_answer);
    replace(Role::iwork, &integers[0]);
    replace(Role::info, &integers[1]);
    call_behind(behind(), asked, family_.count);
    float length = 0;
    std::memcpy(&length, answer, sizeof length);
    return static_cast<std::int64_t>(single() ? static_cast<double>(length) : answer[0]);
  }

  void* behind() const {
    void* const found = routine_.behind.load(std::memory_order_acquire);
    if (found) return found;
    warn("no LAPACK of this process has it", routine_.name);
    std::abort();
  }
  // The library of a name without an underscore has the routine in all forms, with Fortran's arguments.
  bool is_lapack(const void* found) const {
    const auto has_form = [&](int (*letter_of)(int), const char* tail) {
      std::string name;
      for (const char* letter = routine_.name; *letter; ++letter)
        name += static_cast<char>(letter_of(*letter));
      return library_has(found, (name + tail).c_str());
    };
    return has_form(std::tolower, "_") && has_form(std::tolower, "") && has_form(std::toupper, "");
  }

  // ---- Solves

  Reason solve() {
    Problem p;
    p.type = routine_.type;
    p.uplo = letter(Role::uplo, 'L');
    p.jobz = vectors() ? 'V' : 'N';
    p.multiply = multiplied();
    p.require_gpu = settings().device == DeviceWish::gpu;
    p.require_cpu = solver_ == Solver::cpu;
    p.gpus = settings().gpus;
    if (auto* const threads = routine_.threads.load()) p.threads = threads();
    p.n = order();
    if (has(Role::tau)) return solve_stage(p);
    if (has(Role::d)) return solve_tridiagonal(p);
    if (by_chase()) return solve_band(p);
    return solve_dense(p);
  }

  // A real double band matrix that the stage sytrd_sb2st takes. On the CPU the vectors of a dense matrix cost less time.
  bool by_chase() const {
    constexpr std::int64_t widest = 128;
    if (solver_ == Solver::cpu && vectors()) return false;
    return has(Role::ab) && !has(Role::bb) && routine_.type == 'd' && integer(Role::kd) <= widest &&
           integer(Role::kd) < order();
  }

  // Runs the library and turns its result into LAPACK's. intact: if the device failed, the program's arrays still hold the problem.
  Reason finish(Problem& p, bool intact) {
    const std::int64_t info = eigen_g::lapack_names::solve(p);
    if (info == refused) return Reason::refused;
    if (info == no_host_memory || info == no_device_memory || (info < 0 && intact)) return Reason::memory;
    if (info < 0) warn("the device failed, and the matrix is lost", routine_.name);
    set(Role::info, info < 0 ? 1 : info);
    count_solve(routine_, p.n, p.seconds, p.on_gpu);
    if (info != 0) return Reason::taken;
    if (has(Role::lwork)) {
      set_length(Role::work, family_.two_stage ? integer(Role::lwork) : least().work.of(of_workspace()));
      if (has(Role::lrwork)) set_length(Role::rwork, least().rwork.of(p.n));
      if (has(Role::liwork)) set(Role::iwork, std::max<std::int64_t>(1, least().iwork.of(p.n)));
    }
    return Reason::taken;
  }
  bool succeeded() const {
    return routine_.long_integer ? *static_cast<const std::int64_t*>(pointer(Role::info)) == 0
                                 : *static_cast<const std::int32_t*>(pointer(Role::info)) == 0;
  }

  // m, ifail and isuppz. LAPACK writes isuppz only for all pairs with their vectors.
  void set_found(std::int64_t found) const {
    set(Role::m, found);
    if (!vectors()) return;
    for (std::int64_t k = 0; k < found; ++k) {
      set(Role::ifail, 0, k);
      if (!whole()) continue;
      set(Role::isuppz, 1, 2 * k);
      set(Role::isuppz, order(), 2 * k + 1);
    }
  }

  void set_range(Problem& p) const {
    p.range = range();
    if (p.range == 'V') {
      p.vl = real(Role::vl);
      p.vu = real(Role::vu);
    } else if (p.range == 'I') {
      p.il = integer(Role::il);
      p.iu = integer(Role::iu);
    }
  }

  Reason solve_dense(Problem& p) {
    const std::int64_t n = p.n;
    // Q of a band matrix's reduction. All vectors are such a Q: Q^H A Q is diagonal, and Q^H B Q = 1.
    const bool with_q = vectors() && has(Role::q);
    if (!with_q) set_range(p);
    p.w = pointer(Role::w);
    const bool separate = vectors() && has(Role::z);
    // A program may know how many values lie in (vl, vu], and have no more columns in z.
    const bool copied = separate && (p.range == 'V' || with_q);

    Buffer own_a, own_b, own_factor;
    if (has(Role::a)) {
      p.a = pointer(Role::a);
      p.lda = integer(Role::lda);
    } else if (with_q || (separate && p.range == 'A')) {  // unpacked over the vectors
      const Role target = with_q ? Role::q : Role::z;
      p.a = pointer(target);
      p.lda = integer(with_q ? Role::ldq : Role::ldz);
      if (has(Role::ab))
        for (std::int64_t j = 0; j < n; ++j)
          std::memset(bytes(target) + j * p.lda * element(), 0, static_cast<std::size_t>(n * element()));
    } else {
      p.a = own_a.allocate(n * n, element());
      p.lda = n;
    }
    if (!p.a) return Reason::memory;
    const Role width_of_a = has(Role::ka) ? Role::ka : Role::kd;
    if (has(Role::ap)) compact().unpack(bytes(Role::ap), static_cast<char*>(p.a), p.lda);
    if (has(Role::ab))
      compact(width_of_a, Role::ldab).unpack(bytes(Role::ab), static_cast<char*>(p.a), p.lda);

    if (vectors()) {
      p.z = separate && !copied ? pointer(Role::z) : p.a;
      p.ldz = separate && !copied ? integer(Role::ldz) : p.lda;
    } else {
      p.ldz = n;
    }
    if (has(Role::b) || has(Role::bp) || has(Role::bb)) {
      p.task = Task::generalised;
      p.itype = has(Role::itype) ? static_cast<int>(integer(Role::itype)) : 1;
      p.b = has(Role::b) ? bytes(Role::b) : own_b.allocate(n * n, element());
      p.ldb = has(Role::b) ? integer(Role::ldb) : n;
      if (!p.b) return Reason::memory;
      if (has(Role::bp)) compact().unpack(bytes(Role::bp), own_b.data(), n);
      if (has(Role::bb)) {
        compact(Role::kb, Role::ldbb).unpack(bytes(Role::bb), own_b.data(), n);
        const Reason reason = split_factor(own_factor);
        if (reason != Reason::taken) return reason;
      }
    }

    const Reason reason = finish(p, p.z != pointer_or_null(Role::a) && !has(Role::b));
    if (reason != Reason::taken || !succeeded()) return reason;
    std::int64_t first = 0;
    if (with_q) first = select_pairs(p);
    if (copied) copy_to_z(static_cast<char*>(p.z) + first * p.ldz * element(), p);
    if (has(Role::bp)) compact().pack(bytes(Role::bp), own_b.data(), n);
    if (has(Role::bb)) copy(bytes(Role::bb), own_factor.data(), n * integer(Role::ldbb) * element());
    set_found(p.found);
    return reason;
  }
  void* pointer_or_null(Role role) const { return has(role) ? pointer(role) : nullptr; }
  void copy_to_z(const char* from, const Problem& p) const {
    for (std::int64_t k = 0; k < p.found; ++k)
      copy(bytes(Role::z) + k * integer(Role::ldz) * element(), from + k * p.ldz * element(),
           p.n * element());
  }
  // Moves the pairs of the call's range to the beginning of w. Returns the index of the first one, and sets p.found.
  std::int64_t select_pairs(Problem& p) const {
    const auto in_w = [&](auto* w) {
      auto* const end = w + p.n;
      auto *first = w, *last = end;
      if (range() == 'I') {
        first = w + integer(Role::il) - 1;
        last = w + integer(Role::iu);
      } else if (range() == 'V') {
        const auto limit = [](double x) { return static_cast<std::remove_pointer_t<decltype(w)>>(x); };
        first = std::upper_bound(w, end, limit(real(Role::vl)));
        last = std::upper_bound(first, end, limit(real(Role::vu)));
      }
      const std::int64_t skipped = first - w;
      p.found = last - first;
      std::copy(first, last, w);
      return skipped;
    };
    return single() ? in_w(static_cast<float*>(p.w)) : in_w(static_cast<double*>(p.w));
  }

  Compact compact() const { return {letter(Role::uplo), order(), order() - 1, 0, element()}; }
  Compact compact(Role width, Role ld) const {
    return {letter(Role::uplo), order(), integer(width), integer(ld), element()};
  }

  // ?sbgv returns the split Cholesky factor of ?pbstf, which LAPACK computes. If B is not positive definite, LAPACK reports it.
  Reason split_factor(Buffer& factor) const {
    const std::int64_t size = order() * integer(Role::ldbb) * element();
    if (!factor.allocate(size, 1)) return Reason::memory;
    copy(factor.data(), pointer(Role::bb), size);
    char name[32] = {};  // the name of this routine with pbstf in the place of sbgv, sbgvd, sbgvx, hbgv, ...
    const char* const own = routine_.name;
    const char* const stem = std::strstr(own, "bgv") - 1;
    const char* tail = stem + 4;
    tail += *tail == 'd' || *tail == 'x';
    copy(name, own, stem - own);
    std::strcat(std::strcat(name, "pbstf"), tail);
    void* const routine = find_behind(name);
    if (!routine) return Reason::not_offered;
    std::int64_t info = 0;
    void* const arguments[] = {pointer(Role::uplo), pointer(Role::n),    pointer(Role::kb),
                               factor.data(),       pointer(Role::ldbb), &info};
    call_behind(routine, arguments, 6);
    return info == 0 ? Reason::taken : Reason::arguments;
  }

  Reason solve_band(Problem& p) {
    p.task = Task::band;
    p.kd = integer(Role::kd);
    p.a = pointer(Role::ab);
    p.lda = integer(Role::ldab);
    p.w = pointer(Role::w);
    if (vectors()) {
      p.z = pointer(Role::z);
      p.ldz = integer(Role::ldz);
      if (has(Role::q)) {
        p.b = pointer(Role::q);
        p.ldb = integer(Role::ldq);
      }
    }
    set_range(p);
    const Reason reason = finish(p, true);
    if (reason == Reason::taken && succeeded()) set_found(p.found);
    return reason;
  }

  Reason solve_tridiagonal(Problem& p) {
    p.task = Task::tridiagonal;
    p.d = pointer(Role::d);
    p.e = pointer(Role::e);
    Buffer e;
    if (has(Role::w)) {  // ?stevr and ?stevx keep d and e
      if (!e.allocate(p.n, real_bytes())) return Reason::memory;
      copy(pointer(Role::w), p.d, p.n * real_bytes());
      copy(e.data(), p.e, (p.n - 1) * real_bytes());
      p.d = pointer(Role::w);
      p.e = e.data();
    }
    set_range(p);
    Buffer own_z;
    const bool copied = vectors() && p.range == 'V';  // as in solve_dense()
    p.ldz = vectors() && !copied ? integer(Role::ldz) : p.n;
    if (vectors()) p.z = copied ? own_z.allocate(p.n * p.n, element()) : pointer(Role::z);
    if (vectors() && !p.z) return Reason::memory;
    const Reason reason = finish(p, has(Role::w));
    if (reason != Reason::taken || !succeeded()) return reason;
    if (copied) copy_to_z(own_z.data(), p);
    set_found(p.found);
    return reason;
  }

  Reason solve_stage(Problem& p) {
    p.a = pointer(Role::a);
    p.lda = integer(Role::lda);
    p.tau = pointer(Role::tau);
    if (has(Role::d)) {
      p.task = Task::reduction;
      p.d = pointer(Role::d);
      p.e = pointer(Role::e);
      return finish(p, false);
    }
    p.task = has(Role::side) ? Task::transformation : Task::orthogonal;
    if (has(Role::side)) {
      p.side = letter(Role::side);
      p.trans = letter(Role::trans) == 'N' ? 'N' : 'C';
      p.m = integer(p.side == 'L' ? Role::cols : Role::rows);
      p.z = pointer(Role::c);
      p.ldz = integer(Role::ldc);
    }
    return finish(p, false);
  }

  Routine& routine_;
  const Family& family_;
  void* const* arguments_;
  Solver solver_ = Solver::none;
};

}  // namespace

void run_call(Routine& routine, void* const* arguments) {
  Call(routine, arguments).run();
}

void* run_bare_call(Routine& routine, void* const* arguments, const double* reals) {
  Call call(routine, arguments);
  call.resolve();
  if (routine.foreign) return call_foreign(routine.behind, arguments, routine.family->count, reals);
  call.run();
  return nullptr;
}

}  // namespace eigen_g::lapack_names
