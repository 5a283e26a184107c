// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Constructs whose implementation in native code is not available to a variant: counters,
/// whole-program intrinsics, the C library's mathematics.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>

#include "compiler/frontend/left_out.h"
#include "compiler/frontend/library_math.h"
#include "read_ir.h"

namespace sartor::compiler {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char *kCounted = R"(
@name = private constant [1 x i8] c"f"
declare void @llvm.instrprof.increment(ptr, i64, i32, i32)
define void @f() {
  call void @llvm.instrprof.increment(ptr @name, i64 1, i32 1, i32 0)
  ret void
})";

TEST(NativeHabits, CountersAreTheNativeCodesAlone) {
  llvm::LLVMContext context;
  const auto module = read_ir(kCounted, context);
  EXPECT_THAT(lowering_problem(*module), HasSubstr("llvm.instrprof.increment"));
  drop_native_counters(*module);
  EXPECT_EQ(lowering_problem(*module), "");
  EXPECT_THAT(text_of(*module), Not(HasSubstr("instrprof")));
}

TEST(NativeHabits, WholeProgramIntrinsicsAreNamedBeforeLlvmMeetsThem) {
  llvm::LLVMContext context;
  const auto module = read_ir("declare i1 @llvm.type.test(ptr, metadata)\n"
                              "define i1 @f(ptr %p) {\n"
                              "  %r = call i1 @llvm.type.test(ptr %p, metadata !\"t\")\n"
                              "  ret i1 %r\n}\n",
                              context);
  EXPECT_THAT(lowering_problem(*module), HasSubstr("llvm.type.test"));
}

llvm::CallBase &first_call(llvm::Module &module, const char *function) {
  for (llvm::Instruction &instruction : llvm::instructions(*module.getFunction(function)))
    if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
      return *call;
  throw std::runtime_error("no call");
}

TEST(NativeHabits, LibraryMathematicsIsComputedByTheLibrary) {
  llvm::LLVMContext context;
  const auto module = read_ir("declare float @sinf(float)\n"
                              "declare double @llvm.pow.f64(double, double)\n"
                              "define float @f() {\n"
                              "  %r = call float @sinf(float 1.5)\n  ret float %r\n}\n"
                              "define double @g() {\n"
                              "  %r = call double @llvm.pow.f64(double 1.1, double 2.0)\n"
                              "  ret double %r\n}\n"
                              "define float @h() {\n"
                              "  %r = call afn float @sinf(float 1.5)\n  ret float %r\n}\n",
                              context);
  call_library_math(*module);
  const auto *sine =
      llvm::dyn_cast_or_null<llvm::ConstantFP>(compute_library_call(first_call(*module, "f")));
  ASSERT_TRUE(sine);
  EXPECT_EQ(sine->getValueAPF().convertToFloat(), std::sin(1.5F));
  const auto *power =
      llvm::dyn_cast_or_null<llvm::ConstantFP>(compute_library_call(first_call(*module, "g")));
  ASSERT_TRUE(power);
  EXPECT_EQ(power->getValueAPF().convertToDouble(), std::pow(1.1, 2.0));
  EXPECT_FALSE(first_call(*module, "h").isNoBuiltin()) << "approximations are LLVM's to make";
}

TEST(NativeHabits, LibraryMathematicsThatReportsAnErrorIsCalled) {
  llvm::LLVMContext context;
  const auto module = read_ir("declare double @log(double)\n"
                              "define double @f() {\n"
                              "  %r = call double @log(double -1.0)\n  ret double %r\n}\n",
                              context);
  call_library_math(*module);
  EXPECT_EQ(compute_library_call(first_call(*module, "f")), nullptr);
}

TEST(NativeHabits, WhatACallerMakesConstantIsLeftToLlvm) {
  llvm::LLVMContext context;
  const auto module = read_ir("declare double @pow(double, double)\n"
                              "define internal double @power(double %x, double %e) {\n"
                              "  %r = call double @pow(double %x, double %e)\n"
                              "  ret double %r\n}\n"
                              "define double @f(double %x) {\n"
                              "  %r = call double @power(double %x, double 2.0)\n"
                              "  ret double %r\n}\n",
                              context);
  call_library_math(*module);
  EXPECT_FALSE(first_call(*module, "power").isNoBuiltin());
}

// pow(), by which LLVM would compute it, has another last bit.
double integer_power(double base, int exponent) {
  double product = 1;
  for (unsigned left = exponent < 0 ? 0U - static_cast<unsigned>(exponent)
                                    : static_cast<unsigned>(exponent);
       left != 0; left /= 2, base *= base)
    if (left % 2 != 0)
      product *= base;
  return exponent < 0 ? 1 / product : product;
}

