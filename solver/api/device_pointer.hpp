// Device memory as a type of its own: no call that compiles picks the wrong side.
#pragma once

#include <type_traits>

namespace eigen_g {

// Memory of the current GPU, or of any kind that it can use. Made by device(p) alone.
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
