// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_CACHE_BEFOREHAND_H
#define SARTOR_CORE_CACHE_BEFOREHAND_H

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

/// The section of a program or shared library in which it carries images that were made when it was
/// built. It is not loaded: it is read from the file.
constexpr const char *kBeforehandSection = ".sartor.images";

/// What lies in such a section: pieces as pack_pieces() of core/cache/stored_image.h makes them, by
/// key.
///
///     offset  bytes
///          0      8  "SARTPRE" 1
///          8      8  number of pieces
///         16     48  for each, sorted by key: key, offset in the section, bytes
std::string pack_pieces(const std::map<base::ContentKey, std::string> &pieces);

/// What code is made like on some machine for all of a level of the x86-64 psABI (section 3.1.1,
/// "x86-64-v3"), or for `processor` as this_processor() says it, so that it is found on
/// others.
Making made_for(std::string processor);

/// The images that a program or library carries. Thread-safe.
class Beforehand {
public:
  /// Those of the one in which an address lies; null if it has none, or they cannot be read.
  static std::shared_ptr<const Beforehand> of(const void *address);

  /// The piece under that key; nothing if there is none, or the file has been damaged since.
  [[nodiscard]] std::optional<std::string> find(const base::ContentKey &key) const;

  /// For what they may have been made that runs here, the best first.
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
