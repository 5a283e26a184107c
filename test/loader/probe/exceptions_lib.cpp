// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exceptions.h"

ProbeError::ProbeError(const std::string &what, int number)
    : std::runtime_error(what), number(number) {}
ProbeError::~ProbeError() = default;
Shape::~Shape() = default;

namespace {

int count;

struct Counted {
  Counted() = default;
  Counted(const Counted &) = delete;
  Counted &operator=(const Counted &) = delete;
  ~Counted() { ++count; }
};

struct Square final : Shape {
  [[nodiscard]] int corners() const override { return 4; }
};

// Runs before main().
const struct AtStart {
  AtStart() noexcept {
    try {
      throw_error(1);
    } catch (const std::exception &) {
      ++count;
    }
  }
} at_start;

} // namespace

void throw_error(int number) {
  const Counted counted;
  throw ProbeError("error of the library", number);
}

void throw_integer(int number) { throw number; }

void throw_nested(int number) {
  try {
    throw_error(number);
  } catch (...) {
    std::throw_with_nested(std::logic_error("around it"));
  }
}

const std::type_info &type_of_error() { return typeid(ProbeError); }
Shape *make_square() { return new Square; }
int unwound() { return count; }

void through_cpp(void (*callback)(void *), void *data) {
  const Counted counted;
  callback(data);
}
