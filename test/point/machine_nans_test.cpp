// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// NaNs that result from constant folding: they equal those of an x86 processor, with the sign bit
/// set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <llvm/Passes/PassBuilder.h>

#include "compiler/frontend/analyses.h"
#include "compiler/frontend/llvm_version.h"
#include "compiler/frontend/machine_nans.h"
#include "read_ir.h"

namespace sartor::compiler {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A module after the pass; the target is x86 by default.
std::string computed(const std::string &ir, const char *processor = "x86_64-unknown-linux-gnu") {
  llvm::LLVMContext context;
  const auto module = read_ir(ir, context);
  compiler::set_triple(*module, llvm::Triple(processor));
  llvm::PassBuilder builder;
  Analyses analyses(builder);
  for (llvm::Function &function : *module)
    if (!function.isDeclaration())
      ComputeNans().run(function, analyses.functions);
  return text_of(*module);
}

std::string returned(const std::string &type, const std::string &operation) {
  return "define " + type + " @f(" + type + " %x) {\n  %r = " + operation + "\n  ret " + type +
         " %r\n}";
}

TEST(MachineNans, OfEachFormat) {
  EXPECT_THAT(computed(returned("double", "fdiv double 0.0, 0.0")),
              HasSubstr("ret double 0xFFF8000000000000"));
  EXPECT_THAT(computed(returned("float", "fmul float 0x7FF0000000000000, 0.0")),
              HasSubstr("ret float 0xFFF8000000000000"));
  EXPECT_THAT(computed(returned("x86_fp80", "fsub x86_fp80 0xK7FFF8000000000000000, "
                                            "0xK7FFF8000000000000000")),
              HasSubstr("ret x86_fp80 0xKFFFFC000000000000000"));
  EXPECT_THAT(computed(returned("half", "fdiv half 0xH0000, 0xH0000")),
              HasSubstr("ret half 0xHFE00"));
}

TEST(MachineNans, ElementByElement) {
  EXPECT_THAT(computed(returned("<2 x double>", "fdiv <2 x double> <double 0.0, double 1.0>, "
                                                "<double 0.0, double 2.0>")),
              HasSubstr("ret <2 x double> <double 0xFFF8000000000000, double 5.000000e-01>"));
}

TEST(MachineNans, OfWhatIsComputedFromConstants) {
  const std::string text = computed(R"(
define i1 @f() {
  %zero = sitofp i32 0 to double
  %r = fdiv double %zero, %zero
  %bits = bitcast double %r to i64
  %sign = icmp slt i64 %bits, 0
  ret i1 %sign
})");
  EXPECT_THAT(text, HasSubstr("bitcast double 0xFFF8000000000000"));
}

TEST(MachineNans, OfWhatAllCallersGive) {
  const std::string callee = R"(
define internal double @ratio(double %a, double %b) {
  %r = fdiv double %a, %b
  ret double %r
}
define double @f() {
  %r = call double @ratio(double 0.0, double 0.0)
  ret double %r
})";
  EXPECT_THAT(computed(callee), HasSubstr("ret double 0xFFF8000000000000"));
  EXPECT_THAT(computed(callee + R"(
define double @g() {
  %r = call double @ratio(double 0.0, double 1.0)
  ret double %r
})"),
              Not(HasSubstr("0xFFF8000000000000")));
}

TEST(MachineNans, AreNotThoseOfOperands) {
  EXPECT_THAT(computed(returned("double", "fadd double 0x7FF8000000000005, 1.0")),
              HasSubstr("ret double %r"));
}

TEST(MachineNans, OfOtherProcessorsAreWhatLlvmGives) {
  EXPECT_THAT(computed(returned("double", "fdiv double 0.0, 0.0"), "aarch64-unknown-linux-gnu"),
              HasSubstr("ret double %r"));
}

} // namespace
} // namespace sartor::compiler
