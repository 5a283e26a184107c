// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures the gain of programs by sartor-ld: the CPU time (user and system, as the kernel
/// counts it) of a program for fixed work, started by the stock loader and by sartor-ld.
///
/// The runs of a round share one processor, in the scheduler's time slices of some milliseconds, so
/// that longer disturbances slow all of them down equally. Runs of one program immediately after
/// one another differ by more than sartor-ld changes.
///
/// Plans are cached, but made again a few times, because the physical position of a plan's pages
/// has an effect of its own.

#include <algorithm>
#include <cstdio>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <signal.h>
#include <unistd.h>

#include "ld.h"
#include "paths.h"

namespace sartor::bench {

const char *const bench_name = "ld-apps";

namespace {

/// A program with fixed work.
struct App {
  std::string name;
  /// Does the work, with the program started that way; returns its CPU time.
  std::function<double(const Way &)> cpu_milliseconds;
};

const std::string kLua = R"text(
for i = 1, 60000 do redis.call('hset', 'h' .. i % 100, 'f' .. i % 50, i) end
return redis.call('hlen', 'h1')
)text";

std::string text_of(std::size_t lines) {
  std::string text;
  std::size_t state = 1;
  for (std::size_t i = 0; i < lines; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    text += std::to_string((state >> 33) % 5003) + " some words in line " + std::to_string(i) +
            (state >> 60 == 0 ? " and more\n" : "\n");
  }
  return text;
}

/// Returns a stream for git fast-import: many small changes of some files.
std::string history() {
  std::string stream;
  for (std::size_t commit = 0; commit < 2000; ++commit) {
    std::string content = text_of(200 + commit % 200);
    content.insert(content.size() / 2, "changed by " + std::to_string(commit) + "\n");
    stream += "commit refs/heads/main\ncommitter A <a@example.org> " +
              std::to_string(1577836800 + commit) + " +0000\ndata 7\nchange\n\n";
    stream += "M 100644 inline file" + std::to_string(commit % 20) + "\ndata " +
              std::to_string(content.size()) + "\n" + content + "\n";
  }
  return stream;
}

App runs(std::string name, Words command, const std::string &input = {}) {
  return {std::move(name), [command = std::move(command), input](const Way &way) {
            const OnOneProcessor together;
            return run(way.command(command), {.input = input}).cpu;
          }};
}

/// Measures the server's time for two clients: many small requests, and a script.
double serve(const Place &place, const Way &way) {
  const std::string socket = place.file("redis-" + way.name + ".sock");
  const pid_t server = [&] {
    const OnOneProcessor together;
    return start(way.command({"redis-server", "--port", "0", "--unixsocket", socket, "--dir",
                              place.path(), "--save", "", "--appendonly", "no"}));
  }();
  try {
    for (int i = 0; wait_for(start({"redis-cli", "-s", socket, "ping"})).status != 0; ++i) {
      if (i == 500)
        throw std::runtime_error("redis-server does not answer");
      usleep(10'000);
    }
    run({"redis-benchmark", "-s", socket, "-q", "-n", "60000", "-r", "10000", "-P", "8", "-c", "10",
         "-t", "set,get,lpush,sadd,hset,zadd"});
    run({"redis-cli", "-s", socket, "eval", kLua, "0"});
    wait_for(start({"redis-cli", "-s", socket, "shutdown", "nosave"}));
    const Spent spent = wait_for(server);
    if (spent.status != 0)
      throw std::runtime_error("redis-server has failed");
    return spent.cpu;
  } catch (...) {
    kill(server, SIGKILL);
    wait_for(server);
    throw;
  }
}

/// Returns the path of a work file, the same for all programs that are compared.
std::string work(const std::string &name) { return paths::bench_ld_apps() + "/" + name; }

bool has_numpy() {
  const bool is_there =
      wait_for(start({"/usr/bin/python3", "-E", "-s", "-c", "import numpy"})).status == 0;
  if (!is_there)
    std::puts("numpy: is not there");
  return is_there;
}

/// Adds clang with a file of Lua, and LLVM's optimizer with several files at once.
template <class Add> void add_compiler(const Place &place, const Add &add) {
  std::string lua;
  try {
    lua = source_of("lua5.4") / "src";
  } catch (const std::runtime_error &error) {
    std::printf("clang, opt: %s\n", error.what());
    return;
  }
  add("clang-22", runs("clang", {"clang-22", "-O2", "-c", lua + "/lvm.c", "-o", "/dev/null"}));
  std::string all;
  for (const char *const file :
       {"lprefix.h", "llex.c", "lcode.c", "lparser.c", "ltable.c", "lvm.c"})
    all += std::string("#include \"") + file + "\"\n";
  place.write("lua.c", all);
  if (is_there("clang-22"))
    run({"clang-22", "-I", lua, "-O1", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c",
         place.file("lua.c"), "-o", place.file("lua.bc")});
  add("opt-22", runs("opt", {"opt-22", "-O2", "-disable-output", place.file("lua.bc")}));
}

/// Returns the apps whose programs are installed; their input is written into `place`, which must
/// outlive them.
std::vector<App> prepare_apps(const Place &place) {
  std::vector<App> apps;
  const auto add = [&](const std::string &program, App app) {
    if (is_there(program))
      apps.push_back(std::move(app));
    else
      std::printf("%s: is not there\n", program.c_str());
  };

  add("sqlite3", runs("sqlite3", {"sqlite3", ":memory:"}, work("work.sql")));
  add("/usr/bin/python3", runs("python3", {"/usr/bin/python3", "-S", "-E", "-I", work("work.py")}));

  if (is_there("redis-cli") && is_there("redis-benchmark"))
    add("redis-server", {"redis", [&](const Way &way) { return serve(place, way); }});

  const std::string text = text_of(900'000);
  place.write("text", text);
  place.write("text3", text + text + text);
  add("zstd", runs("zstd", {"zstd", "-q", "-6", "-c", "--single-thread", place.file("text")}));
  // Encrypts to lines of text (base64), through a chain of filters.
  add("openssl", runs("openssl", {"openssl", "enc", "-aes-256-cbc", "-a", "-pbkdf2", "-pass",
                                  "pass:word", "-in", place.file("text3")}));

  if (is_there("git")) {
    const std::string repository = place.file("repository");
    place.write("history", history());
    run({"git", "init", "-q", "--bare", "-b", "main", repository});
    run({"git", "-C", repository, "fast-import", "--quiet"}, {.input = place.file("history")});
    add("git", runs("git", {"git", "-C", repository, "log", "--stat", "-p", "main"}));
  }

  add("/usr/bin/perl", runs("perl", {"/usr/bin/perl", work("work.pl")}));
  add("ruby", runs("ruby", {"ruby", "--disable-gems", work("work.rb")}));
  add("php", runs("php", {"php", "-n", "-d", "memory_limit=-1", work("work.php")}));
  if (has_numpy())
    add("/usr/bin/python3", runs("numpy", {"/usr/bin/python3", "-E", "-s", work("arrays.py")}));
  add("ffmpeg", runs("ffmpeg", {"ffmpeg",   "-nostdin",
                                "-f",       "lavfi",
                                "-i",       "testsrc2=size=640x360:rate=25:duration=6",
                                "-f",       "lavfi",
                                "-i",       "sine=duration=6",
                                "-c:v",     "libx264",
                                "-preset",  "veryfast",
                                "-c:a",     "aac",
                                "-threads", "1",
                                "-f",       "null",
                                "-"}));
  add_compiler(place, add);
  return apps;
}

constexpr std::size_t kPlans = 4;

} // namespace

std::vector<Figure> measure() {
  const Place place;
  const std::vector<Way> ways{kStock, kNone, kBoth};
  std::vector<Figure> figures;
  std::vector<Samples> gains;
  std::vector<Figure> rest;
  std::mt19937_64 random(3); // NOLINT(*-random-generator-seed): runs can be repeated
  for (const App &app : prepare_apps(place)) {
    std::vector<std::function<double()>> alternatives;
    for (const Way &way : ways)
      alternatives.emplace_back([&, way] { return app.cpu_milliseconds(way); });
    const std::size_t rounds_each = std::max<std::size_t>(1, rounds(32) / kPlans);
    std::vector<Samples> times(ways.size());
    for (std::size_t plan = 0; plan < kPlans; ++plan) {
      place.forget_plans();
      const auto more = simultaneous_samples(alternatives, rounds_each, random);
      for (std::size_t i = 0; i < times.size(); ++i)
        times[i].insert(times[i].end(), more[i].begin(), more[i].end());
    }
    gains.push_back(ratios(times[0], times[2]));
    figures.push_back({.name = "stock_over_both_" + app.name,
                       .unit = "ratio",
                       .measured = ratio(times[0], times[2]),
                       .goal = at_least(0.995)});
    rest.push_back({.name = "stock_over_none_" + app.name,
                    .unit = "ratio",
                    .measured = ratio(times[0], times[1])});
    rest.push_back({.name = "stock_ms_" + app.name, .unit = "ms", .measured = median(times[0])});
  }
  figures.insert(figures.begin(), {.name = "stock_over_both_mean",
                                   .unit = "ratio",
                                   .measured = over_all(gains, geometric_mean),
                                   .goal = at_least(1.04),
                                   .paper = 1.037});
  figures.insert(figures.begin() + 1,
                 {.name = "stock_over_both_max",
                  .unit = "ratio",
                  .measured = over_all(gains,
                                       [](const std::vector<double> &values) {
                                         return *std::ranges::max_element(values);
                                       }),
                  .paper = 1.18});
  figures.insert(figures.end(), rest.begin(), rest.end());
  return figures;
}

} // namespace sartor::bench
