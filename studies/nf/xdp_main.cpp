// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file nf_xdp: runs a network function between two interfaces, in the kernel, until SIGTERM. On
/// SIGHUP it reads its configuration again.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>

#include <CLI/CLI.hpp>

#include "settings.h"
#include "xdp_service.h"

namespace {

struct Arguments {
  std::string function;
  std::string configuration;
  std::string external;
  std::string internal;
  bool is_generic = false;
};

std::uint64_t monotonic_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

/// Reports a failure; generic code then does the same work.
void specialize(nf::XdpService &service) {
  try {
    service.specialize();
    for (const NfSide side : {nf_external, nf_internal}) {
      const auto variant = service.runtime().active(service.handler(side));
      std::printf("active: %s, %u instructions\n", variant.name.c_str(), variant.instructions);
    }
  } catch (const sartor::Error &error) {
    std::printf("not specialized: %s\n", error.what());
  }
}

/// Reports a failure; the active configuration then stays.
void configure_again(nf::XdpService &service, const Arguments &arguments) {
  try {
    service.configure(nf::read_configuration(arguments.configuration));
    std::puts("configured");
  } catch (const nf::BadConfiguration &error) {
    std::printf("not configured: %s\n", error.what());
  }
}

void report(const nf::XdpService &service, const nf::Function &function) {
  const auto counts = service.counts();
  for (std::size_t i = 0; i < counts.size(); ++i)
    std::printf("%s %llu\n", function.outcomes[i], static_cast<unsigned long long>(counts[i]));
}

void serve(const Arguments &arguments) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP})
    sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const nf::XdpFunction &function = *nf::xdp_function_named(arguments.function);
  nf::XdpService service(function, function.object(),
                         nf::read_configuration(arguments.configuration));
  service.attach(arguments.external, arguments.internal);
  std::puts("attached");
  if (!arguments.is_generic)
    specialize(service);
  std::fflush(stdout);
  constexpr timespec second = {1, 0};
  for (int signal = 0; signal != SIGTERM && signal != SIGINT;) {
    signal = sigtimedwait(&signals, nullptr, &second);
    service.sweep(monotonic_now());
    if (signal != SIGHUP)
      continue;
    configure_again(service, arguments);
    if (!arguments.is_generic)
      specialize(service);
    std::fflush(stdout);
  }
  service.detach();
  report(service, function.function);
}

} // namespace

int main(int argc, char **argv) {
  Arguments arguments;
  std::vector<std::string> names;
  for (const nf::XdpFunction &one : nf::all_xdp_functions())
    names.emplace_back(one.function.name);
  CLI::App app("Puts a network function between two interfaces, in the kernel.", "nf_xdp");
  app.add_option("function", arguments.function)->required()->check(CLI::IsMember(names));
  app.add_option("configuration", arguments.configuration, "a file")->required();
  app.add_option("external", arguments.external, "an interface")->required();
  app.add_option("internal", arguments.internal, "an interface")->required();
  app.add_flag("--generic", arguments.is_generic, "do not make the configuration part of the code");
  CLI11_PARSE(app, argc, argv)
  try {
    serve(arguments);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "nf_xdp: %s\n", error.what());
    return 1;
  }
  return 0;
}
