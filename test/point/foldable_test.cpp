// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that another process may ask to be called: their types, and how far they read.
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "compiler/frontend/analysis/foldable.h"
#include "read_ir.h"

namespace sartor::compiler {
namespace {

using Type = core::NativeCall::Type;

/// The extents of the pointers of a function `f`: "bytes" for each pointer, "bytes+" if the pointer
/// must be offered, "-" for a number; "none" if there is no bound.
std::string extents(const std::string &ir) {
  llvm::LLVMContext context;
  const auto module = read_ir(ir, context);
  const auto foldable = foldable_of(*module->getFunction("f"));
  if (!foldable)
    return "cannot be called";
  if (!foldable->extents)
    return "none";
  std::string text;
  for (std::size_t i = 0; i < foldable->arguments.size(); ++i) {
    const auto &[bytes, count] = (*foldable->extents)[i];
    text += text.empty() ? "" : " ";
    if (foldable->arguments[i] != Type::pointer)
      text += "-";
    else if (count == SARTOR_OFFERED)
      text += std::to_string(bytes) + "+";
    else
      text += std::to_string(bytes) + (count == SARTOR_ONCE ? "" : "*" + std::to_string(count));
  }
  return text;
}

TEST(Foldable, ReadsFieldsAtConstantPlaces) {
  EXPECT_EQ(extents(R"(
define i32 @f(ptr %p, i32 %scale) {
  %b = getelementptr {i64, i32}, ptr %p, i32 0, i32 1
  %x = load i32, ptr %b
  %y = mul i32 %x, %scale
  ret i32 %y
})"),
            "12 -");
  EXPECT_EQ(extents("define i1 @f(ptr %p) {\n  %n = icmp eq ptr %p, null\n  ret i1 %n\n}"), "0");
}

TEST(Foldable, ReadsWhereANumberSays) {
  const std::string indexed = R"(
define i64 @f(ptr %p, i64 %i) {
  %e = getelementptr [4 x i64], ptr %p, i64 0, i64 %i
  %x = load i64, ptr %e
  ret i64 %x
})";
  EXPECT_EQ(extents(indexed), "none");
  // A number decides whether the loop continues.
  EXPECT_EQ(extents(R"(
define i8 @f(ptr %p, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%j, %loop]
  %e = getelementptr i8, ptr %p, i64 %i
  %x = load i8, ptr %e
  %j = add i64 %i, 1
  %more = icmp ult i64 %j, %n
  br i1 %more, label %loop, label %end
end:
  ret i8 %x
})"),
            "none");
  EXPECT_EQ(extents(R"(
define i8 @f(ptr %p, i64 %at) {
  %q = inttoptr i64 %at to ptr
  %x = load i8, ptr %q
  ret i8 %x
})"),
            "none");
  // The function reaches the memory through a variable.
  EXPECT_EQ(extents(R"(
define i8 @f(ptr %p, i64 %i) {
  %v = alloca i64
  store i64 %i, ptr %v
  %k = load i64, ptr %v
  %e = getelementptr i8, ptr %p, i64 %k
  %x = load i8, ptr %e
  ret i8 %x
})"),
            "none");
}

TEST(Foldable, ReadsWhatIsThere) {
  // The object itself contains the number of elements.
  EXPECT_EQ(extents(R"(
define i64 @f(ptr %p) {
entry:
  %n = load i64, ptr %p
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%j, %loop]
  %e = getelementptr {i64, [4 x i64]}, ptr %p, i64 0, i32 1, i64 %i
  %x = load i64, ptr %e
  %j = add i64 %i, 1
  %more = icmp ult i64 %j, %n
  br i1 %more, label %loop, label %end
end:
  ret i64 %x
})"),
            "1+");
  // A linked list.
  EXPECT_EQ(extents(R"(
define i32 @f(ptr %p) {
entry:
  br label %loop
loop:
  %q = phi ptr [%p, %entry], [%next, %loop]
  %k = getelementptr i8, ptr %q, i64 8
  %x = load i32, ptr %k
  %next = load ptr, ptr %q
  %more = icmp ne ptr %next, null
  br i1 %more, label %loop, label %end
end:
  ret i32 %x
})"),
            "12+");
  // A number decides whether a pointer is followed.
  EXPECT_EQ(extents(R"(
define i32 @f(ptr %p, i1 %c) {
  br i1 %c, label %there, label %end
there:
  %next = load ptr, ptr %p
  %x = load i32, ptr %next
  ret i32 %x
end:
  ret i32 0
})"),
            "none");
  EXPECT_EQ(extents("declare i64 @strlen(ptr)\n"
                    "define i64 @f(ptr %p) {\n  %n = call i64 @strlen(ptr %p)\n  ret i64 %n\n}"),
            "1+");
}

TEST(Foldable, ReadsByFunctionsThatItCalls) {
  EXPECT_EQ(extents(R"(
define internal i64 @second(ptr %p) {
  %e = getelementptr i64, ptr %p, i64 1
  %x = load i64, ptr %e
  ret i64 %x
}
define i64 @f(ptr %p) {
  %q = getelementptr i8, ptr %p, i64 8
  %x = call i64 @second(ptr %q)
  ret i64 %x
})"),
            "24+");
}

TEST(Foldable, ReadsBeforeAPointer) {
  EXPECT_EQ(extents(R"(
define i64 @f(ptr %p, i64 %n) {
  %e = getelementptr i8, ptr %p, i64 -8
  %x = load i64, ptr %e
  %y = add i64 %x, %n
  ret i64 %y
})"),
            "1+ -");
}

TEST(Foldable, ReadsAllThatIsPassedByValue) {
  EXPECT_EQ(extents(R"(
define internal i32 @first(ptr byval([16 x i32]) %p) {
  %x = load i32, ptr %p
  ret i32 %x
}
define i32 @f(ptr %p) {
  %e = getelementptr i32, ptr %p, i64 2
  %x = call i32 @first(ptr byval([16 x i32]) %e)
  ret i32 %x
})"),
            "72+");
}

TEST(Foldable, IsDeclared) {
  EXPECT_EQ(extents(R"(
define i64 @f(ptr %p, i64 %n) "sartor-fold-reads-0"="8,1" {
  %e = getelementptr i64, ptr %p, i64 %n
  %x = load i64, ptr %e
  ret i64 %x
})"),
            "8*1 -");
  EXPECT_EQ(extents("declare i64 @f(ptr)"), "none");
}

TEST(Foldable, CannotBeCalled) {
  EXPECT_EQ(extents("declare i128 @f(ptr)"), "cannot be called");
  EXPECT_EQ(extents("declare i32 @f(ptr, ...)"), "cannot be called");
  EXPECT_EQ(extents("declare i32 @f(ptr byval(i64))"), "cannot be called");
}

} // namespace
} // namespace sartor::compiler
