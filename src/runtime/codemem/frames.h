// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_CODEMEM_FRAMES_H
#define SARTOR_RUNTIME_CODEMEM_FRAMES_H

#include <cstddef>

namespace sartor::runtime {

/// What an unwinder reads first of an object: the section .eh_frame_hdr (Linux Standard Base 5.0,
/// 10.6.2), here without a table to search in.
struct [[gnu::packed]] FramesHeader {
  explicit FramesHeader(const void *frames) : eh_frame(frames) {}

  unsigned char version = 1;
  unsigned char eh_frame_encoding = 0; ///< An address as it is.
  unsigned char count_encoding = 0xff; ///< There is none,
  unsigned char table_encoding = 0xff; ///< and no table.
  const void *eh_frame;
};

/// Answers the unwinder's question, which object an address is in, for code of ours: libgcc asks
/// the dynamic linker by _dl_find_object(), and is had to ask here. __register_frame(), by which
/// code is made known otherwise, has every throw in the process take one lock from then on, and
/// memory be allocated by whoever unwinds first, a signal handler as it may be. Lookups take
/// neither. Changes are by one thread at a time.
class Frames {
public:
  /// Whether the unwinder asks here: from the first call on if the library has a way to be had to.
  static bool are_asked_for();

  /// Code in whole lines of the cache. False if there is no memory for it.
  static bool add(const std::byte *code, std::size_t bytes, FramesHeader *header);
  static void remove(const std::byte *code, std::size_t bytes);
};

} // namespace sartor::runtime

#endif
