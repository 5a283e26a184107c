// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef READ_READER_H
#define READ_READER_H

#include <cstddef>

#include <sartor/binding.hpp>

namespace files {

struct Slot;

/// read_cached() of one descriptor: what is bound is the place in the table.
using Reader =
    sartor::Binding<long(Slot *, void *, std::size_t), Slot *, sartor::Unbound, sartor::Unbound>;

} // namespace files

#endif
