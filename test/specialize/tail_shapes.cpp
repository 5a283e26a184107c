// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations in tail-call form that throw exceptions, which are caught around them.
#include "tail_shapes.h"

#include <stdexcept>

#include <sartor/points.h>

namespace {

struct Operations {
  using Operation = std::uint64_t(const TailOp *, std::uint64_t *, TailMachine *, std::uint64_t);

  static std::uint64_t end(const TailOp *pc, std::uint64_t *r, TailMachine *, std::uint64_t acc) {
    return r[pc->a] + acc;
  }
  static std::uint64_t add(const TailOp *pc, std::uint64_t *r, TailMachine *m, std::uint64_t acc) {
    r[pc->a] += r[pc->b] + static_cast<std::uint64_t>(pc->immediate);
    [[clang::musttail]] return pass(pc + 1, r, m, acc + 1);
  }
  static std::uint64_t jump(const TailOp *pc, std::uint64_t *r, TailMachine *m, std::uint64_t acc) {
    if (m->fuel-- == 0)
      throw std::runtime_error("no fuel");
    pc = r[pc->a] < r[pc->b] ? m->code->ops + pc->immediate : pc + 1;
    [[clang::musttail]] return pass(pc, r, m, acc);
  }
  static std::uint64_t raise(const TailOp *pc, std::uint64_t *r, TailMachine *m,
                             std::uint64_t acc) {
    if (r[pc->a] % 3 == 1)
      throw acc;
    [[clang::musttail]] return pass(pc + 1, r, m, acc);
  }
  static std::uint64_t pass(const TailOp *pc, std::uint64_t *r, TailMachine *m, std::uint64_t acc);
  static Operation *const table[];
};

Operations::Operation *const Operations::table[] = {end, add, jump, raise};

inline std::uint64_t Operations::pass(const TailOp *pc, std::uint64_t *r, TailMachine *m,
                                      std::uint64_t acc) {
  [[clang::musttail]] return table[pc->op](pc, r, m, acc);
}

} // namespace

extern "C" SARTOR_HANDLER std::uint64_t tail_thrown(const TailCode *code, std::uint64_t input,
                                                    std::uint64_t fuel) {
  std::uint64_t r[8] = {input, 5, 20};
  TailMachine m = {code, fuel, input, 0};
  try {
    return Operations::table[code->ops->op](code->ops, r, &m, 1);
  } catch (const std::runtime_error &) {
    return 1000000 + r[0];
  } catch (std::uint64_t acc) {
    return 2000000 + acc;
  }
}
