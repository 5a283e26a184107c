// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sartor-ld-plan: makes the image file of a program. It is started by sartor-ld when there is none,
// and by users who want to see the work of passes.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loader/lib/file/file_identity.h"
#include "loader/lib/format/planner_protocol.h"
#include "loader/lib/image/image_file.h"
#include "loader/lib/image/written_image.h"
#include "loader/lib/pass/fit.h"
#include "loader/lib/settings/settings.h"
#include "planner/cache_place.h"

namespace {

using namespace sartor;
using namespace sartor::loader;
using namespace sartor::loader::planner;
using sartor::planner::CachePlace;

struct Options {
  std::filesystem::path program;
  std::string key;
  std::filesystem::path output;
  std::optional<std::string> passes;
  std::optional<std::filesystem::path> config;
  bool strict = false;
  bool observable = false;
  bool report = false;
  bool for_front = false;
  bool waits = false;
  bool wary = false;
  bool again = false;
  bool judge = false;
  bool crashed = false;
  bool different = false;
};

void say(const Failure &failure) { std::cerr << "sartor-ld: " << failure.text() << '\n'; }

std::filesystem::path own_directory() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
}

void report(const Fitted &fitted) {
  for (const PassOutcome &outcome : fitted.outcomes)
    std::cout << outcome.name << ": " << (outcome.failure ? "failed" : "done") << '\n';
  for (const std::string &line : fitted.reports)
    std::cout << line << '\n';
  for (const Library &library : fitted.image.libraries)
    if (!library.memory)
      std::cout << library.path.string() << ": stays as it is: " << library.unmovable << '\n';
}

/// Sends the front one byte; it may no longer listen.
void send(char byte) { static_cast<void>(write(STDERR_FILENO, &byte, 1) == 1); }

/// Returns false if the front no longer waits for the planner's messages.
bool somebody_listens() {
  pollfd said{.fd = STDERR_FILENO, .events = 0, .revents = 0};
  return poll(&said, 1, 0) == 0;
}

/// Returns the front's command to plan the program again, in the order of the front's
/// add_settings().
std::vector<std::string> command_of(const Options &options) {
  std::vector<std::string> words{(own_directory() / "sartor-ld").string()};
  if (options.passes)
    words.push_back("--passes=" + *options.passes);
  if (options.config)
    words.push_back("--config=" + options.config->string());
  if (options.strict)
    words.emplace_back("--strict");
  if (options.observable)
    words.emplace_back("--observable");
  return words;
}

/// True if the existing image was made from the same files: then writing it again changes nothing.
bool has_same_files(const std::filesystem::path &path, const std::vector<KnownFile> &files) {
  const auto image = WrittenImage::read(path);
  return image && image->files().size() >= files.size() &&
         std::ranges::equal(files, std::span(image->files()).first(files.size()));
}

