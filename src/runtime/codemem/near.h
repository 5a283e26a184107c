// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_CODEMEM_NEAR_H
#define SARTOR_RUNTIME_CODEMEM_NEAR_H

#include <cstddef>

namespace sartor::runtime {

/// Returns the size of a page, in bytes.
std::size_t page_size();
/// Rounds a number of bytes up to whole pages.
std::size_t in_pages(std::size_t bytes);

/// Maps anonymous private memory, with a protection as for mmap(), within reach of an address in
/// the program's text, so that branches and references between the two are direct; at any free
/// address if that is impossible. Returns null if there is no memory. The caller unmaps it.
void *map_near(const void *anchor, std::size_t bytes, int protection);

} // namespace sartor::runtime

#endif