TEST(NativeHabits, PowersWithIntegerExponentsAreProducts) {
  llvm::LLVMContext context;
  const auto module = read_ir("declare double @llvm.powi.f64.i32(double, i32)\n"
                              "define double @known(double %x) {\n"
                              "  %r = call double @llvm.powi.f64.i32(double %x, i32 -13)\n"
                              "  ret double %r\n}\n"
                              "define double @unknown(double %x, i32 %n) {\n"
                              "  %r = call double @llvm.powi.f64.i32(double %x, i32 %n)\n"
                              "  ret double %r\n}\n",
                              context);
  call_library_math(*module);
  EXPECT_THROW(first_call(*module, "known"), std::runtime_error) << "no call is left";
  llvm::CallBase &call = first_call(*module, "unknown");
  EXPECT_EQ(call.getCalledFunction()->getName(), "__powidf2");
  EXPECT_TRUE(call.isNoBuiltin());
  EXPECT_EQ(expand_power(call), nullptr);
  for (const int exponent : {0, 1, -1, 2, 13, -29, 1000}) {
    for (const double base : {1.1, 0.37, -2.3}) {
      call.setArgOperand(0, llvm::ConstantFP::get(call.getType(), base));
      call.setArgOperand(1,
                         llvm::ConstantInt::getSigned(llvm::Type::getInt32Ty(context), exponent));
      const auto *result = llvm::dyn_cast_or_null<llvm::ConstantFP>(expand_power(call));
      ASSERT_TRUE(result);
      EXPECT_EQ(result->getValueAPF().convertToDouble(), integer_power(base, exponent))
          << base << " to the power of " << exponent;
    }
  }
}

TEST(NativeHabits, VectorsAreComputedByTheLibrary) {
  llvm::LLVMContext context;
  const auto module =
      read_ir("declare <2 x float> @llvm.sin.v2f32(<2 x float>)\n"
              "declare <2 x double> @llvm.powi.v2f64.i32(<2 x double>, i32)\n"
              "define <2 x float> @f() {\n"
              "  %r = call <2 x float> @llvm.sin.v2f32(<2 x float> <float 1.5, float 2.5>)\n"
              "  ret <2 x float> %r\n}\n"
              "define <2 x double> @g(<2 x double> %x, i32 %n) {\n"
              "  %r = call <2 x double> @llvm.powi.v2f64.i32(<2 x double> %x, i32 %n)\n"
              "  ret <2 x double> %r\n}\n",
              context);
  call_library_math(*module);
  const auto *sine =
      llvm::dyn_cast_or_null<llvm::ConstantFP>(compute_library_call(first_call(*module, "f")));
  ASSERT_TRUE(sine);
  EXPECT_EQ(sine->getValueAPF().convertToFloat(), std::sin(1.5F));
  EXPECT_EQ(first_call(*module, "g").getCalledFunction()->getName(), "__powidf2");
}

TEST(NativeHabits, PowersOfTenAreComputedByTheLibrary) {
  llvm::LLVMContext context;
  const auto module = read_ir("declare double @llvm.exp10.f64(double)\n"
                              "define double @f() {\n"
                              "  %r = call double @llvm.exp10.f64(double 0.37)\n"
                              "  ret double %r\n}\n",
                              context);
  call_library_math(*module);
  const auto *power =
      llvm::dyn_cast_or_null<llvm::ConstantFP>(compute_library_call(first_call(*module, "f")));
  ASSERT_TRUE(power);
  EXPECT_EQ(power->getValueAPF().convertToDouble(), ::exp10(0.37));
}

// LLVM makes it an frem that excludes NaN if it knows that one argument is finite and the other is
// not zero.
TEST(NativeHabits, TheRemainderOfANumberAndNanIsNan) {
  llvm::LLVMContext context;
  const auto module =
      read_ir("declare double @fmod(double, double)\n"
              "define internal double @remainder(double %x, double %y) {\n"
              "  %r = call double @fmod(double %x, double %y)\n"
              "  ret double %r\n}\n"
              "define double @f(i32 %i) {\n"
              "  %x = sitofp i32 %i to double\n"
              "  %r = call double @remainder(double %x, double 0x7FF8000000000000)\n"
              "  ret double %r\n}\n"
              "define double @g() {\n"
              "  %r = call double @fmod(double 7.5, double 2.0)\n"
              "  ret double %r\n}\n",
              context);
  call_library_math(*module);
  EXPECT_TRUE(first_call(*module, "remainder").isNoBuiltin());
  const auto *rest =
      llvm::dyn_cast_or_null<llvm::ConstantFP>(compute_library_call(first_call(*module, "g")));
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->getValueAPF().convertToDouble(), 1.5);
}

} // namespace
} // namespace sartor::compiler
