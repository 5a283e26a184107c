// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/view/commands.h"

#include <charconv>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <sys/types.h>

#include "base/text/json.h"
#include "tools/cli/usage.h"
#include "tools/view/event_lines.h"
#include "tools/view/log_file.h"
#include "tools/view/page.h"
#include "tools/view/server_metrics.h"
#include "tools/view/source.h"
#include "tools/view/variant_code.h"
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

/// Makes the code of variants, unless the program cannot be read.
using Code = std::optional<Result<VariantCode>>;

/// The source of the events, and what the page says of it.
struct Subject {
  std::unique_ptr<Source> source;
  Json about;
  std::string program; ///< The running program's file; empty for a log.
};

Result<Subject> subject_of(const std::string &text, const EventLines::Visit &visit) {
  Json about{{"mode", "view"}, {"source", text}, {"version", SARTOR_VERSION}};
  if (const auto process = number_in<pid_t>(text); process && *process > 0) {
    auto source = std::make_unique<ProgramSource>(*process, visit);
    const auto status = source->status();
    if (!status)
      return std::unexpected(status.error());
    if (const auto program = status->find("program"); program != status->end())
      about["source"] = *program;
    about["process"] = *process;
    // Not what the program says of itself.
    return Subject{std::move(source), std::move(about), "/proc/" + text + "/exe"};
  }
  if (const auto log = LogFile::open(text); !log)
    return std::unexpected(log.error());
  return Subject{std::make_unique<LogSource>(text, visit), std::move(about), ""};
}

Json json_of(const Failure &failure) {
  return {{"error",
           {{"code", to_string(failure.code)},
            {"subject", failure.subject},
            {"message", failure.message},
            {"remedy", failure.remedy}}}};
}

/// Decodes percent signs.
std::string decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = 0;
    const char *const digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      decoded.push_back(static_cast<char>(byte));
      i += 2;
    } else {
      decoded.push_back(text[i]);
    }
  }
  return decoded;
}

/// Answers with the code of variants that an event has named.
remote::HttpAnswer code_answer(const Code &code, std::string_view query) {
  constexpr std::string_view kText = "text=";
  if (!query.starts_with(kText))
    return {400, "give text=CONFIGURATION\n"};
  if (!code)
    return {404, "no such page\n"};
  const Json json =
      *code ? (*code)->json(decoded(query.substr(kText.size()))) : json_of(code->error());
  return {200, dump(json), "application/json"};
}

remote::HttpAnswer events_answer(Source &source, std::string_view query) {
  constexpr std::string_view kAfter = "after=";
  const auto after = query.starts_with(kAfter)
                         ? number_in<std::uint64_t>(query.substr(kAfter.size()))
                         : std::nullopt;
  if (!after)
    return {400, "give after=NUMBER\n"};
  const auto events = source.events(*after);
  const std::string body = events ? "{" + *events + "}" : dump(json_of(events.error()));
  return {200, body, "application/json"};
}

} // namespace

ViewCommand::ViewCommand(CLI::App &app) {
  CLI::App *command =
      app.add_subcommand("view", "Serve a live page about a running program or an event log, to "
                                 "browsers on this machine.");
  command->add_option("PID|LOG", subject_,
                      "The process of a program with a control socket, or an event log (./123 is a "
                      "file)");
  command->add_option("--program", program_,
                      "The program that writes the log: adds code and source of its variants. Of a "
                      "process, it is the file that it runs, unless a library has the handlers");
  cli::add_example(*command, "sartor view events.jsonl --program ./program");
  server_ = command->add_subcommand("server", "Serve a live page about a specialization server: "
                                              "its clients, requests and compilers.");
  server_
      ->add_option("ADDRESS", address_,
                   "HOST:PORT, or PORT of this machine, as sartor-server --metrics has it")
      ->required();
  cli::add_example(*server_, "sartor view server 9464");
  command->callback([this] {
    if (subject_.empty() && !server_->parsed())
      throw CLI::RequiredError("PID|LOG");
  });
}

namespace {

/// Serves a page until it is interrupted.
Result<void> serve(const Page &page, const Json &about, WebServer::Get get) {
  const std::string html =
      page.head() + data_element("id=\"about\"", dump_for_html(about)) + page.tail();
  WebServer server(
      [&](std::string_view path, std::string_view query) -> remote::HttpAnswer {
        if (path.empty())
          return {200, html, "text/html; charset=utf-8"};
        return get(path, query);
      },
      page.policy());
  if (auto listening = server.listen(); !listening)
    return listening;
  std::cout << server.url() << std::endl; // read by scripts while this runs
  server.run();
  return {};
}

} // namespace

Result<void> ViewCommand::run_for_server() const {
  const auto metrics = ServerMetrics::at(address_);
  if (!metrics)
    return std::unexpected(metrics.error());
  const auto page = Page::read(Page::Connect::to_its_server);
  if (!page)
    return std::unexpected(page.error());
  if (const auto first = metrics->read(); !first)
    return std::unexpected(first.error());
  return serve(*page,
               {{"mode", "server"}, {"source", metrics->name()}, {"version", SARTOR_VERSION}},
               [&](std::string_view path, std::string_view) -> remote::HttpAnswer {
                 if (path != "server")
                   return {404, "no such page\n"};
                 const auto read = metrics->read();
                 return {200, dump(read ? *read : json_of(read.error())), "application/json"};
               });
}

Result<void> ViewCommand::run() const {
  if (server_->parsed())
    return run_for_server();
  const auto page = Page::read(Page::Connect::to_its_server);
  if (!page)
    return std::unexpected(page.error());
  Code code;
  auto subject = subject_of(subject_, [&](const Json &event) {
    if (code && *code)
      (*code)->note(event);
  });
  if (!subject)
    return std::unexpected(subject.error());
  if (const std::string &program = program_.empty() ? subject->program : program_; !program.empty())
    code = VariantCode::of(program);
  if (!program_.empty() && !*code)
    return std::unexpected(code->error());
  subject->about["code"] = code.has_value();
  return serve(*page, subject->about,
               [&](std::string_view path, std::string_view query) -> remote::HttpAnswer {
                 if (path == "events")
                   return events_answer(*subject->source, query);
                 if (path == "code")
                   return code_answer(code, query);
                 return {404, "no such page\n"};
               });
}

} // namespace sartor::view
