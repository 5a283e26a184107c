// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/commands.h"

#include <algorithm>
#include <chrono>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <thread>
#include <utility>

// Before curses, whose macros change names.
#include "tools/cli/layout.h"
#include "tools/cli/live/top/watcher.h"
#include "tools/cli/usage.h"

#include <curses.h>
#include <unistd.h>

namespace sartor::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kKeys = "q quit  up/down select  o off/on  a all off/on  e explore  u unpin";

/// The terminal, which is restored at the end.
class Terminal {
public:
  Terminal() {
    (void)std::setlocale(LC_CTYPE, "");
    initscr();
    cbreak();
    noecho();
    keypad(stdscr, true);
    curs_set(0);
    if (has_colors()) {
      start_color();
      use_default_colors();
      init_pair(kOff, COLOR_RED, -1);
      init_pair(kHeading, COLOR_CYAN, -1);
    }
  }
  ~Terminal() { endwin(); }
  Terminal(const Terminal &) = delete;
  Terminal &operator=(const Terminal &) = delete;

  static void draw(const std::vector<Line> &lines, const std::string &message) {
    erase();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const auto look = look_of(lines[i].kind);
      attron(look);
      mvaddstr(static_cast<int>(i), 0, lines[i].text.c_str());
      attroff(look);
    }
    attron(A_DIM);
    mvaddnstr(LINES - 1, 0, message.c_str(), COLS - 1);
    attroff(A_DIM);
    refresh();
  }

private:
  static constexpr short kOff = 1;
  static constexpr short kHeading = 2;

  static attr_t look_of(Line::Kind kind) {
    switch (kind) {
    case Line::Kind::heading:
      return A_BOLD | static_cast<attr_t>(COLOR_PAIR(kHeading));
    case Line::Kind::off:
      return static_cast<attr_t>(COLOR_PAIR(kOff));
    case Line::Kind::selected:
      return A_REVERSE;
    case Line::Kind::plain:
      break;
    }
    return A_NORMAL;
  }
};

bool is_off(const Json &status, const std::string &handler) {
  for (const Json &runtime : status.at("runtimes"))
    for (const Json &each : runtime.at("handlers"))
      if (each.at("handler") == handler)
        return each.at("off").get<bool>();
  return false;
}

bool is_all_off(const Json &status) {
  return std::ranges::any_of(status.at("runtimes"), [](const Json &runtime) {
    return std::ranges::find(runtime.at("off"), "*") != runtime.at("off").end();
  });
}

/// The command that a key stands for; nothing if none does.
std::optional<Json> command_of(int key, const Json &status, std::size_t selected) {
  const std::string handler = handler_at(status, selected);
  switch (key) {
  case 'o':
    if (handler.empty())
      return std::nullopt;
    return Json{{"do", is_off(status, handler) ? "on" : "off"}, {"name", handler}};
  case 'a':
    return Json{{"do", is_all_off(status) ? "on" : "off"}, {"name", ""}};
  case 'e':
    return Json{{"do", "explore"}};
  case 'u':
    return Json{{"do", "unpin"}};
  default:
    return std::nullopt;
  }
}

Result<void> interact(Watcher &watcher, double interval) {
  const Terminal terminal;
  std::optional<Snapshot> before;
  std::size_t selected = 0;
  std::string message = kKeys;
  timeout(static_cast<int>(interval * 1000));
  for (;;) {
    auto now = watcher.look();
    if (!now)
      return std::unexpected(std::move(now.error()));
    for (bool waits = false; !waits;) {
      Terminal::draw(view(*now, before ? &*before : nullptr, static_cast<std::size_t>(COLS),
                          static_cast<std::size_t>(std::max(LINES - 1, 1)), selected),
                     message);
      const int key = getch();
      waits = key == ERR;
      message = kKeys;
      if (key == 'q')
        return {};
      if (key == KEY_UP && selected > 0)
        --selected;
      else if (key == KEY_DOWN && !handler_at(now->status, selected + 1).empty())
        ++selected;
      else if (const auto command = command_of(key, now->status, selected)) {
        if (auto done = watcher.connection().ask(*command); !done)
          message = done.error().text();
        break; // show the effect at once
      }
    }
    before = std::move(*now);
  }
}

} // namespace

TopCommand::TopCommand(CLI::App &app)
    : command_(app.add_subcommand("top", "Watch a running program: what is active, what it gained, "
                                         "guards, invalidations, events.")) {
  command_->add_option("PID", process_,
                       "A process that has a control socket (default: the only one)");
  command_->add_option("--interval", interval_, "Time between two looks, in seconds")
      ->check(CLI::Range(0.1, 3600.0))
      ->check(CLI::Validator(
          [](const std::string &text) { // no comparison with NaN is true
            return std::isnan(std::strtod(text.c_str(), nullptr)) ? "is no number" : "";
          },
          ""))
      ->capture_default_str();
  command_->add_flag("--once", once_, "Write what is seen within one interval, and end");
  add_example(*command_, "sartor top 4711");
}

Result<void> TopCommand::run() const {
  const auto process = Connection::find(process_);
  if (!process)
    return std::unexpected(process.error());
  auto watcher = Watcher::open(*process);
  if (!watcher)
    return std::unexpected(std::move(watcher.error()));
  if (!once_ && isatty(STDOUT_FILENO) == 1)
    return interact(*watcher, interval_);
  const auto before = watcher->look();
  if (!before)
    return std::unexpected(before.error());
  std::this_thread::sleep_for(std::chrono::duration<double>(interval_));
  const auto now = watcher->look();
  if (!now)
    return std::unexpected(now.error());
  for (const Line &line : view(*now, &*before, output_width(), 0, std::nullopt))
    std::cout << line.text.substr(0, line.text.find_last_not_of(' ') + 1) << '\n';
  return {};
}

} // namespace sartor::cli
