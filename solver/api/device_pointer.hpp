// DevicePointer<T>: a pointer to device memory as a type of its own, so that a call with the wrong kind of pointer does not compile.
#pragma once

#include <type_traits>

namespace eigen_g {

// A pointer to memory that the current GPU can use. Programs make one with device(p). The default is null.
template <class T>
class DevicePointer {
 public:
  DevicePointer() = default;  // null
  explicit DevicePointer(T* data) : data_(data) {}
  template <class U>
  requires std::is_same_v<const U, T> DevicePointer(DevicePointer<U> other) : data_(other.get()) {}
  T* get() const { return data_; }
  explicit operator bool() const { return data_ != nullptr; }

 private:
  T* data_ = nullptr;
};

template <class T>
DevicePointer<T> device(T* data) {
  return DevicePointer<T>(data);
}

}  // namespace eigen_g
