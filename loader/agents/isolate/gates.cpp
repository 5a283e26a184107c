// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/isolate/gates.h"

#include <pthread.h>

#include "agents/isolate/gate_code.h"

namespace sartor::isolate {

namespace {

/// A hash table from functions to indices of gates, 0 for none. It is never full.
constexpr std::size_t most_places = 2 * most_gates;
std::uint32_t places[most_places];
std::size_t count = 1; // gate 0 is never used
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/// Returns the hash table's position for a function's gate, whether the gate exists or not.
std::uint32_t &place_of(std::uintptr_t function) {
  constexpr std::uint64_t spread = 0x9e3779b97f4a7c15;
  std::size_t at = (function * spread) >> 32;
  for (;; ++at) {
    std::uint32_t &place = places[at % most_places];
    if (place == 0 || sartor_isolate_gates[place].function == function)
      return place;
  }
}

std::uintptr_t code_of(std::size_t gate) {
  return reinterpret_cast<std::uintptr_t>(sartor_isolate_gate_code) + gate * gate_size;
}

} // namespace

std::uintptr_t make_gate(Domain &domain, std::uintptr_t function) {
  pthread_mutex_lock(&mutex);
  std::uint32_t &place = place_of(function);
  if (place == 0) {
    if (count == most_gates)
      give_up("its domains have too many functions");
    sartor_isolate_gates[count] = {function, &domain};
    place = static_cast<std::uint32_t>(count++);
  }
  const std::uintptr_t code = code_of(place);
  pthread_mutex_unlock(&mutex);
  return code;
}

std::uintptr_t find_gate(std::uintptr_t function) {
  pthread_mutex_lock(&mutex);
  const std::uint32_t place = place_of(function);
  pthread_mutex_unlock(&mutex);
  return place != 0 ? code_of(place) : 0;
}

} // namespace sartor::isolate
