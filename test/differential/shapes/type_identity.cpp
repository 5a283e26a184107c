// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of an anonymous namespace are the same in native code and in variants.
#include "shape.h"
#include <any>
#include <typeinfo>
struct Base {
  virtual ~Base() = default;
};
namespace {
struct Derived final : Base {};
struct Mine {
  long value;
};
struct More : Mine {
  long other;
};
} // namespace
SHAPE_C SARTOR_HANDLER long is_derived(Base *base, long k) {
  return dynamic_cast<Derived *>(base) ? sartor_generic("cast", k) : -k;
}
SHAPE_C SARTOR_HANDLER Base *make(long k) {
  return sartor_generic("make", k) == 1 ? new Base : new Derived;
}
SHAPE_C SARTOR_HANDLER long has_type(const std::type_info *type, long k) {
  return *type == typeid(Mine) ? sartor_generic("type", k) : -k;
}
SHAPE_C SARTOR_HANDLER long throws(long k) {
  if (sartor_generic("throw", k) > 2)
    throw More{{k}, k * 2};
  return k;
}
static std::any stored;
SHAPE_C SARTOR_HANDLER void store(long k) { stored = Mine{sartor_generic("any", k)}; }
CALLED(is_derived);
CALLED(make);
CALLED(has_type);
CALLED(throws);
CALLED(store);
HANDLERS(LISTED(is_derived), LISTED(make), LISTED(has_type), LISTED(throws), LISTED(store));
SHAPE_C void program_run(unsigned input) {
  const long k = LOW(input);
  Derived derived;
  observe_number(call_is_derived(&derived, k));
  Base *made = call_make(k);
  observe_number(dynamic_cast<Derived *>(made) != nullptr);
  observe_number(call_is_derived(made, k));
  delete made;
  observe_number(call_has_type(&typeid(Mine), k));
  try {
    observe_number(call_throws(k));
  } catch (const Mine &mine) {
    observe_number(mine.value * 100);
  } catch (...) {
    observe_number(1);
  }
  call_store(k);
  const auto *mine = std::any_cast<Mine>(&stored);
  observe_number(mine ? mine->value : -1);
}
