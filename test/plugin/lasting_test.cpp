// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lasting.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sartor/sartor.hpp>

namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// True if the address lies in the program or one of its libraries, and so not in a variant.
bool is_of_the_program(const void *address) {
  Dl_info info;
  return dladdr(address, &info) != 0;
}

/// The first word of an object.
const void *first_word(const void *object) {
  std::uintptr_t word = 0;
  std::memcpy(&word, object, sizeof word);
  return reinterpret_cast<const void *>(word);
}

class Lasting : public testing::Test {
protected:
  /// A handler with an active variant: all points are set to the values that the tests pass.
  template <auto Function> auto active() {
    auto handler = runtime_.handler<Function>();
    sartor::Configuration configuration;
    for (const char *label : {"size", "own", "place", "unit", "thrown", "made", "shared", "first"})
      configuration.set(label, 1);
    runtime_.specialize(configuration);
    return handler;
  }

  sartor::Runtime runtime_;
};

sartor::Point point(const sartor::Runtime &runtime, const std::string &label) {
  return *runtime.space().find(label);
}

TEST_F(Lasting, LiteralsAreThoseOfTheNativeCode) {
  const char *literal = active<&size_class>()(1);
  EXPECT_STREQ(literal, "small");
  EXPECT_TRUE(is_of_the_program(literal));
  EXPECT_EQ(literal, native_size_class(1));
}

TEST_F(Lasting, NamesOfFunctionsAndPlacesOutliveTheVariant) {
  const char *name = active<&own_name>()(1);
  EXPECT_STREQ(name, "own_name");
  EXPECT_TRUE(is_of_the_program(name));
  const char *location = active<&place>()(1);
  EXPECT_STREQ(location, "const char *place(long)");
  EXPECT_TRUE(is_of_the_program(location));
}

TEST_F(Lasting, ElementsOfConstantTablesOutliveTheVariant) {
  const char *name = active<&unit>()(1);
  EXPECT_STREQ(name, "pages");
  EXPECT_TRUE(is_of_the_program(name));
}

TEST_F(Lasting, ThrownLiteralsOutliveTheVariant) {
  try {
    active<&throw_text>()(1);
    FAIL();
  } catch (const char *text) {
    EXPECT_STREQ(text, "thrown by a handler");
    EXPECT_TRUE(is_of_the_program(text));
  }
}

TEST_F(Lasting, ObjectsOfClassesThatNobodyElseKnowsHaveTheNativeVirtualTable) {
  const std::unique_ptr<Animal> beast(active<&make_beast>()(1));
  EXPECT_TRUE(is_of_the_program(first_word(beast.get()))); // its virtual table
  EXPECT_EQ(beast->legs(), 1);
}

TEST_F(Lasting, TypesAreTheSameInBothHalves) {
  auto is = runtime_.handler<&is_beast>();
  const std::unique_ptr<Animal> native(make_native_beast(6));
  const std::unique_ptr<Animal> made(active<&make_beast>()(1));
  runtime_.specialize({{"legs", 6}});
  EXPECT_EQ(is(native.get(), 6), 6);
  EXPECT_EQ(is_beast(made.get(), 1), 1);
}

TEST_F(Lasting, DeletersAreNative) {
  std::shared_ptr<long> shared = active<&share>()(1);
  EXPECT_EQ(*shared, 1);
  // The control block begins with the pointer to its virtual table.
  const void *block = first_word(reinterpret_cast<const char *>(&shared) + sizeof(void *));
  EXPECT_TRUE(is_of_the_program(first_word(block)));
}

TEST_F(Lasting, CoroutinesThatAHandlerCallsAreNative) {
  const Counting counting = active<&count_from>()(1);
  EXPECT_TRUE(is_of_the_program(first_word(counting.handle.address()))); // its resume function
  counting.handle.resume();
  counting.handle.resume();
  EXPECT_EQ(counting.handle.promise().value, 2);
  counting.handle.destroy();
}

TEST(PointerPoints, HaveLiteralsForChoices) {
  sartor::Runtime runtime;
  auto is = runtime.handler<&is_yes>();
  runtime.specialize({{"word", point(runtime, "word").choices.at(0)}});
  EXPECT_EQ(is(native_yes(), 5), 5);
  EXPECT_EQ(runtime.statistics().guard_failures.at("word"), 0U);
  EXPECT_EQ(is("no", 5), is_yes("no", 5));
  EXPECT_EQ(runtime.statistics().guard_failures.at("word"), 1U);
}

/// A handler without variants reports the reason, also when its point is set, and keeps running as
/// native code.
void expect_native_only(sartor::Runtime &runtime, const std::string &label,
                        const std::string &why) {
  EXPECT_THAT(point(runtime, label).sites.at(0).problem, HasSubstr(why));
  EXPECT_THAT(point(runtime, label).handlers, IsEmpty());
  try {
    runtime.specialize({{label, 5}});
    FAIL();
  } catch (const sartor::Error &error) {
    EXPECT_EQ(error.code(), sartor::ErrorCode::point_not_specializable);
    EXPECT_THAT(error.what(), HasSubstr(why));
  }
  runtime.specialize({});
}

TEST(CoroutineHandlers, CannotBeBoundOrSpecialized) {
  sartor::Runtime runtime;
  expect_native_only(runtime, "key", "coroutine");
  try {
    auto bound = runtime.bind<&coroutine_handler>(5, sartor::_);
    FAIL();
  } catch (const sartor::Error &error) {
    EXPECT_EQ(error.code(), sartor::ErrorCode::bad_binding);
    EXPECT_THAT(error.what(), HasSubstr("coroutine"));
  }
  auto call = runtime.handler<&coroutine_handler>();
  const Counting counting = call(5, 1);
  counting.handle.resume();
  counting.handle.resume();
  EXPECT_EQ(counting.handle.promise().value, 6);
  counting.handle.destroy();
}

TEST(LabelsThatAreLetOut, KeepAFunctionNative) {
  sartor::Runtime runtime;
  expect_native_only(runtime, "threaded", "labels");
  auto call = runtime.handler<&threaded>();
  void *program[1] = {nullptr};
  EXPECT_EQ(call(program, 4), 5);
  EXPECT_EQ(threaded(program, 4), 5);
}

TEST(AssemblyThatNamesAStaticFunction, KeepsAFunctionNative) {
  sartor::Runtime runtime;
  expect_native_only(runtime, "assembly", "test_plugin_thrice");
  auto call = runtime.handler<&asm_static>();
  EXPECT_STREQ(call(4), "thrice");
}

} // namespace
