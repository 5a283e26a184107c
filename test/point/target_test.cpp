// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "read_ir.h"

namespace sartor::compiler {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class TargetTest : public testing::Test {
protected:
  void SetUp() override {
    if (!host().triple.isX86())
      GTEST_SKIP() << "of x86";
  }

  void read(const std::string &text) {
    module_ = read_ir(text, context_);
    target_this_machine(*module_);
  }

  std::string attribute(const char *function, const char *name) {
    return module_->getFunction(function)->getFnAttribute(name).getValueAsString().str();
  }

  static std::string features(const std::string &native) {
    return "attributes #0 = { \"target-cpu\"=\"x86-64\" \"target-features\"=\"" + native + "\" }\n";
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

TEST_F(TargetTest, UsesWhatTheHostCan) {
  read("define i32 @f() #0 { ret i32 1 }\n" + features("+sse2"));
  EXPECT_EQ(attribute("f", "target-cpu"), host().cpu);
  EXPECT_THAT(attribute("f", "target-features"), StartsWith(host().features));
}

TEST_F(TargetTest, KeepsWhatTheNativeCodeHardensAndMustNotUse) {
  const std::string kernel = "+retpoline-indirect-branches,+lvi-cfi,+harden-sls-ret,-avx,-avx2";
  read("define i32 @f() sspstrong #0 { ret i32 1 }\n" + features(kernel));
  EXPECT_THAT(attribute("f", "target-features"), EndsWith("," + kernel));
  EXPECT_TRUE(module_->getFunction("f")->hasFnAttribute(llvm::Attribute::StackProtectStrong));
}

TEST_F(TargetTest, KeepsWhatOnlySomeMachinesCan) {
  // A feature in this machine's list that the machine lacks.
  const std::string all = host().features;
  const std::size_t at = all.find('-');
  if (at == std::string::npos)
    GTEST_SKIP() << "this machine has everything";
  const std::string lacking = all.substr(at + 1, all.find(',', at) - at - 1);
  read("define i32 @kernel() #0 { ret i32 1 }\ndefine i32 @caller() { ret i32 2 }\n" +
       features("+" + lacking));
  EXPECT_THAT(attribute("kernel", "target-features"), EndsWith(",+" + lacking));
  EXPECT_THAT(attribute("caller", "target-features"), Not(HasSubstr("+" + lacking + ",")));
  EXPECT_FALSE(may_inline(*module_->getFunction("kernel"), *module_->getFunction("caller")));
  EXPECT_TRUE(may_inline(*module_->getFunction("caller"), *module_->getFunction("kernel")));
}

TEST_F(TargetTest, RoundsAsOftenAsTheNativeCode) {
  const std::string fused =
      "declare double @llvm.fmuladd.f64(double, double, double)\n"
      "define double @f(double %a, double %b) #0 {\n"
      "  %x = call double @llvm.fmuladd.f64(double %a, double %b, double %a)\n"
      "  %y = fmul contract double %x, %b\n"
      "  %z = fadd contract double %y, %a\n"
      "  ret double %z\n}\n";
  read(fused + features("+sse2,+fma4"));
  EXPECT_THAT(text_of(*module_), Not(HasSubstr("call double @llvm.fmuladd")));
  EXPECT_THAT(text_of(*module_), Not(HasSubstr("contract")));
  read(fused + features("+avx2,+fma"));
  EXPECT_THAT(text_of(*module_), HasSubstr("call double @llvm.fmuladd"));
  EXPECT_THAT(text_of(*module_), HasSubstr("fadd contract"));
}

TEST_F(TargetTest, PassesWideVectorsAsTheNativeCodeDoes) {
  read("define internal <16 x float> @ours(<16 x float> %v) #0 { ret <16 x float> %v }\n"
       "define i32 @other() #0 { ret i32 1 }\n"
       "define <16 x float> @handler(<16 x float> %v) #0 {\n"
       "  %w = call <16 x float> @ours(<16 x float> %v)\n"
       "  %i = call i32 @other()\n"
       "  ret <16 x float> %w\n}\n"
       "define i32 @apart() #0 { ret i32 1 }\n" +
       features("+sse2"));
  if (!llvm::StringRef(host().features).contains("+avx,"))
    GTEST_SKIP() << "this machine passes them as every other";
  for (const char *function : {"handler", "ours", "other"})
    EXPECT_EQ(attribute(function, "target-features"), "+sse2") << function;
  EXPECT_THAT(attribute("apart", "target-features"), StartsWith(host().features));
}

} // namespace
} // namespace sartor::compiler
