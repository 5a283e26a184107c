// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <thread>

#include <gtest/gtest.h>

#include <sartor/sartor.hpp>

#include "handlers/state.h"

namespace {

/// Specialized for kind 2 with a guard; both kinds are called.
class State : public testing::Test {
protected:
  State() { runtime_.specialize({{"kind", 2}}); }

  sartor::Runtime runtime_;
};

TEST_F(State, OfAnExportedVariableIsTheProgramsOwn) {
  auto add = runtime_.handler<&add_exported>();
  exported_count = 40;
  EXPECT_EQ(add(2), 42);
  EXPECT_EQ(exported_count, 42);
  EXPECT_EQ(add(1), 43);
}

TEST_F(State, OfAStaticVariableIsTheProgramsOwn) {
  auto add = runtime_.handler<&add_static>();
  const int before = read_static();
  EXPECT_EQ(add(2), before + 2);
  EXPECT_EQ(read_static(), before + 2);
  add_static(1); // the native code
  EXPECT_EQ(add(2), before + 5);
}

TEST_F(State, OfStaticVariablesOfOneNameInTwoFilesIsKeptApart) {
  auto one = runtime_.handler<&add_static>();
  auto other = runtime_.handler<&add_other_static>();
  const int before = read_static();
  const int other_before = read_other_static();
  one(2);
  EXPECT_EQ(read_other_static(), other_before);
  other(2);
  EXPECT_EQ(read_static(), before + 2);
  EXPECT_EQ(read_other_static(), other_before + 2);
}

TEST_F(State, OfAFunctionsStaticVariableIsTheProgramsOwn) {
  auto add = runtime_.handler<&add_function_local>();
  const int before = read_function_local();
  add(2);
  EXPECT_EQ(read_function_local(), before + 2);
}

TEST_F(State, OfAnInlineFunctionIsOneForAllFiles) {
  auto add = runtime_.handler<&add_inline_local>();
  inline_local() = 5;
  EXPECT_EQ(add(2), 7);
  EXPECT_EQ(inline_local(), 7);
}

template <class Call, class Read> void expect_one_per_thread(Call add, Read read) {
  const int before = read();
  add(2);
  int first = -1;
  int second = -1;
  int native = -1;
  std::thread([&] {
    first = add(2);
    second = add(1); // through the side exit
    native = read();
  }).join();
  EXPECT_EQ(first, 2);
  EXPECT_EQ(second, 3);
  EXPECT_EQ(native, 3);
  EXPECT_EQ(read(), before + 2);
}

TEST_F(State, OfAThreadLocalVariableIsEachThreadsOwn) {
  expect_one_per_thread(runtime_.handler<&add_thread_local>(), [] { return exported_local; });
}

TEST_F(State, OfAStaticThreadLocalVariableIsEachThreadsOwn) {
  expect_one_per_thread(runtime_.handler<&add_static_thread_local>(), &read_static_thread_local);
}

TEST_F(State, OfAFunctionsThreadLocalVariableIsEachThreadsOwn) {
  expect_one_per_thread(runtime_.handler<&add_local_thread_local>(), &read_local_thread_local);
}

TEST(Tables, ThatAreConstantAreReadByVariants) {
  sartor::Runtime runtime;
  auto call = runtime.handler<&look_up>();
  runtime.specialize({{"index", sartor::any_of({3, 5})}});
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(call(i), i * i);
}

TEST(FunctionPointers, ToStaticFunctionsAreTheNativeOnes) {
  sartor::Runtime runtime;
  auto compare = runtime.handler<&is_native_operation>();
  auto get = runtime.handler<&operation_of_handler>();
  runtime.specialize({{"times", 2}});
  EXPECT_EQ(compare(native_operation(), 2), 2);
  EXPECT_EQ(compare(nullptr, 2), 0);
  EXPECT_EQ(get(2), native_operation());
  EXPECT_EQ(get(2)(5), -5);
}

} // namespace
