// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handlers that are members: static, of an object, virtual, of a class in a namespace; and lambdas
// inside.
#include "shape.h"
namespace inside {
class Machine {
public:
  explicit Machine(long factor) : factor_(factor) {}
  virtual ~Machine() = default;
  SARTOR_HANDLER static long of_class(long x) { return sartor_generic("class", x) * 3; }
  SARTOR_HANDLER long of_object(long x);
  SARTOR_HANDLER virtual long overridden(long x) { return x + factor_; }

private:
  long factor_;
};
long Machine::of_object(long x) {
  auto add = [this, k = sartor_generic("object", x)](long y) { return y * factor_ + k; };
  return add(x) + overridden(x);
}
struct Other final : Machine {
  using Machine::Machine;
  SARTOR_HANDLER long overridden(long x) override { return sartor_generic("other", x) * 7; }
};
} // namespace inside
using inside::Machine;
static long (*volatile call_of_class)(long) = Machine::of_class;
static long (*volatile call_of_object)(Machine *, long);
HANDLERS({"_ZN6inside7Machine8of_classEl", (void **)&call_of_class},
         {"_ZN6inside7Machine9of_objectEl", (void **)&call_of_object});
SHAPE_C void program_run(unsigned input) {
  Machine plain(5);
  inside::Other other(6);
  Machine &machine = input % 2 ? plain : other;
  observe_number(call_of_class(LOW(input)));
  // A member function is not at a pointer's address before there is an entry.
  observe_number(call_of_object ? call_of_object(&machine, HIGH(input))
                                : machine.of_object(HIGH(input)));
}
