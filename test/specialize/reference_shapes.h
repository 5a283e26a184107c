// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_SPECIALIZE_REFERENCE_SHAPES_H
#define SARTOR_TEST_SPECIALIZE_REFERENCE_SHAPES_H

// Handlers that call functions indirectly: through pointers, tables, callbacks.

using Operation = long (*)(long);

struct Operations {
  Operation first;
  Operation second;
};

struct Figure {
  explicit Figure(long side) : side(side) {}
  virtual ~Figure() = default;
  [[nodiscard]] virtual long area(long scale) const = 0;
  long side;
};

/// A square whose methods are known only in the handler file.
const Figure &square_of_three();

extern "C" {
long twice(long x);
long negated(long x);
long stepped(long x); ///< Has a point.
extern const Operations plain_operations;
extern const Operations other_operations;

// Folding binds the first argument.
long by_pointer(const void *, Operation operation, long x);
long by_table(const void *, const Operations *operations, long x);
long applied(const void *, long x);
long by_method(const Figure *figure, long scale);
Operation handed_out(const void *, long x);
long lent(const void *, long x);
long forked(const void *, long *cells, long tile);

/// Calls its argument and does not keep it. Defined by the test.
void call_three_times(void (*callback [[clang::noescape]])(long *), long *sum);
}

#endif
