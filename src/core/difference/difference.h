// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_DIFFERENCE_DIFFERENCE_H
#define SARTOR_CORE_DIFFERENCE_DIFFERENCE_H

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/compiler/checked_call.h"
#include "core/compiler/comparability.h"

namespace sartor::core {

/// The end of a call.
struct CallOutcome {
  enum class Kind : std::uint8_t { returned, threw, crashed, hung, kLast = hung };

  Kind kind = Kind::returned;
  int signal = 0; ///< If it has crashed.

  /// `returned`, `crashed with SIGSEGV`.
  [[nodiscard]] std::string text() const;
  bool operator==(const CallOutcome &) const = default;
};

struct MemoryPiece {
  std::uint64_t address = 0;
  std::string bytes;

  bool operator==(const MemoryPiece &) const = default;
};

/// A call of a handler in which a variant and the native code did not agree, with the data needed
/// to repeat it in another process.
struct Difference {
  /// The effects of one of both codes.
  struct Side {
    CallOutcome outcome;
    std::string result;               ///< Empty if it did not return.
    std::vector<MemoryPiece> written; ///< Sorted by address, disjoint.
  };

  std::string program; ///< The path of the program or library with the handler.
  std::string handler;
  std::string variant;
  std::string configuration; ///< Its text, for people.
  Comparison compared = Comparison::none;
  std::int64_t time = 0; ///< Seconds since 1970.
  std::string sartor;    ///< Version and build ids, for people.
  std::string llvm;
  std::string mutant;  ///< The mutant (SARTOR_MUTANT) in the variant; empty if there is none.
  std::string request; ///< As recorded: a file of Options::record_requests.

  std::string frame; ///< Before the call. The other fields of its shape are as in CheckedCall.
  std::uint32_t result_offset = 0;
  std::uint32_t result_bytes = 0;
  std::string result_mask; ///< Empty if all bits are defined.
  std::uint32_t inexact_floats = 0;
  std::vector<RegionForm> regions;

  /// The addresses that names of the program had.
  std::map<std::string, std::uint64_t> addresses;
  std::vector<MemoryPiece> memory; ///< Before the call. Sorted by address, disjoint.
  Side native;
  Side changed; ///< Of the variant.
};

/// The limits on a directory of differences.
struct DifferenceLimits {
  std::size_t count = 64;
  std::uint64_t bytes = std::uint64_t{64} << 20U; ///< Of each difference.
};

/// Writes a difference to a new directory in `directory`, for this user alone; returns its path.
/// Old ones are kept, because the first ones show the cause best: fails with file_error once there
/// are as many as `limits` permits, or if this one is too large. Nothing is left after a failure.
Result<std::filesystem::path> write_difference(const std::filesystem::path &directory,
                                               const Difference &difference,
                                               const DifferenceLimits &limits = {});

/// Reads the directory of one difference. All of its content is checked. Fails with file_error.
Result<Difference> read_difference(const std::filesystem::path &directory);

/// The forms of both files with all of a difference but its request: JSON and the bytes of memory.
struct DifferenceFiles {
  std::string description;
  std::string memory;
};
DifferenceFiles files_of(const Difference &difference);
/// `name` names the difference in errors. Fails with file_error.
Result<Difference> from_files(const std::string &name, std::string_view description,
                              std::string_view memory);

} // namespace sartor::core

#endif
