// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Customization by token, for C (S. Bhatia et al., "Remote Customization of Systems Code for
// Embedded Devices", EMSOFT 2004, section 3): a context is collected when it is asked for, and
// owned by its token.
#include <sartor/sartor.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "capi/c_api.h"

using sartor::ErrorCode;
using sartor::guarded;
using sartor::need;

namespace {

struct Release {
  void operator()(sartor_binding *binding) const { sartor_release(binding); }
};
struct Invalidate {
  void operator()(sartor_invariant *invariant) const { (void)sartor_invalidate(invariant); }
};

struct Customized {
  std::unique_ptr<sartor_invariant, Invalidate> promised; // outlives what leans on it
  std::unique_ptr<sartor_binding, Release> binding;
  void (*function)() = nullptr;
};

/// What tokens stand for. No number is given twice, so that one that was cancelled is known as
/// such.
class Tokens {
public:
  static Tokens &instance() {
    static auto *tokens = new Tokens; // may be asked while the process exits
    return *tokens;
  }

  sartor_token add(Customized customized) {
    const sartor::base::MutexLock lock(mutex_);
    customized_.emplace(++last_, std::move(customized));
    return last_;
  }
  void (*function_of(sartor_token token))() {
    const sartor::base::MutexLock lock(mutex_);
    const auto known = customized_.find(token);
    return known == customized_.end() ? nullptr : known->second.function;
  }
  /// Null where there is none.
  std::unique_ptr<Customized> take(sartor_token token) {
    const sartor::base::MutexLock lock(mutex_);
    auto taken = customized_.extract(token);
    return taken ? std::make_unique<Customized>(std::move(taken.mapped())) : nullptr;
  }
  void put_back(sartor_token token, Customized customized) {
    const sartor::base::MutexLock lock(mutex_);
    customized_.emplace(token, std::move(customized));
  }

private:
  sartor::base::Mutex mutex_;
  std::map<sartor_token, Customized> customized_ SARTOR_GUARDED_BY(mutex_);
  sartor_token last_ SARTOR_GUARDED_BY(mutex_) = 0;
};

sartor::Error unknown(sartor_token token) {
  return sartor::Error({ErrorCode::bad_argument, "token " + std::to_string(token),
                        "stands for nothing: it was cancelled, or never given",
                        "take one from sartor_do_customize()"});
}

} // namespace

extern "C" {

sartor_status sartor_do_customize(sartor_runtime *runtime, const sartor_customizer *customizer,
                                  void *context, sartor_token *out) {
  sartor_status bound = SARTOR_OK; // its message stays as it is
  const sartor_status done = guarded([&] {
    need(runtime, "runtime");
    need(customizer, "customizer");
    need(customizer->handler, "customizer->handler");
    need(customizer->collect, "customizer->collect");
    need(out, "out");
    std::vector<sartor_argument> arguments(customizer->parameters);
    sartor_invariant *promised = nullptr;
    const int refused =
        sartor::base::run_program(customizer->collect, context, arguments.data(), &promised);
    Customized customized;
    customized.promised.reset(promised);
    if (refused != 0) {
      customized.promised.reset();
      arguments.assign(arguments.size(), {});
    }
    sartor_binding *binding = nullptr;
    bound = sartor_bind(runtime, customizer->handler, arguments.data(), arguments.size(), &binding);
    if (bound != SARTOR_OK)
      return;
    customized.binding.reset(binding);
    bound = sartor_binding_function(binding, &customized.function);
    if (bound == SARTOR_OK)
      *out = Tokens::instance().add(std::move(customized));
  });
  return done != SARTOR_OK ? done : bound;
}

sartor_status sartor_customized(sartor_token token, void (**out)(void)) {
  return guarded([&] {
    need(out, "out");
    void (*const function)() = Tokens::instance().function_of(token);
    if (!function)
      throw unknown(token);
    *out = function;
  });
}

sartor_status sartor_cancel(sartor_token token) {
  sartor_status taken_back = SARTOR_OK;
  const sartor_status done = guarded([&] {
    auto customized = Tokens::instance().take(token);
    if (!customized)
      throw unknown(token);
    sartor_invariant *const promised = customized->promised.release();
    taken_back = sartor_invalidate(promised);
    if (taken_back == SARTOR_OK)
      return;
    customized->promised.reset(promised); // within a handler
    Tokens::instance().put_back(token, std::move(*customized));
  });
  return done != SARTOR_OK ? done : taken_back;
}
}
