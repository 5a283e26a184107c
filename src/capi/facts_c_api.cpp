// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts and write guards, for C.
#include <sartor/sartor.h>

#include <chrono>
#include <memory>
#include <utility>

#include <nlohmann/json.hpp>

#include <sartor/quasi_invariant.hpp>

#include "capi/facts_c_api.h"

using sartor::guarded;
using sartor::need;

struct sartor_write {
  explicit sartor_write(const sartor_fact &fact) : write(*fact.fact) {}
  sartor::Write write;
};

namespace {

std::chrono::nanoseconds duration(double seconds) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(seconds));
}

sartor::QuasiInvariantOptions options_of(const sartor_fact_options &given) {
  sartor::QuasiInvariantOptions options;
  void *context = given.context;
  if (given.holds)
    options.holds = [=, holds = given.holds] { return holds(context) != 0; };
  const auto question = [&](int (*asked)(void *, void *, size_t)) {
    return [=](void *address, std::size_t size) { return asked(context, address, size) != 0; };
  };
  if (given.refuse)
    options.refuse = question(given.refuse);
  if (given.reinforce)
    options.reinforce = question(given.reinforce);
  options.deferred = given.deferred != 0;
  if (given.back_off != 0)
    options.back_off = duration(given.back_off);
  if (given.longest_back_off != 0)
    options.longest_back_off = duration(given.longest_back_off);
  options.check_every = duration(given.check_every);
  options.hold_callers = duration(given.hold_callers);
  options.protect_pages = given.protect_pages != 0;
  return options;
}

} // namespace

extern "C" {

sartor_status sartor_make_fact(const char *name, const sartor_fact_options *options,
                               sartor_fact **out) {
  return guarded([&] {
    need(name, "name");
    need(out, "out");
    auto own = std::make_shared<sartor::QuasiInvariant>(
        name, options ? options_of(*options) : sartor::QuasiInvariantOptions());
    *out = new sartor_fact{own, own};
  });
}

sartor_status sartor_declared_fact(const char *name, sartor_fact **out) {
  return guarded([&] {
    need(name, "name");
    need(out, "out");
    *out = new sartor_fact{sartor::declared_fact(name), nullptr};
  });
}

sartor_status sartor_fact_part(sartor_fact *fact, const void *object, size_t object_size,
                               const void *part, size_t size) {
  return guarded([&] {
    need(fact, "fact");
    if (!fact->own)
      throw sartor::Error({sartor::ErrorCode::bad_invariant, fact->fact->name(),
                           "is declared aside from the source, and has the parts that it has there",
                           "make a fact of its own"});
    fact->own->add_part(object, object_size, part, size);
  });
}

const char *sartor_fact_name(const sartor_fact *fact) {
  return fact ? fact->fact->name().c_str() : nullptr;
}

int sartor_fact_holds(const sartor_fact *fact) { return fact && fact->fact->holds() ? 1 : 0; }

int sartor_wait_for_fact(const sartor_fact *fact, double seconds) {
  return fact && fact->fact->wait_until_holds(duration(seconds)) ? 1 : 0;
}

sartor_write *sartor_begin_write(sartor_fact *fact) {
  sartor_write *begun = nullptr;
  (void)guarded([&] {
    need(fact, "fact");
    auto write = std::make_unique<sartor_write>(*fact);
    if (write->write)
      begun = write.release();
  });
  return begun;
}

void sartor_end_write(sartor_write *write) { delete write; }

sartor_status sartor_fact_figures(const sartor_fact *fact, char **json) {
  return guarded([&] {
    need(fact, "fact");
    need(json, "json");
    const sartor::QuasiInvariantFigures figures = fact->fact->figures();
    const nlohmann::ordered_json told = {
        {"broken", figures.broken},
        {"refused", figures.refused},
        {"reinforced", figures.reinforced},
        {"held", figures.held},
        {"unseen", figures.unseen},
        {"page_faults", figures.page_faults},
        {"neighbours", figures.neighbours},
        {"breaking_nanoseconds", figures.breaking_nanoseconds},
        {"longest_break_nanoseconds", figures.longest_break_nanoseconds},
        {"held_callers", figures.held_callers},
        {"holding_nanoseconds", figures.holding_nanoseconds},
        {"made", figures.made},
        {"making_nanoseconds", figures.making_nanoseconds},
        {"back_off", std::chrono::duration<double>(figures.back_off).count()},
        {"watched", figures.watched}};
    *json = sartor::copy_for_c(told.dump());
  });
}

void sartor_drop_fact(sartor_fact *fact) { delete fact; }
}
