// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_LD_H
#define SARTOR_BENCH_LD_H

#include <filesystem>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <sched.h>
#include <sys/types.h>

#include "harness.h"

namespace sartor::bench {

using Words = std::vector<std::string>;

/// A way to start a program.
struct Way {
  std::string name;
  std::optional<std::string> passes; ///< Passes of sartor-ld; empty optional: the stock loader.

  /// Returns the command line that starts `program` this way.
  [[nodiscard]] Words command(const Words &program) const;
};
inline const Way kStock{"stock", std::nullopt};
inline const Way kNone{"none", ""};
inline const Way kBind{"bind", "bind"};
inline const Way kConcat{"concat", "concat"};
inline const Way kBoth{"both", "bind,concat,settle"}; ///< The default passes.

/// A private directory below /tmp with a short name, removed at the end. During the object's
/// lifetime, plans are cached in it.
class Place {
public:
  Place();
  ~Place();
  Place(const Place &) = delete;
  Place &operator=(const Place &) = delete;

  [[nodiscard]] const std::filesystem::path &path() const { return path_; }
  [[nodiscard]] std::string file(const std::string &name) const { return path_ / name; }
  void write(const std::string &name, const std::string &text) const;
  /// Deletes all cached plans.
  void forget_plans() const;

private:
  std::filesystem::path path_;
};

/// Input and output of a process; empty: /dev/null.
struct Streams {
  std::string input{};
  std::string output{};
};
struct Spent {
  double wall = 0; ///< Milliseconds from the start of the process until its end is known.
  double cpu = 0;  ///< Milliseconds of CPU time of the process and the children that it has waited
                   ///< for.
  int status = 0;
};

/// During its lifetime, processes that this thread starts run on one processor, which is the same
/// for all threads.
class OnOneProcessor {
public:
  OnOneProcessor();
  ~OnOneProcessor();
  OnOneProcessor(const OnOneProcessor &) = delete;
  OnOneProcessor &operator=(const OnOneProcessor &) = delete;

private:
  cpu_set_t before_{};
};

/// Starts a program, which is looked up in PATH. Throws std::runtime_error if it cannot be started.
pid_t start(const Words &command, const Streams &streams = {});
/// Waits for the end of a process; Spent::wall is not set.
Spent wait_for(pid_t process);
/// Runs a program to its end. Throws std::runtime_error if it fails.
Spent run(const Words &command, const Streams &streams = {});
/// Returns the output of a program.
std::string output_of(const Place &place, const Words &command);
bool is_there(const std::string &program);
/// Copies the source of Lua to a directory, and returns the command that builds it with a compiler,
/// without the targets. Throws std::runtime_error if something is missing.
Words make_of_lua(const std::filesystem::path &directory, const std::string &compiler);
/// Returns the path of a program in this program's directory.
std::string beside_this(const std::string &name);
/// Returns the directory of a Debian package's source, which is fetched if it is not there yet.
/// Throws std::runtime_error if that fails.
std::filesystem::path source_of(const std::string &package);

/// Returns the number of rounds: `usual`, or the value of the variable BENCH_ROUNDS, for quick
/// tests of a benchmark.
std::size_t rounds(std::size_t usual);

/// Takes one sample of each function in each round, in another random order each time. A first
/// round is run and not counted.
std::vector<Samples> interleave_samples(const std::vector<std::function<double()>> &alternatives,
                                        std::size_t rounds);

/// Takes one sample of each function in each round, all of a round at the same time, each on a
/// thread of its own. A first round is run and not counted.
std::vector<Samples> simultaneous_samples(const std::vector<std::function<double()>> &alternatives,
                                          std::size_t rounds, std::mt19937_64 &random);

} // namespace sartor::bench

#endif
