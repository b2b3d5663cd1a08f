#include "apps/io/output_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "apps/io/mapped_file.hpp"

namespace eigen_g::io {

namespace {

// Names of the unfinished files. They are in static storage, because a signal handler has no argument. The state of a slot changes
// free -> taken (its name is being written) -> live -> free; the handler reads live slots only.
enum SlotState : int { slot_free, slot_taken, slot_live };
struct Slot {
  std::atomic<int> state{slot_free};
  std::array<char, PATH_MAX> name{};
};
static_assert(std::atomic<int>::is_always_lock_free);
std::array<Slot, 16> slots;

// A name with 128 random bits: no other process, container or computer that shares the folder uses the same name.
std::string random_name(const std::filesystem::path& target) {
  std::array<std::uint64_t, 2> bits{};
  if (::getentropy(bits.data(), sizeof bits) != 0)
    throw FileError(target, 0, std::string("cannot be created: no random numbers: ") + std::strerror(errno));
  std::array<char, 33> digits{};
  std::snprintf(digits.data(), digits.size(), "%016jx%016jx", static_cast<std::uintmax_t>(bits[0]),
                static_cast<std::uintmax_t>(bits[1]));
  return "." + target.filename().string() + "." + digits.data() + ".part";
}

int take_slot(const std::string& name) {
  if (name.size() >= PATH_MAX) return -1;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    int expected = slot_free;
    if (!slots[i].state.compare_exchange_strong(expected, slot_taken)) continue;
    std::memcpy(slots[i].name.data(), name.c_str(), name.size() + 1);
    slots[i].state.store(slot_live);
    return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

void remove_unfinished_outputs() noexcept {
  for (Slot& slot : slots)
    if (slot.state.load() == slot_live) ::unlink(slot.name.data());
}

OutputFile::OutputFile(std::filesystem::path target, Existing existing)
    : target_(std::move(target)), final_(target_), existing_(existing) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (fs::is_symlink(final_, ignored)) {
    final_ = fs::canonical(final_, ignored);
    if (final_.empty()) throw FileError(target_, 0, "is a link to a file that does not exist");
  }
  const fs::file_status status = fs::status(final_, ignored);
  if (fs::is_directory(status)) throw FileError(target_, 0, "is a folder; must be a file");
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw FileError(target_, 0, "exists and is not a regular file");
  if (fs::exists(status) && existing == Existing::keep)
    throw FileError(target_, 0, "exists; --force replaces it");
  const fs::path folder = final_.has_parent_path() ? final_.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, ignored)) throw FileError(target_, 0, "cannot be created: no such folder");
  if (final_.filename().empty()) throw FileError(target_, 0, "names no file");

  const std::string name = (folder / random_name(final_)).string();
  slot_ = take_slot(name);
  if (slot_ < 0)
    throw FileError(target_, 0, "cannot be created: name too long or too many unfinished outputs");
  file_ = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file_ < 0) {
    const int error = errno;
    slots[static_cast<std::size_t>(std::exchange(slot_, -1))].state.store(
        slot_free);  // the file of this name is not this process's
    fail("created", error);
  }
}

OutputFile::~OutputFile() {
  release();
}

void OutputFile::release() noexcept {
  if (mapping_) ::munmap(mapping_, mapped_bytes_);
  mapping_ = nullptr;
  if (file_ >= 0) ::close(file_);
  file_ = -1;
  if (slot_ < 0) return;
  Slot& slot = slots[static_cast<std::size_t>(slot_)];
  ::unlink(slot.name.data());  // removes nothing after a commit: the file was renamed
  slot.state.store(slot_free);
  slot_ = -1;
}

void OutputFile::fail(const char* action, int error) const {
  throw FileError(target_, 0, std::string("cannot be ") + action + ": " + std::strerror(error));
}

void OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail("written", errno);
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::filesystem::path OutputFile::temporary() const {
  return slots[static_cast<std::size_t>(slot_)].name.data();
}

void OutputFile::reserve(std::uint64_t bytes) {
  if (bytes > static_cast<std::uint64_t>(PTRDIFF_MAX)) fail("written", EFBIG);
  // posix_fallocate reserves the disk space. With ftruncate alone a full disk would be a SIGBUS at the first write to a page.
  int error = 0;
  do error = ::posix_fallocate(file_, 0, static_cast<off_t>(bytes));
  while (error == EINTR);
  if (error != 0) fail("written", error);
}

void OutputFile::truncate(std::uint64_t bytes) {
  if (::ftruncate(file_, static_cast<off_t>(bytes)) != 0) fail("written", errno);
}

std::byte* OutputFile::map(std::uint64_t bytes) {
  reserve(bytes);
  void* p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (p == MAP_FAILED) throw_not_mapped(target_, bytes, errno);
  mapping_ = static_cast<std::byte*>(p);
  mapped_bytes_ = bytes;
  return mapping_;
}

void OutputFile::commit() {
  // Some file systems report a full disk only here.
  if (::fsync(file_) != 0 && errno != EINVAL && errno != EROFS) fail("written", errno);
  const int file = std::exchange(file_, -1);
  if (::close(file) != 0 && errno != EINTR) fail("written", errno);
  const Slot& slot = slots[static_cast<std::size_t>(slot_)];
  const char* const name = slot.name.data();
  if (existing_ == Existing::keep) {
    if (::renameat2(AT_FDCWD, name, AT_FDCWD, final_.c_str(), RENAME_NOREPLACE) == 0) return release();
    if (errno == EEXIST) throw FileError(target_, 0, "exists by now; --force replaces it");
    if (errno != EINVAL && errno != ENOSYS) fail("renamed to its final name", errno);
    // The file system does not support RENAME_NOREPLACE.
    if (::access(final_.c_str(), F_OK) == 0)
      throw FileError(target_, 0, "exists by now; --force replaces it");
  }
  if (::rename(name, final_.c_str()) != 0) fail("renamed to its final name", errno);
  release();
}

}  // namespace eigen_g::io
