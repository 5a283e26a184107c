// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef READ_READER_H
#define READ_READER_H

#include <cstddef>

#include <sartor/binding.hpp>

namespace files {

struct Slot;

/// read_cached() of one descriptor: the entry of the descriptor table is bound.
using Reader =
    sartor::Binding<long(Slot *, void *, std::size_t), Slot *, sartor::Unbound, sartor::Unbound>;

} // namespace files

#endif
