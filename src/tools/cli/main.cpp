// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <functional>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/json.h"
#include "tools/cli/cache.h"
#include "tools/cli/compile.h"
#include "tools/cli/declare.h"
#include "tools/cli/device.h"
#include "tools/cli/economy.h"
#include "tools/cli/explain_all.h"
#include "tools/cli/explain_request.h"
#include "tools/cli/guards.h"
#include "tools/cli/handlers_in.h"
#include "tools/cli/key.h"
#include "tools/cli/ld.h"
#include "tools/cli/run.h"
#include "tools/cli/server.h"
#include "tools/cli/space.h"

namespace sartor::cli {

namespace {

struct Arguments {
  std::string program;
  std::string economy_log;
  std::string request;
  std::string handler;
  std::string label;
  std::string configuration = "{}";
  std::vector<std::string> maps;
  bool json = false;
  Show show;
};

constexpr const char *kFiles =
    "A program or library, an object for the kernel (.bpf.o), or a .bc or .ll file";

Result<void> run_space(const Arguments &arguments) {
  const auto all = handlers_in(arguments.program);
  if (!all)
    return std::unexpected(all.error());
  for (const Handlers &each : *all)
    std::cout << (arguments.json ? each.module.space.json() + "\n" : space_text(each.module));
  return {};
}

Result<void> run_economy(const Arguments &arguments) {
  const auto report = EconomyReport::read(arguments.economy_log);
  if (!report)
    return std::unexpected(report.error());
  std::cout << (arguments.json ? dump(report->json()) + "\n" : report->text());
  return {};
}

Result<void> run_request(const Arguments &arguments, core::HandlerModule module) {
  const auto report = explain_request(arguments.request, std::move(module), arguments.show);
  if (!report)
    return std::unexpected(report.error());
  std::cout << (arguments.json ? dump(json_of(*report, arguments.show)) + "\n"
                               : text_of(*report, arguments.show));
  return {};
}

Result<void> run_explain(const Arguments &arguments) {
  if (!arguments.economy_log.empty())
    return run_economy(arguments);
  auto all = handlers_in(arguments.program);
  if (!all)
    return std::unexpected(all.error());
  if (!arguments.request.empty())
    return run_request(arguments, std::move(all->front().module));
  const ExplainWish wish{arguments.handler, arguments.label,
                         Configuration::from_json(arguments.configuration), arguments.maps,
                         arguments.show};
  const auto reported = explain_all(*all, wish);
  if (!reported)
    return std::unexpected(reported.error());
  std::cout << (arguments.json ? reported->json + "\n" : reported->text);
  return reported->refused ? Result<void>(std::unexpected(*reported->refused)) : Result<void>();
}

void add_space(CLI::App &app, Arguments &arguments) {
  CLI::App *command = app.add_subcommand("space", "List the points of a program.");
  command->add_option("PROGRAM", arguments.program, kFiles)->required();
  command->add_flag("--json", arguments.json, "Write JSON");
}

void add_explain(CLI::App &app, Arguments &arguments) {
  CLI::App *command =
      app.add_subcommand("explain", "Say what a configuration changes in the code of a program, or "
                                    "what facts were worth.");
  auto *what = command->add_option_group("what")->require_option(1);
  what->add_option("PROGRAM", arguments.program, kFiles);
  what->add_option("--economy", arguments.economy_log,
                   "Of the facts in this event log, what each brought and cost");
  // In an option group: otherwise it would be parsed before PROGRAM.
  command->add_option_group("which")->add_option(
      "LABEL", arguments.label,
      "Only this point, and handlers that reach it (default: all of them)");
  command->add_option("--handler", arguments.handler, "Only this handler (default: all of them)");
  command
      ->add_option("--config", arguments.configuration,
                   R"(What the points are set to, such as {"B":16,"N":[64,256]})")
      ->capture_default_str();
  command->add_option("--map", arguments.maps,
                      "NAME=FILE: promise a map of handlers in the kernel, with the content that "
                      "`bpftool -j map dump` has written into a file");
  command
      ->add_option("--request", arguments.request,
                   "Make this request of the program's again, which was recorded "
                   "(SARTOR_RECORD_REQUESTS), and tell what folded")
      ->excludes("LABEL")
      ->excludes("--handler")
      ->excludes("--config")
      ->excludes("--map")
      ->excludes("--economy");
  command->add_flag("--size", arguments.show.sizes,
                    "Show what of the code comes from which function");
  command->add_flag("--ir", arguments.show.ir, "Show the IR, generic beside variant");
  command->add_flag("--asm", arguments.show.assembly, "Show the assembly, generic beside variant");
  command->add_flag("--json", arguments.json, "Write JSON");
}

int report(const Failure &failure) {
  std::cerr << "sartor: " << failure.text() << '\n';
  return 1;
}

} // namespace

} // namespace sartor::cli

int main(int argc, char **argv) {
  using namespace sartor;
  CLI::App app{"Looks at programs that Sartor can specialize, and at the code it keeps; starts\n"
               "programs through its loader.",
               "sartor"};
  app.set_version_flag("--version", "sartor " SARTOR_VERSION);
  app.require_subcommand(1);
  cli::Arguments arguments;
  cli::add_space(app, arguments);
  cli::add_explain(app, arguments);
  const cli::CompileCommand compile(app);
  const cli::CacheCommand cache(app);
  const cli::DeclareCommand declare(app);
  const cli::DeviceCommand device(app);
  const cli::GuardsCommand guards(app);
  const cli::KeyCommand key(app);
  const cli::LdCommand ld(app);
  const cli::ServerCommand server(app);
  const cli::RunCommand run(app, {argv, argv + argc});
  try {
    app.parse(run.own_arguments());
    if (run.is_meant()) {
      cli::report(run.run());
      return cli::RunCommand::no_front;
    }
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    if (app.got_subcommand("cache")) {
      const auto outcome = cache.run();
      return outcome ? static_cast<int>(!*outcome) : cli::report(outcome.error());
    }
    const auto outcome = app.got_subcommand("space")     ? cli::run_space(arguments)
                         : app.got_subcommand("compile") ? compile.run()
                         : app.got_subcommand("declare") ? declare.run()
                         : app.got_subcommand("device")  ? device.run()
                         : app.got_subcommand("guards")  ? guards.run()
                         : app.got_subcommand("key")     ? key.run()
                         : app.got_subcommand("ld")      ? ld.run()
                         : app.got_subcommand("server")  ? server.run()
                                                         : cli::run_explain(arguments);
    return outcome ? 0 : cli::report(outcome.error());
  } catch (const Error &error) {
    return cli::report(error.failure());
  }
}
