// Messages between thread blocks under emulation: the reader lets the other threads run before each look.
#pragma once

#include "tests/support/emulation.hpp"

namespace eigen_g {

template <class T>
struct Packet {
  T content;
  unsigned step;
};

template <class T>
void publish(Packet<T>* to, T content, unsigned step) {
  *to = {content, step};
}
template <class T>
Packet<T> look(const Packet<T>* from) {
  emulation::wait(emulation::nowhere);
  return *from;
}
template <class T>
bool arrived(const Packet<T>& packet, unsigned step) {
  return packet.step >= step;
}
template <class T>
T value(const Packet<T>& packet) {
  return packet.content;
}

}  // namespace eigen_g
