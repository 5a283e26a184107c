// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exceptions through functions that may have copies elsewhere.
#include "hot.h"

#define APART __attribute__((noinline))

HotError::HotError(const std::string &what, int of_error)
    : std::runtime_error(what), number(of_error) {}
HotError::~HotError() = default;
HotShape::~HotShape() = default;

namespace {

int destroyed = 0;

struct Counted {
  Counted() = default;
  Counted(const Counted &) = delete;
  Counted &operator=(const Counted &) = delete;
  ~Counted() { ++destroyed; }
};

template <int corner_count> struct Regular : HotShape {
  [[nodiscard]] int corners() const override { return corner_count; }
};

APART void end(int number) {
  if (number % 4 == 0)
    throw number;
  if (number % 4 == 1)
    throw HotError("number " + std::to_string(number), number);
  if (number % 4 == 2)
    throw std::string("text");
}

} // namespace

APART int hot_destroyed() { return destroyed; }

APART int hot_throw(int depth, int number) {
  const Counted counted;
  if (depth == 0) {
    end(number);
    return number;
  }
  int values[] = {depth - 1, number};
  if (depth % 3 == 1)
    return hot_call(
               [](void *data) {
                 const auto *const both = static_cast<const int *>(data);
                 return hot_throw(both[0], both[1]);
               },
               values) +
           1;
  return hot_throw(depth - 1, number) + 1;
}

APART int hot_catch(int depth, int number) {
  try {
    try {
      return hot_throw(depth, number);
    } catch (const HotError &error) {
      if (error.number > 100)
        throw;
      return 1000 + error.number;
    } catch (int caught) {
      throw HotError("was an integer", caught + 200);
    }
  } catch (const std::runtime_error &error) {
    return 2000 + static_cast<int>(std::string(error.what()).size());
  }
}

APART HotShape *hot_shape(int corners) {
  if (corners == 3)
    return new Regular<3>;
  return corners == 4 ? static_cast<HotShape *>(new Regular<4>) : new Regular<5>;
}
