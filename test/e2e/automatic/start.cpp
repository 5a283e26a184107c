// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In place of libsartor's sartor_auto_start(): opens a runtime, prints the points, and specializes
// all of them, first to values that the program uses, then to others.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>

#include <sartor/automatic.h>
#include <sartor/sartor.hpp>

namespace {

std::optional<sartor::Runtime> runtime;
std::span<const sartor_module> modules;
int starts = 0;

sartor::Value value_of(const sartor::Point &point, int phase) {
  using Class = sartor::PointType::Class;
  const int number = phase == 1 ? 2 : phase == 2 ? 10 : 77;
  switch (point.type.kind) {
  case Class::boolean:
    return phase == 1;
  case Class::pointer:
    return "add";
  case Class::floating:
    return phase == 1 ? 1.5 : phase == 2 ? 1.0 : 77.0;
  default:
    return std::int64_t{number};
  }
}

} // namespace

extern "C" void sartor_auto_start(const sartor_module *begin, const sartor_module *end) {
  modules = {begin, end};
  ++starts;
}

extern "C" void change_variants(int phase) try {
  if (phase == 0) {
    std::fprintf(stderr, "starts: %d\n", starts);
    runtime.emplace(modules, sartor::Options{});
    const sartor::Space space = runtime->space();
    for (const sartor::Point &point : space.points())
      std::fprintf(stderr, "point %s %s%s%s\n", point.label.c_str(), point.type.text().c_str(),
                   point.sites.front().problem.c_str(), point.sites.front().unreached.c_str());
    return;
  }
  const sartor::Space space = runtime->space();
  sartor::Configuration configuration;
  for (const sartor::Point &point : space.points())
    configuration.set(point.label, value_of(point, phase));
  std::size_t variants = 0;
  if (runtime->active())
    variants = runtime->specialize(configuration).size();
  std::fprintf(stderr, "phase %d: %zu variants\n", phase, variants);
  for (const auto &[label, count] : runtime->statistics().guard_failures)
    if (count > 0)
      std::fprintf(stderr, "failed %s\n", label.c_str());
} catch (const sartor::Error &error) {
  std::fprintf(stderr, "%s\n", error.what());
  std::exit(3);
}
