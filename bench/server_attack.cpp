// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file A client of a server, or a peer without a key, that tries to exhaust resources of other
/// clients at a modest rate. bench_server starts it: ATTACK PORT KEY. It prints a line when it has
/// begun, and continues until it is killed.

#include <chrono>
#include <cstdio>
#include <cstring>
#include <deque>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "../test/server/limits/over_tls.h"
#include "base/build_stamp.h"
#include "base/hash.h"
#include "core/image/processor.h"
#include "core/space/stored_module.h"
#include "paths.h"
#include "remote/protocol/message.h"

namespace {

using namespace sartor;
using namespace std::chrono_literals;
using remote::always;
using remote::Kind;
using server::OverTls;

constexpr std::size_t kMebibyte = 1U << 20;

struct Target {
  int port;
  std::string key;
};

remote::Hello hello() {
  const auto levels = core::levels_of_this_processor();
  return {
      remote::kProtocol, base::kBuildStamp, core::this_processor(), {levels.begin(), levels.end()}};
}

std::string announcement(std::size_t bytes, Kind kind) {
  const auto length = static_cast<std::uint32_t>(bytes);
  std::string text(sizeof length, '\0');
  std::memcpy(text.data(), &length, sizeof length);
  return text + static_cast<char>(kind);
}

/// A connection. Its users retry failed operations.
class Line {
public:
  explicit Line(const Target &target) {
    auto stream = std::make_unique<OverTls>(target.port, target.key);
    stream_ = stream.get();
    channel_ = std::make_unique<remote::Channel>(std::move(stream), std::size_t{1} << 30);
  }

  void say(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent = stream_->write(bytes, 0ms);
      if (!sent)
        return;
      bytes.remove_prefix(*sent);
    }
  }
  void ask(Kind kind, std::string_view body) { (void)channel_->send(kind, body, always); }
  std::string ask_and_hear(Kind kind, std::string_view body) {
    ask(kind, body);
    auto answer = channel_->receive(always);
    return answer && *answer ? std::move((*answer)->body) : std::string();
  }
  Line &greet() {
    ask_and_hear(Kind::hello, to_bytes(hello()));
    return *this;
  }
  /// Loads a module and registers it for requests.
  core::HandlerModule open(const std::string &name, const std::string &file) {
    std::ifstream input(file, std::ios::binary);
    const std::string content(std::istreambuf_iterator<char>(input), {});
    std::string packed = ask_and_hear(Kind::load_file, to_bytes(remote::ModuleFile{name, content}));
    packed.resize(packed.size() - std::min(packed.size(), sizeof(base::Signature)));
    ask_and_hear(Kind::use_module, base::to_text(base::hash_of({packed})));
    ask_and_hear(Kind::give_module, packed);
    return core::unpack_module(packed).value_or(core::HandlerModule());
  }

private:
  OverTls *stream_;
  std::unique_ptr<remote::Channel> channel_;
};

void begun() {
  std::puts("begun");
  std::fflush(stdout);
}

void announcements(const Target &target) {
  std::vector<Line> lines;
  for (int i = 0; i < 40; ++i) {
    lines.emplace_back(target).greet();
    lines.back().say(announcement(64 * kMebibyte, Kind::load_file));
  }
  begun();
  for (;;)
    for (Line &line : lines) {
      line.say("x");
      std::this_thread::sleep_for(5ms);
    }
}

void without_keys(const Target &target) {
  std::deque<int> sockets;
  for (int i = 0;; ++i) {
    sockets.push_back(server::connect_to_port(target.port));
    const std::string_view part = i % 2 == 0 ? "" : "\x16\x03\x01";
    (void)::send(sockets.back(), part.data(), part.size(), MSG_NOSIGNAL);
    if (sockets.size() > 1000) {
      close(sockets.front());
      sockets.pop_front();
    }
    if (i == 500)
      begun();
    std::this_thread::sleep_for(3ms);
  }
}

