// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/view/commands.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>

#include <nlohmann/json.hpp>

#include "tools/cli/usage.h"
#include "tools/view/event_lines.h"
#include "tools/view/log_file.h"
#include "tools/view/page.h"
#include "tools/view/variant_code.h"

namespace sartor::view {

namespace {

/// A new file, which is removed unless it is kept.
class NewFile {
public:
  /// Fails with file_error, also if the file exists.
  static Result<NewFile> create(const std::string &path) {
    std::FILE *const file = std::fopen(path.c_str(), "wxe");
    if (file)
      return NewFile(path, file);
    return std::unexpected(
        Failure{ErrorCode::file_error, path, "cannot be created: " + error_text(),
                errno == EEXIST ? "remove it, or give another name with --output"
                                : "give a name that can be written with --output"});
  }
  NewFile(NewFile &&) = default;
  NewFile &operator=(NewFile &&) = delete;
  ~NewFile() {
    if (file_)
      std::remove(path_.c_str());
  }

  void write(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size())
      failed_ = true;
  }
  Result<void> keep() {
    if (failed_ || std::fflush(file_.get()) != 0)
      return std::unexpected(Failure{ErrorCode::file_error, path_,
                                     "cannot be written: " + error_text(),
                                     "see whether the disk is full"});
    file_.reset();
    return {};
  }

private:
  struct Close {
    void operator()(std::FILE *file) const { std::fclose(file); }
  };

  NewFile(std::string path, std::FILE *file) : path_(std::move(path)), file_(file) {}
  static std::string error_text() { return std::strerror(errno); }

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  bool failed_ = false;
};

std::string now() {
  const std::time_t time = std::time(nullptr);
  std::tm local{};
  localtime_r(&time, &local);
  char text[32];
  return {text, std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &local)};
}

} // namespace

ReportCommand::ReportCommand(CLI::App &app) {
  CLI::App *command =
      app.add_subcommand("report", "Write a page about an event log, which works offline.");
  command->add_option("LOG", log_, "An event log: the file that SARTOR_EVENT_LOG has named")
      ->required();
  command->add_option("-o,--output", output_, "The page, a new file")->capture_default_str();
  command->add_option("--program", program_,
                      "The program that wrote the log: adds code and source of its variants");
  cli::add_example(*command, "sartor report events.jsonl -o report.html --program ./program");
}

Result<void> ReportCommand::run() const {
  const auto page = Page::read(Page::Connect::to_no_one);
  if (!page)
    return std::unexpected(page.error());
  const auto log = LogFile::open(log_);
  if (!log)
    return std::unexpected(log.error());
  std::optional<VariantCode> code;
  if (!program_.empty()) {
    auto read = VariantCode::of(program_);
    if (!read)
      return std::unexpected(std::move(read.error()));
    code.emplace(std::move(*read));
  }
  auto file = NewFile::create(output_);
  if (!file)
    return std::unexpected(std::move(file.error()));
  file->write(page->head());
  file->write(data_element(
      "id=\"about\"",
      dump_for_html(
          {{"mode", "report"}, {"source", log_}, {"version", SARTOR_VERSION}, {"made", now()}})));
  EventLines lines([&](const nlohmann::ordered_json &event) {
    if (code)
      code->note(event);
  });
  for (std::uint64_t offset = 0;;) {
    const auto next = log->read(offset, LogFile::LastLine::taken, lines);
    if (!next)
      return std::unexpected(next.error());
    if (*next == offset)
      break;
    offset = *next;
    file->write(data_element("class=\"events\"", "{" + lines.take() + "}"));
  }
  if (lines.events() == 0 && lines.damaged() > 0)
    return std::unexpected(
        Failure{ErrorCode::bad_json, log_,
                "none of its " + std::to_string(lines.damaged()) + " lines is an event",
                "give the file that SARTOR_EVENT_LOG or Options::event_log "
                "named"});
  if (code)
    file->write(data_element("id=\"code\"", dump_for_html(code->json())));
  file->write(page->tail());
  if (auto kept = file->keep(); !kept)
    return kept;
  std::cout << output_ << ": " << lines.events() << (lines.events() == 1 ? " event" : " events");
  if (lines.damaged() > 0)
    std::cout << ", " << lines.damaged()
              << (lines.damaged() == 1 ? " damaged line" : " damaged lines");
  std::cout << '\n';
  return {};
}

} // namespace sartor::view
