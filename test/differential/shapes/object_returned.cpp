// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a handler gives away stays: objects with their tables of virtual functions, deleters,
// lambdas.
#include "shape.h"
#include <functional>
#include <memory>
#include <string>
struct Base {
  virtual ~Base() = default;
  virtual long go(long) const = 0;
};
namespace {
struct Derived final : Base {
  explicit Derived(long factor) : factor_(factor) {}
  long go(long x) const override { return x * factor_; }
  long factor_;
};
template <class T> struct Box final : Base {
  long go(long x) const override { return x + long(sizeof(T)); }
};
} // namespace
SHAPE_C SARTOR_HANDLER Base *make(long x) {
  if (sartor_generic("make", x) == 4)
    return new Box<char>;
  return new Derived(x);
}
static std::shared_ptr<long> shared[36];
static std::function<long(long)> function[36];
SHAPE_C SARTOR_HANDLER void keep(long x, long where) {
  const long k = sartor_generic("keep", x);
  shared[where] = std::shared_ptr<long>(new long(k), [](const long *p) { delete p; });
  function[where] = [k, text = std::string("captured, and too long to be kept inside")](long y) {
    return k * y + long(text.size());
  };
}
CALLED(make);
CALLED(keep);
HANDLERS(LISTED(make), LISTED(keep));
static Base *objects[36];
SHAPE_C void program_run(unsigned input) {
  const unsigned where = input % 36;
  Base *now = call_make(LOW(input));
  observe_number((objects[where] ? objects[where] : now)->go(HIGH(input)));
  delete objects[where];
  objects[where] = now;
  if (!shared[where])
    call_keep(LOW(input), where);
  observe_number(*shared[where]);
  observe_number(function[where](HIGH(input)));
  shared[where].reset();
  call_keep(LOW(input), where);
}
