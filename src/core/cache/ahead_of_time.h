// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_CACHE_AHEAD_OF_TIME_H
#define SARTOR_CORE_CACHE_AHEAD_OF_TIME_H

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/hash.h"
#include "core/cache/request_key.h"

namespace sartor::core {

/// The section of a program or shared library that contains images compiled ahead of time. It is
/// not loaded: it is read from the file.
constexpr const char *kAheadOfTimeSection = ".sartor.images";

/// Serializes the content of such a section: pieces made by pack_stored() of
/// core/cache/stored_image.h, by key.
///
///     offset  bytes
///          0      8  "SARTPRE" 1
///          8      8  number of pieces
///         16     48  for each, sorted by key: key, offset in the section, bytes
std::string pack_pieces(const std::map<base::ContentKey, std::string> &pieces);

/// The Making of code for all processors of a level of the x86-64 psABI (section 3.1.1,
/// "x86-64-v3"), or for `processor` as named by this_processor(), so that the code is found on
/// other machines.
Making made_for(std::string processor);

/// The images that a program or library contains. Thread-safe.
class AheadOfTimeImages {
public:
  /// The images of the program or library that contains an address; null if it has none, or they
  /// cannot be read.
  static std::shared_ptr<const AheadOfTimeImages> of(const void *address);

  /// The piece with that key; nothing if there is none, or the file has been damaged since.
  [[nodiscard]] std::optional<std::string> find(const base::ContentKey &key) const;

  /// The makings that can run on this machine, the best first.
  [[nodiscard]] const std::vector<Making> &makings() const { return makings_; }

private:
  struct Place {
    std::uint64_t offset = 0; ///< In the file.
    std::uint64_t bytes = 0;
  };

  std::filesystem::path file_;
  std::map<base::ContentKey, Place> places_;
  std::vector<Making> makings_;
};

} // namespace sartor::core

#endif
