// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C interface: customization by binding ids (S. Bhatia et al., "Remote Customization of Systems
// Code for Embedded Devices", EMSOFT 2004, section 3): a context is collected when it is requested,
// and owned by its id.
#include <sartor/c/customize.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/thread/mutex.h"
#include "capi/c_api.h"

using sartor::ErrorCode;
using sartor::guarded;
using sartor::need;

namespace {

struct Release {
  void operator()(sartor_binding *binding) const { sartor_release(binding); }
};

struct Customized {
  std::unique_ptr<sartor_invariant> declared; // outlives the code that depends on it
  std::unique_ptr<sartor_binding, Release> binding;
  void (*function)() = nullptr;
};

/// The bindings that ids stand for. No id is used twice, so that a cancelled one is recognized.
class BindingIds {
public:
  static BindingIds &instance() {
    // Never destroyed: may be used while the process exits.
    static auto *binding_ids = new BindingIds;
    return *binding_ids;
  }

  sartor_binding_id add(Customized customized) {
    const sartor::base::MutexLock lock(mutex_);
    customized_.emplace(++last_, std::move(customized));
    return last_;
  }
  void (*function_of(sartor_binding_id binding_id))() {
    const sartor::base::MutexLock lock(mutex_);
    const auto known = customized_.find(binding_id);
    return known == customized_.end() ? nullptr : known->second.function;
  }
  /// Returns null if there is none.
  std::unique_ptr<Customized> take(sartor_binding_id binding_id) {
    const sartor::base::MutexLock lock(mutex_);
    auto taken = customized_.extract(binding_id);
    return taken ? std::make_unique<Customized>(std::move(taken.mapped())) : nullptr;
  }
  void put_back(sartor_binding_id binding_id, Customized customized) {
    const sartor::base::MutexLock lock(mutex_);
    customized_.emplace(binding_id, std::move(customized));
  }

private:
  sartor::base::Mutex mutex_;
  std::map<sartor_binding_id, Customized> customized_ SARTOR_GUARDED_BY(mutex_);
  sartor_binding_id last_ SARTOR_GUARDED_BY(mutex_) = 0;
};

sartor::Error unknown(sartor_binding_id binding_id) {
  return sartor::Error({ErrorCode::bad_argument, "binding id " + std::to_string(binding_id),
                        "is not in use: it was cancelled, or never assigned",
                        "take one from sartor_do_customize()"});
}

} // namespace

extern "C" {

sartor_status sartor_do_customize(sartor_runtime *runtime, const sartor_customizer *customizer,
                                  void *context, sartor_binding_id *out) {
  sartor_status bound = SARTOR_OK; // the message of the error is preserved
  const sartor_status done = guarded([&] {
    need(runtime, "runtime", customizer, "customizer");
    need(customizer->handler, "customizer->handler");
    need(customizer->collect, "customizer->collect");
    need(out, "out");
    std::vector<sartor_argument> arguments(customizer->parameters);
    sartor_invariant *declared = nullptr;
    Customized customized;
    int refused = 0;
    try {
      refused =
          sartor::base::run_program(customizer->collect, context, arguments.data(), &declared);
    } catch (...) { // of a program in C++
      customized.declared.reset(declared);
      throw;
    }
    customized.declared.reset(declared);
    if (refused != 0) {
      customized.declared.reset();
      arguments.assign(arguments.size(), {});
    }
    sartor_binding *binding = nullptr;
    bound = sartor_bind(runtime, customizer->handler, arguments.data(), arguments.size(), &binding);
    if (bound != SARTOR_OK)
      return;
    customized.binding.reset(binding);
    bound = sartor_binding_function(binding, &customized.function);
    if (bound == SARTOR_OK)
      *out = BindingIds::instance().add(std::move(customized));
  });
  return done != SARTOR_OK ? done : bound;
}

sartor_status sartor_customized(sartor_binding_id binding_id, void (**out)(void)) {
  return guarded([&] {
    need(out, "out");
    void (*const function)() = BindingIds::instance().function_of(binding_id);
    if (!function)
      throw unknown(binding_id);
    *out = function;
  });
}

sartor_status sartor_cancel(sartor_binding_id binding_id) {
  sartor_status revoked = SARTOR_OK;
  const sartor_status done = guarded([&] {
    auto customized = BindingIds::instance().take(binding_id);
    if (!customized)
      throw unknown(binding_id);
    sartor_invariant *const declared = customized->declared.release();
    revoked = sartor_invalidate(declared);
    if (revoked == SARTOR_OK)
      return;
    customized->declared.reset(declared); // within a handler
    BindingIds::instance().put_back(binding_id, std::move(*customized));
  });
  return done != SARTOR_OK ? done : revoked;
}
}
