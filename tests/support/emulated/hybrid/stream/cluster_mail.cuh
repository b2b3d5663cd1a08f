// Messages between the blocks of a cluster under emulation: a message comes at once, and a thread that waits at a gate lets the others run.
#pragma once

#include <cstdint>
#include <cstring>

#include "tests/support/emulation.hpp"

namespace eigen_g {

struct MailGate {
  std::int32_t pending, bytes, phase, unused;
  void end_of_phase() {
    if (pending < 0 || (pending == 0 && bytes < 0))
      emulation::fail("a gate has more arrivals or bytes than it expects");
    if (pending > 0 || bytes > 0) return;
    pending = 1;
    ++phase;
  }
};
struct MailPlace {
  unsigned char* address;
};

inline void open_mail(MailGate* gate) {
  *gate = {1, 0, 0, 0};
}
inline void expect_mail(MailGate* gate, unsigned bytes) {
  gate->bytes += static_cast<std::int32_t>(bytes);
  --gate->pending;
  gate->end_of_phase();
}
inline void wait_for_mail(MailGate* gate, unsigned parity) {
  for (int turn = 0; static_cast<unsigned>(gate->phase % 2) == parity; ++turn) {
    if (turn > 1000000) emulation::fail("a thread waits at a gate for ever");
    emulation::wait(emulation::nowhere);
  }
}
inline MailPlace place_in_cluster(const void* mine, int rank) {
  return {const_cast<unsigned char*>(in_block_of_cluster(static_cast<const unsigned char*>(mine), rank))};
}
template <class Message>
void send_mail(MailPlace to, int offset, const Message& message, int gate_offset) {
  std::memcpy(to.address + offset, &message, sizeof message);
  auto* const gate = reinterpret_cast<MailGate*>(to.address + gate_offset);
  gate->bytes -= static_cast<std::int32_t>(sizeof message);
  gate->end_of_phase();
}

}  // namespace eigen_g