/// Requests compiles, each of which is new and takes long.
void compiles(const Target &target) {
  const auto work = [&](std::uint64_t first) {
    Line line(target);
    line.greet().open("compiles", paths::server_load_module());
    for (std::uint64_t n = first;; n += 2) {
      remote::DraftOrder order;
      order.handler = "bench_product";
      order.symbol = "variant";
      order.configuration = {{"N", 64 * n}, {"B", 16}};
      order.at_once = true;
      order.purpose.pipeline.passes = "default<O3>";
      for (int i = 0; i < 20; ++i)
        order.purpose.pipeline.passes += ",default<O3>";
      line.ask_and_hear(Kind::draft, to_bytes(order));
      std::this_thread::sleep_for(10ms);
    }
  };
  std::thread other(work, 1001);
  begun();
  work(1000);
}

void modules(const Target &target) {
  std::vector<Line> lines;
  for (std::uint64_t i = 0;; ++i) {
    std::string module(30 * kMebibyte, 'm');
    std::memcpy(module.data(), &i, sizeof i);
    if (lines.size() >= 10)
      lines.erase(lines.begin());
    Line &line = lines.emplace_back(target).greet();
    line.ask_and_hear(Kind::use_module, base::to_text(base::hash_of({module})));
    line.ask_and_hear(Kind::give_module, module);
    if (i == 3)
      begun();
    std::this_thread::sleep_for(300ms);
  }
}

void greetings(const Target &target) {
  for (int i = 0;; ++i) {
    auto mine = hello();
    mine.processor = "processor " + std::to_string(i);
    mine.levels.push_back(std::string((i % 2 == 0 ? 60U << 10 : 30 * kMebibyte), 'x'));
    Line(target).ask_and_hear(Kind::hello, to_bytes(mine));
    if (i == 3)
      begun();
    std::this_thread::sleep_for(100ms);
  }
}

/// Requests large answers. `reads`: the answers are read.
void answers(const Target &target, bool reads) {
  std::ifstream input(paths::server_large_module(), std::ios::binary);
  const std::string content(std::istreambuf_iterator<char>(input), {});
  std::deque<Line> lines;
  for (int i = 0;; ++i) {
    if (lines.size() >= (reads ? 1U : 60U))
      lines.pop_front();
    Line &line = lines.emplace_back(target).greet();
    const std::string question =
        to_bytes(remote::ModuleFile{"answers " + std::to_string(i), content});
    if (reads)
      line.ask_and_hear(Kind::load_file, question);
    else
      line.ask(Kind::load_file, question);
    if (i == 3)
      begun();
    std::this_thread::sleep_for(200ms);
  }
}

/// Sends long requests, which are refused after they were read.
void drafts(const Target &target) {
  remote::DraftOrder large;
  large.memory.emplace();
  auto &symbols = large.memory->symbols;
  for (std::uint64_t i = 0; i < 2'000'000; ++i)
    symbols.emplace_hint(symbols.end(), std::to_string(10'000'000 + i), i);
  const std::string question = to_bytes(large);
  begun();
  for (;;) {
    Line(target).greet().ask_and_hear(Kind::draft, question);
    std::this_thread::sleep_for(500ms);
  }
}

} // namespace

int main(int count, char **words) {
  if (count != 4)
    return 2;
  const Target target{std::stoi(words[2]), words[3]};
  const std::map<std::string_view, std::function<void()>> attacks{
      {"announcements", [&] { announcements(target); }},
      {"without_keys", [&] { without_keys(target); }},
      {"compiles", [&] { compiles(target); }},
      {"modules", [&] { modules(target); }},
      {"greetings", [&] { greetings(target); }},
      {"answers", [&] { answers(target, true); }},
      {"unread_answers", [&] { answers(target, false); }},
      {"drafts", [&] { drafts(target); }},
  };
  attacks.at(words[1])();
}
