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

/// How a program is started.
struct Way {
  std::string name;
  std::optional<std::string> passes; ///< Of sartor-ld; nothing: by the stock loader.

  /// The command line that starts `program` this way.
  [[nodiscard]] Words command(const Words &program) const;
};
inline const Way kStock{"stock", std::nullopt};
inline const Way kNone{"none", ""};
inline const Way kBind{"bind", "bind"};
inline const Way kConcat{"concat", "concat"};
inline const Way kBoth{"both", "bind,concat,settle"}; ///< As without a configuration.

/// A directory of our own below /tmp, with a short name. Gone at the end. While it is there, plans
/// are kept in it.
class Place {
public:
  Place();
  ~Place();
  Place(const Place &) = delete;
  Place &operator=(const Place &) = delete;

  [[nodiscard]] const std::filesystem::path &path() const { return path_; }
  [[nodiscard]] std::string file(const std::string &name) const { return path_ / name; }
  void write(const std::string &name, const std::string &text) const;
  /// From now on, no plan is there.
  void forget_plans() const;

private:
  std::filesystem::path path_;
};

/// Where a process reads and writes; empty: nowhere.
struct Streams {
  std::string input{};
  std::string output{};
};
struct Spent {
  double wall = 0; ///< Milliseconds from the start of the process until its end is known.
  double cpu = 0;  ///< Milliseconds of the process and the children it has waited for.
  int status = 0;
};

/// While it is there, what this thread starts runs on one processor, the same for all threads.
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
/// Waits for its end; of Spent, `wall` is not known.
Spent wait_for(pid_t process);
/// Runs a program to its end. Throws std::runtime_error if that is not a good one.
Spent run(const Words &command, const Streams &streams = {});
/// What it writes.
std::string output_of(const Place &place, const Words &command);
bool is_there(const std::string &program);
/// Copies the source of Lua there, and gives the words by which a compiler builds it, all but the
/// targets. Throws std::runtime_error where something is missing.
Words make_of_lua(const std::filesystem::path &directory, const std::string &compiler);
/// The path of a program that is built beside this one.
std::string beside_this(const std::string &name);
/// Where the source of one of Debian's packages is. It is fetched if it is not there yet. Throws
/// std::runtime_error if it cannot be.
std::filesystem::path source_of(const std::string &package);

/// How many rounds there are: `usual`, or as many as the variable BENCH_ROUNDS says, which is to
/// see that a bench works.
std::size_t rounds(std::size_t usual);

/// Takes one sample by each function in each round, in another random order each time. One round
/// more is run first and not counted.
std::vector<Samples> interleave_samples(const std::vector<std::function<double()>> &alternatives,
                                        std::size_t rounds);

/// Takes one sample by each function in each round, all of a round at the same time, each by a
/// thread of its own. One round more is run first and not counted.
std::vector<Samples> simultaneous_samples(const std::vector<std::function<double()>> &alternatives,
                                          std::size_t rounds, std::mt19937_64 &random);

} // namespace sartor::bench

#endif
