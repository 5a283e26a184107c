// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "one_of_shapes.h"

#include <sartor/points.h>

namespace {

std::uint64_t mixed(std::uint64_t sum, std::uint64_t more) { return sum * 31 + more; }

/// Saved positions at which to continue. Volatile: the compiler does not know the value that is
/// loaded.
template <class Place> struct Saved {
  volatile Place places[kMostSaved];
  unsigned count = 0;
};

} // namespace

// The same machine with another representation of positions. `KNOW` is applied to a position that
// is loaded.
#define RUN_TRIALS(PLACE, AT, FIRST, NEXT, OF, SAVE, KNOW)                                         \
  PLACE at = FIRST;                                                                                \
  std::uint64_t sum = input;                                                                       \
  Saved<PLACE> saved;                                                                              \
  while (fuel-- > 0) {                                                                             \
    const Trial *trial = AT;                                                                       \
    switch (trial->op) {                                                                           \
    case trial_end:                                                                                \
      return sum;                                                                                  \
    case trial_add:                                                                                \
      sum = mixed(sum, trial->number + input);                                                     \
      at = NEXT;                                                                                   \
      break;                                                                                       \
    case trial_try:                                                                                \
      if (saved.count == kMostSaved)                                                               \
        return sum + 1;                                                                            \
      saved.places[saved.count++] = SAVE(OF(trial->place));                                        \
      at = NEXT;                                                                                   \
      break;                                                                                       \
    case trial_save_input:                                                                         \
      if (saved.count == kMostSaved)                                                               \
        return sum + 1;                                                                            \
      saved.places[saved.count++] = OF(input % trials->size);                                      \
      at = NEXT;                                                                                   \
      break;                                                                                       \
    case trial_back_if:                                                                            \
      if ((sum & 1) == 0) {                                                                        \
        sum = mixed(sum, 7);                                                                       \
        at = NEXT;                                                                                 \
        break;                                                                                     \
      }                                                                                            \
      [[fallthrough]];                                                                             \
    case trial_back:                                                                               \
      if (saved.count == 0)                                                                        \
        return sum + 2;                                                                            \
      at = KNOW(saved.places[--saved.count]);                                                      \
      break;                                                                                       \
    default:                                                                                       \
      at = OF(trial->place);                                                                       \
      break;                                                                                       \
    }                                                                                              \
  }                                                                                                \
  return sum + 3

#define SAME(x) (x)
#define INDEX(x) static_cast<std::uint32_t>(x)
#define POINTER(x) (trials->code + (x))

namespace {

/// Executes the rest in a function without knowledge of the position.
__attribute__((noinline)) std::uint64_t go_on(const Trials *trials, std::uint64_t input,
                                              std::uint64_t fuel, std::uint64_t sum,
                                              std::uint32_t at, Saved<std::uint32_t> *saved) {
  while (fuel-- > 0) {
    const Trial *trial = trials->code + at++;
    switch (trial->op) {
    case trial_end:
      return sum;
    case trial_add:
      sum = mixed(sum, trial->number + input);
      break;
    case trial_try:
    case trial_save_input:
      if (saved->count == kMostSaved)
        return sum + 1;
      saved->places[saved->count++] =
          trial->op == trial_try ? trial->place : INDEX(input % trials->size);
      break;
    case trial_back_if:
      if ((sum & 1) == 0) {
        sum = mixed(sum, 7);
        break;
      }
      [[fallthrough]];
    case trial_back:
      if (saved->count == 0)
        return sum + 2;
      at = saved->places[--saved->count];
      break;
    default:
      at = trial->place;
      break;
    }
  }
  return sum + 3;
}

} // namespace

