// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_IMAGE_COPIED_FRAMES_H
#define SARTOR_LOADER_LIB_IMAGE_COPIED_FRAMES_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "loader/lib/image/copies.h"

namespace sartor::loader {

/// Returns the size of the unwind information of copies and of the search table that has the
/// owner's entries as well.
std::uint64_t size_of_frames(std::span<const Copy> copies, const Library &owner);

/// Returns the unwind information of copies, at `at` in the arena, and makes the owner's program
/// headers lead to its search table. The owner's last read-only segment then extends to the end of
/// the room, so that unwinders find the owner at all addresses in it. Throws Failure.
std::vector<std::byte> write_frames(PrelinkImage &image, const Layout &layout,
                                    std::span<const Copy> copies, const CopyRoom &room,
                                    std::uint64_t at);

} // namespace sartor::loader

#endif
