// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C interface: bindings and invariants.
#include <sartor/c/sartor.h>

#include <map>
#include <memory>
#include <span>
#include <utility>

#include <sartor/invariant.hpp>

#include "base/life.h"
#include "base/readers.h"
#include "capi/c_api.h"
#include "core/report_json.h"
#include "runtime/impl.h"

using sartor::guarded;
using sartor::need;
using sartor::need_list;

struct sartor_binding {
  sartor_binding(sartor::detail::Share shared, std::map<unsigned, sartor::BoundArgument> bound)
      : share(std::move(shared)), arguments(std::move(bound)) {}
  ~sartor_binding() {
    if (!sartor::base::is_exiting())
      entry().owner.entries.release_function(entry(), arguments, held_);
  }
  sartor_binding(const sartor_binding &) = delete;
  sartor_binding &operator=(const sartor_binding &) = delete;

  [[nodiscard]] sartor::RuntimeEntry &entry() const { return sartor::entry_of(share.target()); }
  void *function() {
    return sartor::or_throw(entry().owner.entries.hold_function(entry(), arguments, held_));
  }

  const sartor::detail::Share share;
  const std::map<unsigned, sartor::BoundArgument> arguments;

private:
  std::shared_ptr<sartor::runtime::Code> held_; ///< Guarded by the lock of EntryTable.
};

sartor::BoundArgument sartor::bound_to(const sartor_argument &argument) {
  switch (argument.kind) {
  case SARTOR_ARGUMENT_UNBOUND:
    break;
  case SARTOR_ARGUMENT_INTEGER:
    return argument.value.integer;
  case SARTOR_ARGUMENT_FLOATING:
    return argument.value.floating;
  case SARTOR_ARGUMENT_POINTER:
    return reinterpret_cast<std::uintptr_t>(argument.value.pointer);
  case SARTOR_ARGUMENT_OBJECT:
    if (argument.value.object.bytes > 0)
      need(argument.value.object.address, "object.address");
    return sartor::BoundArgument::object(argument.value.object.address,
                                         argument.value.object.bytes);
  }
  throw sartor::Error({sartor::ErrorCode::bad_argument, "kind",
                       "is none of sartor_argument_kind that binds an argument", "see sartor.h"});
}

std::map<unsigned, sartor::BoundArgument>
sartor::bound_arguments(std::span<const sartor_argument> arguments) {
  std::map<unsigned, BoundArgument> bound;
  for (unsigned i = 0; i < arguments.size(); ++i)
    if (arguments[i].kind != SARTOR_ARGUMENT_UNBOUND)
      bound.emplace(i, bound_to(arguments[i]));
  return bound;
}

extern "C" {

sartor_status sartor_bind(sartor_runtime *runtime, const char *handler,
                          const sartor_argument *arguments, size_t count, sartor_binding **out) {
  return guarded([&] {
    need(runtime, "runtime", handler, "handler");
    need_list(arguments, count, "arguments");
    need(out, "out");

    const auto bound = sartor::bound_arguments({arguments, count});
    *out = new sartor_binding(runtime->runtime.bind(handler, bound), bound);
  });
}

sartor_status sartor_bind_further(sartor_binding *binding, const sartor_argument *arguments,
                                  size_t count, sartor_binding **out) {
  return guarded([&] {
    need(binding, "binding");
    need_list(arguments, count, "arguments");
    need(out, "out");

    auto bound = binding->arguments;
    unsigned parameter = 0;
    for (size_t i = 0; i < count; ++i, ++parameter) {
      while (binding->arguments.contains(parameter))
        ++parameter;
      if (arguments[i].kind != SARTOR_ARGUMENT_UNBOUND)
        bound.emplace(parameter, sartor::bound_to(arguments[i]));
    }
    *out = new sartor_binding(binding->share.further(bound), bound);
  });
}

sartor_status sartor_binding_function(sartor_binding *binding, void (**out)(void)) {
  return guarded([&] {
    need(binding, "binding", out, "out");
    *out = reinterpret_cast<void (*)()>(binding->function());
  });
}

sartor_status sartor_binding_wait(sartor_binding *binding) {
  return guarded([&] {
    need(binding, "binding");
    binding->share.wait();
  });
}

sartor_status sartor_binding_wait_with_report(sartor_binding *binding, char **json) {
  return guarded([&] {
    need(binding, "binding", json, "json");
    *json = sartor::copy_for_c(sartor::text_of(binding->share.wait()));
  });
}

int sartor_binding_ready(const sartor_binding *binding) {
  return binding && binding->share.ready() ? 1 : 0;
}

void sartor_release(sartor_binding *binding) { delete binding; }

sartor_status sartor_limit_bindings(sartor_runtime *runtime, const char *handler, size_t most,
                                    const unsigned *least_selective_first, size_t count) {
  return guarded([&] {
    need(runtime, "runtime", handler, "handler");
    need_list(least_selective_first, count, "least_selective_first");

    const std::span order(least_selective_first, count);
    runtime->runtime.limit_bindings(std::string_view(handler), most, {order.begin(), order.end()});
  });
}

sartor_status sartor_invariant_declare(const void *memory, size_t size, sartor_invariant **out) {
  return guarded([&] {
    need(out, "out");
    *out = new sartor_invariant{sartor::Invariant(memory, size)};
  });
}

sartor_status sartor_invariant_add(sartor_invariant *invariant, const void *memory, size_t size) {
  return guarded([&] {
    need(invariant, "invariant");
    invariant->invariant.add(memory, size);
  });
}

sartor_status sartor_invariant_add_part(const void *object, size_t object_size, const void *part,
                                        size_t size, sartor_invariant **invariant) {
  return guarded([&] {
    need(invariant, "invariant");
    auto made = std::make_unique<sartor_invariant>();
    (*invariant ? *invariant : made.get())->invariant.add_part(object, object_size, part, size);
    if (!*invariant)
      *invariant = made.release();
  });
}

sartor_status sartor_invariant_declare_parts(const sartor_part *parts, size_t count,
                                             sartor_invariant **out) {
  return guarded([&] {
    need(parts, "parts", out, "out");
    auto made = std::make_unique<sartor_invariant>();
    for (const sartor_part &part : std::span(parts, count))
      made->invariant.add_part(part.object, part.object_size, part.part, part.size);
    if (count == 0)
      throw sartor::Error(
          {sartor::ErrorCode::bad_invariant, "parts", "is empty", "name at least one part"});
    *out = made.release();
  });
}

int sartor_invariant_valid(const sartor_invariant *invariant) {
  return invariant && invariant->invariant.valid() ? 1 : 0;
}

uint64_t sartor_invariant_number(const sartor_invariant *invariant) {
  return invariant ? invariant->invariant.number() : 0;
}

sartor_status sartor_invalidate_later(sartor_invariant *invariant) {
  return guarded([&] {
    need(invariant, "invariant");
    invariant->invariant.invalidate_later();
  });
}

int sartor_reusable(const sartor_invariant *invariant) {
  return invariant && invariant->invariant.reusable() ? 1 : 0;
}

sartor_status sartor_invalidate(sartor_invariant *invariant) {
  (void)sartor::base::inside_handler(
      sartor::base::frame_of_caller()); // ends sections left by longjmp()
  return guarded([&] {
    if (invariant)
      invariant->invariant.invalidate();
    delete invariant;
  });
}

sartor_status sartor_tie(sartor_runtime *runtime, const char *label,
                         const sartor_invariant *invariant) {
  return guarded([&] {
    need(runtime, "runtime", label, "label", invariant, "invariant");
    runtime->runtime.tie(label, invariant->invariant);
  });
}
}
