// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// handlers: finds the handlers in libraries, and runs those that the configuration file names with
// its settings: an agent in the program opens a runtime for each library, and routes calls of its
// handlers to the active variants.
#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <dlfcn.h>

#include <sartor/configuration.hpp>
#include <sartor/loader/pass.h>

#include "compiler/frontend/load.h"

namespace {

using sartor::Configuration;
using sartor::ErrorCode;
using sartor::core::HandlerModule;

constexpr const char *tune = "tune ";

/// The reason why a pass has failed; valid while the pass is loaded.
std::string failure;

const char *fail(std::string why) {
  failure = std::move(why);
  return failure.c_str();
}

std::string agent() {
  static const char here = 0;
  Dl_info self;
  if (dladdr(&here, &self) == 0)
    return {};
  const std::filesystem::path passes = std::filesystem::path(self.dli_fname).parent_path();
  return (passes.parent_path() / "agents" / "handlers.so").lexically_normal();
}

/// Returns the error in a wish; empty if there is none.
std::string check(const HandlerModule &module, const std::string &wish) {
  if (wish.starts_with(tune)) {
    const auto found = module.find(wish.substr(std::string_view(tune).size()));
    return found ? "" : found.error().text();
  }
  try {
    const auto problem = module.space.check(Configuration::from_json(wish));
    return problem ? problem->text() : "";
  } catch (const sartor::Error &error) {
    return error.what();
  }
}

std::string handlers_of(const HandlerModule &module) {
  std::string names;
  for (const HandlerModule::Handler &handler : module.handlers)
    names += (names.empty() ? "" : ", ") + handler.readable_name();
  return names;
}

/// Makes calls of handlers keep using slots; returns the number of handlers that other libraries
/// can call.
std::size_t keep(sartor_prelink_image *image, const sartor_prelink_operations *operations,
                 std::size_t library, const HandlerModule &module) {
  sartor_library self;
  operations->library(image, library, &self);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < self.symbols; ++i) {
    sartor_library_symbol symbol;
    operations->symbol(image, library, i, &symbol);
    const bool is_handler = std::ranges::any_of(
        module.handlers, [&](const auto &handler) { return handler.name == symbol.name; });
    if (is_handler && symbol.is_defined)
      kept += operations->keep(image, library, symbol.address) == 0 ? 1 : 0;
  }
  return kept;
}

const char *run(sartor_prelink_image *image, const sartor_prelink_operations *operations) {
  std::map<std::string, std::string> wishes; // by the library's name
  for (std::size_t i = 0; const char *name = operations->option_name(image, i); ++i)
    wishes[name] = operations->option(image, name);
  std::string reported;
  for (std::size_t i = 0; i < operations->libraries(image); ++i) {
    sartor_library library;
    operations->library(image, i, &library);
    const auto module = sartor::compiler::load_program(library.path);
    const bool has_none = !module && module.error().code == ErrorCode::no_handler_module;
    if (has_none && !wishes.contains(library.name))
      continue;
    if (!module)
      return fail(module.error().text());
    std::string what = std::string(library.path) + ": " + handlers_of(*module) + ": ";
    if (library.is_program != 0) {
      operations->report(image, (what + "it calls them through a runtime of its own").c_str());
      continue;
    }
    const auto wish = wishes.find(library.name);
    if (wish == wishes.end()) {
      operations->report(image, (what + "nothing is said of \"" + library.name + "\"").c_str());
      continue;
    }
    if (const std::string problem = check(*module, wish->second); !problem.empty())
      return fail(std::string(library.path) + ": " + problem);
    if (keep(image, operations, i, *module) == 0)
      return fail(std::string(library.path) +
                  " exports none of its handlers: " + handlers_of(*module));
    operations->report(image, (what + wish->second).c_str());
    reported += std::string(reported.empty() ? "" : "\n") + library.path + "=" + wish->second;
    wishes.erase(wish);
  }
  // A configuration file may be for many programs.
  for (const auto &[name, wish] : wishes)
    operations->report(image, ("the program does not start with \"" + name + "\"").c_str());
  if (reported.empty())
    return nullptr;
  operations->set_environment(image, "SARTOR_HANDLERS", reported.c_str());
  return operations->preload(image, agent().c_str()) == 0
             ? nullptr
             : fail(agent() + " is missing: install Sartor again");
}

const char *const before[] = {"bind", "settle", nullptr};
// Code that is made at run time is in no domain.
const char *const conflicts[] = {"isolate", nullptr};

} // namespace

extern "C" const sartor_pass sartor_pass = {.abi = SARTOR_PASS_ABI,
                                            .name = "handlers",
                                            .needs = nullptr,
                                            .conflicts = conflicts,
                                            .after = nullptr,
                                            .before = before,
                                            .run = run,
                                            .judges = 0};
