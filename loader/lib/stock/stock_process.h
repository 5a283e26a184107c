// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_STOCK_STOCK_PROCESS_H
#define SARTOR_LOADER_LIB_STOCK_STOCK_PROCESS_H

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "base/result.h"

namespace sartor::loader {

/// A library as the stock loader has placed it.
struct Placed {
  std::string path; ///< Empty for the program.
  std::uint64_t base;
};

/// A program that the stock loader has laid out and bound, and that is stopped before any of its
/// code runs except resolvers of indirect functions. It is killed when this object is destroyed.
class StockProcess {
public:
  /// Starts the program in this process's environment, with `preload` first in LD_PRELOAD. All
  /// symbols are bound at once, unless some are undefined. Fails with bad_plan if the stock loader
  /// does not start the program or tracing is not permitted.
  static Result<StockProcess> start(const std::filesystem::path &program,
                                    const std::string &preload = {});
  StockProcess(StockProcess &&other) noexcept
      : process_(std::exchange(other.process_, 0)), started_(other.started_),
        libraries_(std::move(other.libraries_)), loader_(std::move(other.loader_)) {}
  StockProcess &operator=(StockProcess &&) = delete;
  ~StockProcess();

  /// Returns the program, then the libraries in symbol search order.
  [[nodiscard]] const std::vector<Placed> &libraries() const { return libraries_; }
  /// Returns the path of the stock loader that the program requests, without links.
  [[nodiscard]] const std::filesystem::path &loader() const { return loader_; }
  /// Returns the time before the start, in nanoseconds since the epoch.
  [[nodiscard]] std::uint64_t started() const { return started_; }
  /// Returns the paths of all files that the process has mapped, without links. A file that has
  /// been deleted or replaced has another one.
  [[nodiscard]] std::set<std::string> mapped_files() const;
  /// Returns a word of the process's memory; nothing if there is none at the address.
  [[nodiscard]] std::optional<std::uint64_t> word(std::uint64_t address) const;

private:
  StockProcess(pid_t process, std::uint64_t started) : process_(process), started_(started) {}
  Result<void> run_until_bound(const std::filesystem::path &program);
  Result<void> list_libraries(std::uint64_t debug);

  pid_t process_;
  std::uint64_t started_;
  std::vector<Placed> libraries_;
  std::filesystem::path loader_;
};

} // namespace sartor::loader

#endif
