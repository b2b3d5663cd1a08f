// Hdf5Handle: a handle of the HDF5 library that closes itself. hdf5_reason(): HDF5's error stack as text.
// HDF5 is not thread safe: one thread at a time.
#pragma once

#ifdef EIGEN_G_HAVE_HDF5
#include <hdf5.h>

#include <cstring>
#include <string>
#include <utility>

namespace eigen_g::io {

class Hdf5Handle {
 public:
  Hdf5Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Hdf5Handle() { reset(); }
  Hdf5Handle(Hdf5Handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  operator hid_t() const { return id_; }
  bool is_open() const { return id_ >= 0; }
  // Closes the handle now. Returns false if HDF5 could not close it.
  bool reset() { return id_ < 0 || close_(std::exchange(id_, H5I_INVALID_HID)) >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// Call this before any other HDF5 function. HDF5 then prints no errors, and does nothing when the process ends. (Its exit handler
// crashes if HDF5 could not close a file, for example on a full disk.)
inline void begin_hdf5() {
  ::H5dont_atexit();
  ::H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

// The reason why the last HDF5 call failed: HDF5's innermost message, or the system's message if a system call failed.
inline std::string hdf5_reason() {
  std::string reason;
  const auto take = [](unsigned, const H5E_error2_t* error, void* text) -> herr_t {
    if (error->desc) *static_cast<std::string*>(text) = error->desc;
    return 1;  // the first entry is the innermost one
  };
  if (::H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take, &reason) < 0 || reason.empty()) return "no reason given";
  constexpr const char* quoted = "error message = '";
  if (const std::size_t at = reason.find(quoted); at != std::string::npos) {
    const std::size_t begin = at + std::strlen(quoted);
    return reason.substr(begin, reason.find('\'', begin) - begin);
  }
  return reason.substr(0, 200);
}

}  // namespace eigen_g::io
#endif