/// True if another process has planned the program since the front's check: an up-to-date image
/// that has just been written is not made again.
bool has_just_been_planned(const std::filesystem::path &path) {
  constexpr std::chrono::seconds just_now{2};
  struct stat status{};
  if (lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
      (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return false;
  const auto written = std::chrono::system_clock::from_time_t(status.st_mtim.tv_sec);
  const auto age = std::chrono::system_clock::now() - written;
  if (age < std::chrono::seconds{0} || age > just_now)
    return false;
  const auto image = WrittenImage::read(path);
  return image && image->is_current();
}

/// Plans one program.
class Planning {
public:
  explicit Planning(const Options &options)
      : options_(options), is_required_(options.strict || options.wary) {}

  int run();
  /// True if the program must start as planned, or may have to as long as its passes are unknown.
  [[nodiscard]] bool is_required() const { return is_required_; }

private:
  int plan(const Settings &settings, const Passes &passes);
  int write(Fitted fitted);
  /// Lets the stock loader start the program, or refuses it if a plan is required.
  int give_up(const Failure &failure, std::vector<KnownFile> files);
  [[nodiscard]] int judge_without_settings() const;
  int refuse(const Failure &failure) {
    say(failure);
    return is_refused;
  }

  const Options &options_;
  bool is_required_;
  Planned planned_;
  std::optional<CachePlace> place_;
};

int Planning::run() {
  const auto settings = read_settings({.files = standard_settings_files(),
                                       .application = options_.program,
                                       .config = options_.config,
                                       .passes = options_.passes,
                                       .strict = options_.strict,
                                       .observable = options_.observable});
  if (!settings) {
    say(settings.error());
    return judge_without_settings();
  }
  const std::filesystem::path own = own_directory().parent_path() / "lib" / "sartor" / "passes";
  const auto passes = load_passes(*settings, own);
  if (!passes)
    return refuse(passes.error());
  is_required_ = passes->is_required;
  if (options_.judge)
    return is_required_ ? is_refused : is_stock;
  if (options_.for_front)
    send(is_required_ ? judged_required : judged_free);
  planned_ = {.key = options_.key.empty() ? 0 : std::stoull(options_.key, nullptr, 16),
              .files = other_files(*settings, own),
              .is_required = is_required_,
              .again = command_of(options_)};
  return plan(*settings, *passes);
}

/// Decides without settings. An invalid configuration of the user does not disable passes that the
/// machine enforces; nor does an invalid one of the machine.
int Planning::judge_without_settings() const {
  std::vector<std::filesystem::path> machine = standard_settings_files();
  machine.resize(1);
  const auto settings = read_settings({.files = machine,
                                       .application = options_.program,
                                       .config = {},
                                       .passes = {},
                                       .strict = options_.strict});
  return !settings || settings->strict ? is_refused : is_stock;
}

int Planning::plan(const Settings &settings, const Passes &passes) {
  const std::vector<KnownFile> program{{options_.program, identity_of(options_.program)}};
  if (!options_.output.empty()) {
    auto place = CachePlace::open(options_.output);
    if (!place)
      return give_up(place.error(), program);
    place_.emplace(std::move(*place));
    const bool waits = options_.waits || is_required_;
    if (!place_->lock(planned_.key, waits))
      return waits ? is_written : is_busy;
    if (!options_.again && !options_.crashed && !options_.different &&
        has_just_been_planned(options_.output))
      return is_written;
    if (!place_->is_executable())
      return give_up({ErrorCode::file_error, options_.output.parent_path().string(),
                      "nothing may be executed from there: images cannot be used",
                      "have XDG_CACHE_HOME name another directory"},
                     program);
  }
  if (options_.crashed)
    return give_up({ErrorCode::file_error, options_.program.string(),
                    "planning it has crashed, or takes too long", "report it"},
                   program);
  auto fitted = fit(options_.program, settings, passes);
  if (!fitted)
    return fitted.error().code == ErrorCode::bad_pass ? refuse(fitted.error())
                                                      : give_up(fitted.error(), program);
  for (const PassOutcome &outcome : fitted->outcomes)
    if (outcome.failure)
      say(*outcome.failure);
  if (options_.different)
    return give_up({ErrorCode::bad_plan, options_.program.string(),
                    "has behaved differently when it was verified",
                    "report it; it is planned again once a file has changed"},
                   files_of(fitted->image));
  if (options_.report)
    report(*fitted);
  return place_ ? write(std::move(*fitted)) : is_written;
}

int Planning::write(Fitted fitted) {
  // If there can be no image, passes must still examine changed files again.
  std::vector<KnownFile> files = files_of(fitted.image);
  if (options_.again && has_same_files(options_.output, files))
    return give_up({ErrorCode::bad_plan, options_.program.string(),
                    "starts with other libraries than the stock loader has been seen to take", ""},
                   std::move(files));
  if (options_.for_front && !somebody_listens())
    for (const PassOutcome &outcome : fitted.outcomes)
      if (outcome.failure)
        planned_.untold += (planned_.untold.empty() ? "" : "; ") + outcome.failure->text();
  const auto written = write_image(std::move(fitted.image), planned_, options_.output);
  if (!written)
    return give_up(written.error(), std::move(files));
  place_->trim();
  return is_written;
}

int Planning::give_up(const Failure &failure, std::vector<KnownFile> files) {
  if (is_required_)
    return refuse({failure.code, failure.subject, failure.message,
                   "it is refused, since it must start as planned"});
  say(failure);
  if (!place_)
    return is_stock;
  // Failures that may disappear without a change of files are tried again.
  constexpr std::uint64_t some_time = 600;
  const bool may_pass = failure.code == ErrorCode::file_error || options_.again;
  const StockReason reason{.why = failure.text(),
                           .is_reported = !options_.for_front || somebody_listens(),
                           .lasts = may_pass ? some_time : 0};
  static_cast<void>(write_stock_image(files, planned_, reason, options_.output));
  return is_stock;
}

int run(const Options &options) {
  Planning planning(options);
  try {
    return planning.run();
  } catch (const std::bad_alloc &) {
    say({ErrorCode::bad_plan, options.program.string(),
         "planning it takes more memory than there is",
         "raise the limits of memory (ulimit -d, -v)"});
  } catch (const std::exception &error) {
    std::cerr << "sartor-ld: " << error.what() << '\n';
  }
  return planning.is_required() ? is_refused : is_stock;
}

/// Detaches the process from the program's resources. The front may stop waiting at any time, and
/// the process must end eventually.
void live_alone() {
  constexpr unsigned longest = 900; // seconds
  for (const int number : {SIGCHLD, SIGALRM, SIGTRAP})
    std::signal(number, SIG_DFL);
  for (const int number : {SIGPIPE, SIGXFSZ})
    std::signal(number, SIG_IGN);
  alarm(longest);
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Plans how a program's libraries are laid out and bound.", "sartor-ld-plan");
  Options options;
  app.add_option("--key", options.key, "Key of the image, in hexadecimal");
  app.add_option("--output", options.output, "Where the image goes; without, nothing is written");
  app.add_option("--passes", options.passes, "Run these passes, and no others");
  app.add_flag_callback("--no-passes", [&] { options.passes = ""; }, "Run none");
  app.add_option("--config", options.config, "An additional configuration file");
  app.add_flag("--strict", options.strict, "Refuse the program if a pass fails");
  app.add_flag("--observable", options.observable,
               "Leave unchanged code in the libraries' own files, for tracers");
  app.add_flag("--report", options.report, "Print a report of the passes");
  app.add_flag("--for-front", options.for_front, "Tell on standard error how it ends, too");
  app.add_flag("--wait", options.waits, "If another process plans it, wait for that one");
  app.add_flag("--wary", options.wary, "Refuse the program if its passes cannot be known");
  app.add_flag("--again", options.again,
               "Plan anew, because the existing image was found to be wrong");
  app.add_flag("--judge", options.judge, "Only say whether it must start as planned or not at all");
  app.add_flag("--different", options.different,
               "It has behaved differently than by the stock loader: have that start it");
  app.add_flag("--crashed", options.crashed, "Planning it has crashed: note that, and do nothing");
  app.add_option("program", options.program, "The program")->required();
  CLI11_PARSE(app, argc, argv);
  if (options.for_front)
    live_alone();
  const int end = run(options);
  if (options.for_front)
    send(status(end));
  return end;
}
