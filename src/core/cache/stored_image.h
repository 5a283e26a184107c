// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_CACHE_STORED_IMAGE_H
#define SARTOR_CORE_CACHE_STORED_IMAGE_H

#include <cstdint>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "base/result.h"

namespace sartor::core {

/// In place of a tier: the entry is a decision about an automatic handler.
inline constexpr const char *kDecisionTier = "decision";

/// Description of an image in a cache file. For people; not used to load the code.
struct StoredInfo {
  std::string variant; ///< `matmul{B=16}`
  std::string handler;
  std::string source; ///< Source of the handler module.
  std::string tier;
  std::string cpu;
  std::string llvm;
  std::string sartor;
  std::int64_t made = 0; ///< Seconds since 1970.
};

/// Limit of the stored size of a piece of code: files that claim to be larger are rejected.
constexpr std::uint64_t kMostStoredBytes = 64U << 20;

/// A parsed file of the disk cache. The views point into its bytes.
struct StoredImage {
  base::ContentKey key;
  std::string_view info;  ///< JSON.
  std::string_view image; ///< See pack_image().
};

/// The bytes of a file: a header of fixed size with a checksum over all of the file, the info, the
/// image. Numbers are little-endian.
///
///     offset  bytes
///          0      8  "SARTOR" 0 2
///          8      8  bytes of the info
///         16      8  bytes of the image
///         24     32  key
///         56     32  BLAKE2b checksum of the 56 bytes before it, the info, and the image
std::string pack_stored(const base::ContentKey &key, const StoredInfo &info,
                        std::string_view image);

/// Parses a file. Fails with file_error, subject empty, if any part of it is damaged: a result is
/// always content that was packed.
Result<StoredImage> unpack_stored(std::string_view bytes);

/// Reads the info of an unpacked file. Fails with bad_json.
Result<StoredInfo> read_info(std::string_view json);

} // namespace sartor::core

#endif
