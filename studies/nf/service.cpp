// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "service.h"

#include <string>

#include "settings.h"

namespace nf {

sartor::Options runtime_options(const std::filesystem::path &event_log) {
  sartor::Options options;
  options.event_log = event_log;
  options.quick_tier = false;
  return options;
}

Service::Service(sartor::Runtime &runtime, const Function &function, const toml::table &file,
                 std::uint32_t flows)
    : function_(function), handler_(runtime.handler<std::uint32_t(NfIo *, NfSide)>(
                               std::string(function.name) + "_poll")),
      fixed_(std::string(function.name) + ".configuration") {
  function.configure(table_of(file, function.name));
  function.forget(flows);
  const std::span<const std::byte> invariant = function.configuration();
  fixed_.add(invariant.data(), invariant.size());
}

void Service::configure(const toml::table &file) {
  const toml::table &table = table_of(file, function_.name);
  const sartor::Write write(fixed_);
  function_.configure(table);
}

void Service::wait_until_invariant(std::chrono::milliseconds at_most) const {
  fixed_.wait_until_valid(at_most);
}

} // namespace nf