extern "C" {

SARTOR_HANDLER std::uint64_t one_of_index(const Trials *trials, std::uint64_t input,
                                          std::uint64_t fuel) {
  RUN_TRIALS(std::uint32_t, trials->code + at, 0, at + 1, INDEX, sartor_one_of, sartor_one_of);
}

SARTOR_HANDLER std::uint64_t one_of_pointer(const Trials *trials, std::uint64_t input,
                                            std::uint64_t fuel) {
  RUN_TRIALS(const Trial *, at, trials->code, at + 1, POINTER, sartor_one_of, sartor_one_of);
}

SARTOR_HANDLER std::uint64_t one_of_nested(const Trials *trials, std::uint64_t input,
                                           std::uint64_t fuel) {
  std::uint64_t total = 0;
  volatile std::uint16_t begin = 0;
  for (unsigned turn = 0; turn < 3; ++turn) {
    const auto first = sartor_one_of(static_cast<std::uint16_t>(begin));
    auto run = [&](std::uint64_t fuel) -> std::uint64_t {
      RUN_TRIALS(std::uint32_t, trials->code + at, first, at + 1, INDEX, sartor_one_of,
                 sartor_one_of);
    };
    total = mixed(total, run(fuel));
    begin = sartor_one_of(static_cast<std::uint16_t>(trials->step));
  }
  return total;
}

SARTOR_HANDLER std::uint64_t one_of_entered(const Trials *trials, std::uint64_t input,
                                            std::uint64_t fuel) {
  RUN_TRIALS(std::uint32_t, trials->code + at, sartor_one_of(INDEX(input % trials->size)), at + 1,
             INDEX, sartor_one_of, sartor_one_of);
}

#define LEAVE_UNLESS_KNOWN(x)                                                                      \
  __extension__({                                                                                  \
    const auto place_ = sartor_one_of(x);                                                          \
    if (!__builtin_constant_p(place_))                                                             \
      return go_on(trials, input, fuel, sum, place_, &saved);                                      \
    place_;                                                                                        \
  })
SARTOR_HANDLER std::uint64_t one_of_leaving(const Trials *trials, std::uint64_t input,
                                            std::uint64_t fuel) {
  RUN_TRIALS(std::uint32_t, trials->code + at, 0, at + 1, INDEX, sartor_one_of, LEAVE_UNLESS_KNOWN);
}

SARTOR_HANDLER std::uint64_t one_of_memory(const Trials *trials, std::uint64_t input,
                                           std::uint64_t fuel) {
  volatile std::uint32_t at = sartor_one_of(std::uint32_t{0});
  std::uint64_t sum = input;
  while (fuel-- > 0) {
    const std::uint32_t here = sartor_one_of(std::uint32_t{at});
    const Trial &trial = trials->code[here];
    if (trial.op == trial_end)
      return sum;
    sum = mixed(sum, trial.number + trial.op);
    at = sartor_one_of(trial.op == trial_go ? std::uint32_t{trial.place} : here + 1);
  }
  return sum + 3;
}

SARTOR_HANDLER std::uint64_t one_of_states(const Trials *trials, std::uint64_t input,
                                           std::uint64_t fuel) {
  std::uint8_t state = 0;
  std::uint64_t sum = 0;
  while (fuel-- > 0) {
    const auto byte = static_cast<std::uint8_t>(input >> (8 * (fuel & 7)));
    state = sartor_one_of(trials->table[256U * state + byte]);
    sum = mixed(sum, trials->code[state].number);
  }
  return sum;
}

SARTOR_HANDLER std::uint64_t one_of_nothing(const Trials *trials, std::uint64_t input,
                                            std::uint64_t fuel) {
  std::uint64_t sum = trials->step;
  for (std::uint32_t i = 0; i < fuel; ++i)
    sum = mixed(sum, sartor_one_of(input + i));
  return sum;
}

SARTOR_HANDLER std::uint64_t one_of_bool(const Trials *trials, std::uint64_t input,
                                         std::uint64_t fuel) {
  std::uint64_t sum = 0;
  bool flag = sartor_one_of(true);
  for (std::uint64_t i = 0; i < fuel; ++i) {
    sum = mixed(sum, flag ? trials->step : trials->size);
    flag = sartor_one_of((input >> (i & 63) & 1) != 0);
  }
  return sum;
}

SARTOR_HANDLER std::uint64_t one_of_few(const Trials *trials, std::uint64_t input,
                                        std::uint64_t fuel) {
  std::uint32_t at = 0;
  std::uint64_t sum = input;
  Saved<std::uint32_t> saved;
  while (fuel-- > 0) {
    const Trial *trial = trials->code + at;
    switch (trial->op) {
    case trial_end:
      return sum;
    case trial_add:
      sum = mixed(sum, trial->number + input);
      ++at;
      break;
    case trial_try:
      if (saved.count == kMostSaved)
        return sum + 1;
      saved.places[saved.count++] = sartor_one_of(std::uint32_t{trial->place});
      ++at;
      break;
    default:
      if (saved.count == 0)
        return sum + 2;
      at = sartor_one_of(std::uint32_t{saved.places[--saved.count]});
      break;
    }
  }
  return sum + 3;
}

SARTOR_HANDLER std::uint64_t one_of_fewest(const Trials *trials, std::uint64_t input,
                                           std::uint64_t fuel) {
  std::uint32_t at = 0;
  std::uint64_t sum = input;
  Saved<std::uint32_t> saved;
  while (fuel-- > 0) {
    const Trial *trial = trials->code + at;
    switch (trial->op) {
    case trial_end:
      return sum;
    case trial_back:
      if (saved.count == 0)
        return sum + 2;
      at = sartor_one_of(std::uint32_t{saved.places[--saved.count]});
      break;
    default:
      if (saved.count == kMostSaved)
        return sum + 1;
      saved.places[saved.count++] = sartor_one_of(std::uint32_t{trial->place});
      sum = mixed(sum, trial->number + input);
      ++at;
      break;
    }
  }
  return sum + 3;
}
}
