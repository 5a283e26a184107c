// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_CODEMEM_FRAMES_H
#define SARTOR_RUNTIME_CODEMEM_FRAMES_H

#include <cstddef>

namespace sartor::runtime {

/// The part of an object that an unwinder reads first: the section .eh_frame_hdr (Linux Standard
/// Base 5.0, 10.6.2), here without a search table.
struct [[gnu::packed]] FramesHeader {
  explicit FramesHeader(const void *frames) : eh_frame(frames) {}

  unsigned char version = 1;
  unsigned char eh_frame_encoding = 0; ///< An absolute address.
  unsigned char count_encoding = 0xff; ///< There is no count,
  unsigned char table_encoding = 0xff; ///< and no table.
  const void *eh_frame;
};

/// Answers the unwinder's query which object contains an address, for code in code memory: libgcc
/// calls the dynamic linker's _dl_find_object(), and is redirected to this class. The usual way to
/// register code is __register_frame(). It makes every throw in the process take one lock from then
/// on, and the first thread that unwinds allocate memory, which may be a signal handler. Lookups
/// here do neither. Only one thread at a time may make changes.
class Frames {
public:
  /// True if the unwinder is redirected here: from the first call on if the library can be
  /// redirected.
  static bool are_asked_for();

  /// Adds code in whole cache lines. Returns false if memory is exhausted.
  static bool add(const std::byte *code, std::size_t bytes, FramesHeader *header);
  static void remove(const std::byte *code, std::size_t bytes);
};

} // namespace sartor::runtime

#endif
