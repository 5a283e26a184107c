// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C interface: quasi-invariants and write guards.
#include <sartor/c/sartor.h>

#include <chrono>
#include <memory>

#include <nlohmann/json.hpp>

#include <sartor/quasi_invariant.hpp>

#include "capi/c_api.h"

using sartor::c_duration;
using sartor::guarded;
using sartor::need;

struct sartor_write {
  explicit sartor_write(const sartor_quasi_invariant &quasi_invariant)
      : write(*quasi_invariant.quasi_invariant) {}
  sartor::Write write;
};

namespace {

sartor::QuasiInvariantOptions options_of(const sartor_quasi_invariant_options &given) {
  sartor::QuasiInvariantOptions options;
  void *context = given.context;
  if (given.validate)
    options.validate = [=, validate = given.validate] { return validate(context) != 0; };
  const auto question = [&](int (*asked)(void *, void *, size_t)) {
    return [=](void *address, std::size_t size) { return asked(context, address, size) != 0; };
  };
  if (given.refuse)
    options.refuse = question(given.refuse);
  if (given.reinforce)
    options.reinforce = question(given.reinforce);
  options.deferred = given.deferred != 0;
  if (given.back_off != 0)
    options.back_off = c_duration(given.back_off);
  if (given.longest_back_off != 0)
    options.longest_back_off = c_duration(given.longest_back_off);
  options.check_every = c_duration(given.check_every);
  options.hold_callers = c_duration(given.hold_callers);
  options.protect_pages = given.protect_pages != 0;
  return options;
}

} // namespace

extern "C" {

sartor_status sartor_quasi_invariant_make(const char *name,
                                          const sartor_quasi_invariant_options *options,
                                          sartor_quasi_invariant **out) {
  return guarded([&] {
    need(name, "name", out, "out");
    auto own = std::make_shared<sartor::QuasiInvariant>(
        name, options ? options_of(*options) : sartor::QuasiInvariantOptions());
    *out = new sartor_quasi_invariant{own, own};
  });
}

sartor_status sartor_quasi_invariant_declared(const char *name, sartor_quasi_invariant **out) {
  return guarded([&] {
    need(name, "name", out, "out");
    *out = new sartor_quasi_invariant{sartor::declared_quasi_invariant(name), nullptr};
  });
}

sartor_status sartor_quasi_invariant_add_part(sartor_quasi_invariant *quasi_invariant,
                                              const void *object, size_t object_size,
                                              const void *part, size_t size) {
  return guarded([&] {
    need(quasi_invariant, "quasi_invariant");
    if (!quasi_invariant->own)
      throw sartor::Error({sartor::ErrorCode::bad_invariant,
                           quasi_invariant->quasi_invariant->name(),
                           "is declared in a declarations file, which lists its parts",
                           "declare another quasi-invariant"});
    quasi_invariant->own->add_part(object, object_size, part, size);
  });
}

const char *sartor_quasi_invariant_name(const sartor_quasi_invariant *quasi_invariant) {
  return quasi_invariant ? quasi_invariant->quasi_invariant->name().c_str() : nullptr;
}

int sartor_quasi_invariant_valid(const sartor_quasi_invariant *quasi_invariant) {
  return quasi_invariant && quasi_invariant->quasi_invariant->valid() ? 1 : 0;
}

int sartor_quasi_invariant_wait(const sartor_quasi_invariant *quasi_invariant, double seconds) {
  return quasi_invariant && quasi_invariant->quasi_invariant->wait_until_valid(c_duration(seconds))
             ? 1
             : 0;
}

sartor_write *sartor_begin_write(sartor_quasi_invariant *quasi_invariant) {
  sartor_write *begun = nullptr;
  (void)guarded([&] {
    need(quasi_invariant, "quasi_invariant");
    auto write = std::make_unique<sartor_write>(*quasi_invariant);
    if (write->write)
      begun = write.release();
  });
  return begun;
}

void sartor_end_write(sartor_write *write) { delete write; }

sartor_status sartor_quasi_invariant_figures(const sartor_quasi_invariant *quasi_invariant,
                                             char **json) {
  return guarded([&] {
    need(quasi_invariant, "quasi_invariant", json, "json");
    const sartor::QuasiInvariantFigures figures = quasi_invariant->quasi_invariant->figures();
    const nlohmann::ordered_json reported = {
        {"invalidated", figures.invalidated},
        {"refused", figures.refused},
        {"reinforced", figures.reinforced},
        {"held", figures.held},
        {"unseen", figures.unseen},
        {"page_faults", figures.page_faults},
        {"neighbours", figures.neighbours},
        {"invalidation_nanoseconds", figures.invalidation_nanoseconds},
        {"longest_invalidation_nanoseconds", figures.longest_invalidation_nanoseconds},
        {"held_callers", figures.held_callers},
        {"valid_nanoseconds", figures.valid_nanoseconds},
        {"made", figures.made},
        {"making_nanoseconds", figures.making_nanoseconds},
        {"back_off", std::chrono::duration<double>(figures.back_off).count()},
        {"watched", figures.watched}};
    *json = sartor::copy_for_c(reported.dump());
  });
}

void sartor_quasi_invariant_free(sartor_quasi_invariant *quasi_invariant) {
  delete quasi_invariant;
}
}
