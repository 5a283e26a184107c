// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Plain functions of bindings that share an entry.
#include <cstdint>
#include <map>
#include <memory>

#include <gtest/gtest.h>

#include <sartor/sartor.hpp>

#include "handlers.h"
#include "runtime/impl.h"

namespace {

using Arguments = std::map<unsigned, sartor::BoundArgument>;
using Step = std::uint64_t (*)(std::uint64_t, std::uint64_t *);

TEST(EntryFunctions, AreDestroyedWithTheirLastHolder) {
  sartor::Runtime runtime;
  runtime.limit_bindings<&step>(0);
  const Arguments three{{1U, 3}};
  const Arguments four{{1U, 4}};
  const sartor::detail::Share share = runtime.bind("step", three); // its entry knows no argument
  sartor::RuntimeEntry &entry = sartor::entry_of(share.target());
  sartor::EntryTable &entries = entry.owner.entries;
  std::shared_ptr<sartor::runtime::Code> one;
  std::shared_ptr<sartor::runtime::Code> same;
  std::shared_ptr<sartor::runtime::Code> other;
  void *const function = entries.hold_function(entry, three, one).value();
  EXPECT_EQ(entries.hold_function(entry, three, same).value(), function);
  EXPECT_NE(entries.hold_function(entry, four, other).value(), function);
  EXPECT_EQ(entry.functions.size(), 2U);
  entries.release_function(entry, three, one);
  std::uint64_t calls = 0;
  EXPECT_EQ(reinterpret_cast<Step>(function)(8, &calls), step(8, 3, &calls));
  entries.release_function(entry, three, same);
  entries.release_function(entry, three, same); // which holds nothing any more
  EXPECT_EQ(entry.functions.size(), 1U);
  (void)entries.function_of(entry, four).value(); // stays as long as the entry
  entries.release_function(entry, four, other);
  EXPECT_EQ(entry.functions.size(), 1U);
}

} // namespace
