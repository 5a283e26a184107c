// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file xdp_agent: loads the handlers of an object into the kernel, profiles and specializes them,
/// and removes them when asked to end. Its standard output is for scripts.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include <sartor/bpf/object.h>
#include <sartor/bpf/runtime.hpp>

SARTOR_BPF_OBJECT(balancer)
SARTOR_BPF_OBJECT(firewall)
SARTOR_BPF_OBJECT(forward)

namespace {

constexpr unsigned kSampled = 10;
constexpr unsigned kLook = 300; // milliseconds

struct Arguments {
  std::string object;
  std::string pins;
  std::vector<std::string> attachments;
  std::string configuration;
  unsigned every_ms = 60000;
};

std::string_view object_named(const std::string &name) {
  const std::map<std::string, std::string_view> objects = {{"balancer", balancer_object()},
                                                           {"firewall", firewall_object()},
                                                           {"forward", forward_object()}};
  return objects.at(name);
}

void attach(sartor::BpfRuntime &runtime, const std::vector<std::string> &attachments) {
  for (const std::string &each : attachments) {
    const std::size_t equals = each.find('=');
    if (equals == std::string::npos)
      throw std::runtime_error("\"" + each + "\" is no HANDLER=INTERFACE");
    runtime.attach_xdp(each.substr(0, equals), each.substr(equals + 1));
  }
}

/// Waits; returns whether to continue.
bool wait(const sigset_t &ending, unsigned milliseconds) {
  const timespec time{milliseconds / 1000, static_cast<long>(milliseconds % 1000) * 1000000};
  return sigtimedwait(&ending, nullptr, &time) < 0;
}

/// The fast paths whose results are memoized and whose inputs were seen.
std::vector<std::string> fast_paths(const sartor::Space &space,
                                    const sartor::Configuration &configuration) {
  std::vector<std::string> labels;
  for (const auto &[label, setting] : configuration)
    if (const sartor::Point *point = space.find(label);
        point && point->kind == sartor::PointKind::fast_path)
      labels.push_back(label);
  return labels;
}

bool have_been_seen(const sartor::BpfRuntime &runtime, const std::vector<std::string> &labels) {
  const sartor::Profile profile = runtime.profile();
  return std::ranges::all_of(labels, [&](const std::string &label) {
    const sartor::PointProfile *seen = profile.find(label);
    return seen && seen->count > 0;
  });
}

/// Profiles until there are samples, then specializes. Reports a failure; the active code then
/// stays. Returns whether to continue.
bool adapt(sartor::BpfRuntime &runtime, const sartor::Configuration &configuration,
           const sigset_t &ending) {
  const std::vector<std::string> labels = fast_paths(runtime.space(), configuration);
  try {
    runtime.instrument(labels, kSampled);
    do
      if (!wait(ending, kLook))
        return false;
    while (!have_been_seen(runtime, labels));
    runtime.instrument({});
    for (const auto &variant : runtime.specialize(configuration))
      std::printf("active: %s, %u instructions\n", variant.name.c_str(), variant.instructions);
  } catch (const sartor::Error &error) {
    std::printf("not specialized: %s\n", error.what());
  }
  std::fflush(stdout);
  return true;
}

void serve(const Arguments &arguments) {
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  sigaddset(&ending, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);
  sartor::BpfRuntime runtime =
      sartor::BpfRuntime::open(object_named(arguments.object), {.pins = arguments.pins});
  attach(runtime, arguments.attachments);
  std::printf("attached");
  for (const std::string &handler : runtime.handlers())
    std::printf(" %s %u", handler.c_str(), runtime.active(handler).program);
  std::puts("");
  std::fflush(stdout);
  if (!arguments.configuration.empty()) {
    const auto configuration = sartor::Configuration::from_json(arguments.configuration);
    while (adapt(runtime, configuration, ending) && wait(ending, arguments.every_ms))
      continue;
  } else {
    int signal = 0;
    sigwait(&ending, &signal);
  }
  for (const std::string &each : arguments.attachments)
    runtime.detach(each.substr(0, each.find('=')));
}

} // namespace

int main(int argc, char **argv) {
  Arguments arguments;
  CLI::App app("Puts handlers into the kernel, until it gets SIGTERM.", "xdp_agent");
  app.add_option("object", arguments.object, "balancer, firewall or forward")
      ->required()
      ->check(CLI::IsMember({"balancer", "firewall", "forward"}));
  app.add_option("--pins", arguments.pins, "a directory in a bpffs")->required();
  app.add_option("--attach", arguments.attachments, "HANDLER=INTERFACE")->required();
  app.add_option("--specialize", arguments.configuration,
                 "JSON: what points are set to, again and again by what has been seen");
  app.add_option("--every", arguments.every_ms, "after how many milliseconds")
      ->check(CLI::Range(1, 3600000));
  CLI11_PARSE(app, argc, argv)
  try {
    serve(arguments);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "xdp_agent: %s\n", error.what());
    return 1;
  }
  return 0;
}
