// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/view/view_command.h"

#include <charconv>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <sys/types.h>

#include "base/json.h"
#include "tools/cli/usage.h"
#include "tools/view/event_lines.h"
#include "tools/view/log_file.h"
#include "tools/view/log_source.h"
#include "tools/view/page.h"
#include "tools/view/program_source.h"
#include "tools/view/web_server.h"

namespace sartor::view {

namespace {

using Json = nlohmann::ordered_json;

template <class Number> std::optional<Number> number_in(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

/// The source of the events, and what the page says of it.
struct Subject {
  std::unique_ptr<Source> source;
  Json about;
};

Result<Subject> subject_of(const std::string &text) {
  Json about{{"mode", "view"}, {"source", text}, {"version", SARTOR_VERSION}};
  if (const auto process = number_in<pid_t>(text); process && *process > 0) {
    auto source = std::make_unique<ProgramSource>(*process);
    const auto status = source->status();
    if (!status)
      return std::unexpected(status.error());
    if (const auto program = status->find("program"); program != status->end())
      about["source"] = *program;
    about["process"] = *process;
    return Subject{std::move(source), std::move(about)};
  }
  if (const auto log = LogFile::open(text); !log)
    return std::unexpected(log.error());
  return Subject{std::make_unique<LogSource>(text), std::move(about)};
}

remote::HttpAnswer events_answer(Source &source, std::string_view query) {
  constexpr std::string_view kAfter = "after=";
  const auto after = query.starts_with(kAfter)
                         ? number_in<std::uint64_t>(query.substr(kAfter.size()))
                         : std::nullopt;
  if (!after)
    return {400, "give after=NUMBER\n"};
  const auto events = source.events(*after);
  const std::string body = events ? "{" + *events + "}"
                                  : dump({{"error",
                                           {{"code", to_string(events.error().code)},
                                            {"subject", events.error().subject},
                                            {"message", events.error().message},
                                            {"remedy", events.error().remedy}}}});
  return {200, body, "application/json"};
}

} // namespace

ViewCommand::ViewCommand(CLI::App &app) {
  CLI::App *command =
      app.add_subcommand("view", "Serve a live page about a running program or an event log, to "
                                 "browsers on this machine.");
  command
      ->add_option("PID|LOG", subject_,
                   "The process of a program with a control socket, or an event log (./123 is a "
                   "file)")
      ->required();
  cli::add_example(*command, "sartor view events.jsonl");
}

Result<void> ViewCommand::run() const {
  const auto page = Page::read(Page::Connect::to_its_server);
  if (!page)
    return std::unexpected(page.error());
  const auto subject = subject_of(subject_);
  if (!subject)
    return std::unexpected(subject.error());
  const std::string html =
      page->head() + data_element("id=\"about\"", dump_for_html(subject->about)) + page->tail();
  WebServer server(
      [&](std::string_view path, std::string_view query) -> remote::HttpAnswer {
        if (path.empty())
          return {200, html, "text/html; charset=utf-8"};
        if (path == "events")
          return events_answer(*subject->source, query);
        return {404, "no such page\n"};
      },
      page->policy());
  if (auto listening = server.listen(); !listening)
    return listening;
  std::cout << server.url() << std::endl; // read by scripts while this runs
  server.run();
  return {};
}

} // namespace sartor::view
