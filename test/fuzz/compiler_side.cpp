// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/compiler_side.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/space/fit.h"
#include "core/space/stored_module.h"
#include "fuzz/require.h"
#include "remote/protocol/device_message.h"
#include "remote/protocol/fit_request.h"
#include "remote/protocol/order.h"

namespace sartor::remote {

using fuzz::require;

namespace {

class Compiler {
public:
  void hear(const Said &said) {
    switch (said.kind) {
    case Kind::hello:
      return check<Hello>(said.body);
    case Kind::device_hello:
      return check<DeviceHello>(said.body);
    case Kind::load_file:
      return check<ModuleFile>(said.body);
    case Kind::check_pipeline:
      return check<Pipeline>(said.body);
    case Kind::give_module:
      return take(said.body);
    case Kind::draft:
      return draft(said.body);
    case Kind::entry_function:
      return entry_function(said.body);
    case Kind::rotation_stub:
      return rotation_stub(said.body);
    case Kind::checking_stub:
      return checking_stub(said.body);
    case Kind::customize:
      return customize(said.body);
    default:
      return;
    }
  }

private:
  template <class T> static void check(const std::string &body) {
    if (const auto message = from_bytes<T>(body))
      (void)check_request(*message);
  }

  void take(const std::string &packed) {
    if (auto module = core::unpack_module(packed))
      module_ = std::move(*module);
  }

  [[nodiscard]] const core::HandlerModule::Handler &handler(const std::string &name) const {
    const auto found =
        std::ranges::find(module_->handlers, name, [](const auto &each) { return each.name; });
    require(found != module_->handlers.end());
    return *found;
  }
  template <class Arguments>
  void require_arguments(const std::string &name, const Arguments &arguments) const {
    const auto &signature = handler(name).signature;
    for (const auto &[index, value] : arguments)
      require(signature && index < signature->parameters.size());
  }

  void draft(const std::string &body) const {
    auto order = from_bytes<DraftOrder>(body);
    if (!order || !module_)
      return;
    auto fitted = fit_request(std::move(*order), *module_);
    if (!fitted)
      return;
    require_arguments(fitted->handler, fitted->arguments);
    Configuration plain; // a hole stands for any value of its point's type
    for (const auto &[label, setting] : fitted->configuration)
      if (std::ranges::find(fitted->holes, label) == fitted->holes.end())
        plain.set(label, setting);
    require(fit(plain, module_->space).has_value());
    const core::Context context = to_context(std::move(*fitted), nullptr, *module_);
    (void)core::text(context);
  }

  void entry_function(const std::string &body) const {
    auto order = from_bytes<EntryOrder>(body);
    if (!order || !module_)
      return;
    if (const auto fitted = fit_request(std::move(*order), *module_))
      require_arguments(fitted->handler, fitted->arguments);
  }

  void rotation_stub(const std::string &body) const {
    auto order = from_bytes<RotationOrder>(body);
    if (!order || !module_)
      return;
    if (const auto fitted = fit_request(std::move(*order), *module_))
      (void)handler(fitted->handler);
  }

  void checking_stub(const std::string &body) const {
    auto order = from_bytes<StubOrder>(body);
    if (!order || !module_)
      return;
    if (const auto fitted = fit_request(std::move(*order), *module_))
      (void)handler(fitted->handler);
  }

  void customize(const std::string &body) const {
    const auto wanted = from_bytes<Customization>(body);
    if (!wanted || !module_)
      return;
    const auto fitted = fit_request(*wanted, *module_);
    if (!fitted)
      return;
    require_arguments(fitted->handler, fitted->arguments);
    require(fit(fitted->configuration, module_->space).has_value());
    for (std::size_t i = 1; i < fitted->regions.size(); ++i)
      require(fitted->regions[i - 1].address + fitted->regions[i - 1].size <=
              fitted->regions[i].address);
  }

  std::optional<core::HandlerModule> module_;
};

} // namespace

void hear_as_compiler(const Conversation &conversation) {
  Compiler compiler;
  for (const Said &said : conversation)
    if (!said.by_server)
      compiler.hear(said);
}

} // namespace sartor::remote
