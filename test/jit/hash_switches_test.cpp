// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Switches over many values far apart, optimized and run, against a map of the same cases.

#include <cstdint>
#include <map>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/codegen/compile.h"
#include "compiler/frontend/host.h"
#include "compiler/frontend/llvm_version.h"
#include "image_of.h"
#include "runtime/codemem/linker.h"

namespace sartor::compiler {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::uint64_t kOther = 1000, kAtOnce = 2000;
constexpr std::size_t kShared = 3;

/// `choose(x)`: a switch whose cases branch to blocks of their own, to shared blocks, directly to
/// the end, or to the default block.
class Switch {
public:
  explicit Switch(unsigned bits) : type_("i" + std::to_string(bits)) {}

  void add(std::uint64_t value, std::uint64_t result) { results_[value] = result; }

  [[nodiscard]] std::uint64_t result(std::uint64_t value) const {
    const auto found = results_.find(value);
    return found == results_.end() ? kOther : found->second;
  }
  [[nodiscard]] const std::map<std::uint64_t, std::uint64_t> &results() const { return results_; }

  [[nodiscard]] std::string text() const {
    std::ostringstream cases, blocks, results;
    std::map<std::uint64_t, bool> made;
    for (const auto &[value, result] : results_) {
      const std::string to = result == kOther    ? "other"
                             : result == kAtOnce ? "end"
                                                 : "b" + std::to_string(result);
      cases << "    " << type_ << ' ' << value << ", label %" << to << '\n';
      if (result == kAtOnce)
        results << ", [ " << kAtOnce << ", %begin ]";
      else if (result != kOther && !std::exchange(made[result], true)) {
        blocks << to << ":\n  br label %end\n";
        results << ", [ " << result << ", %" << to << " ]";
      }
    }
    return "define i64 @choose(i64 %wide) {\nbegin:\n  %x = " +
           (type_ == "i64" ? "add i64 %wide, 0" : "trunc i64 %wide to " + type_) + "\n  switch " +
           type_ + " %x, label %other [\n" + cases.str() + "  ]\n" + blocks.str() +
           "other:\n  br label %end\nend:\n  %r = phi i64 [ " + std::to_string(kOther) +
           ", %other ]" + results.str() + "\n  ret i64 %r\n}\n";
  }

private:
  std::string type_;
  std::map<std::uint64_t, std::uint64_t> results_;
};

/// A switch optimized by all passes.
class Made {
public:
  explicit Made(const std::string &text) {
    llvm::SMDiagnostic diagnostic;
    module_ = llvm::parseAssemblyString(text, diagnostic, context_);
    if (!module_)
      throw std::logic_error(diagnostic.getMessage().str() + text);
    const auto machine = compiler::make_target_machine(llvm::CodeGenOptLevel::Aggressive);
    compiler::set_triple(*module_, compiler::host().triple);
    module_->setDataLayout(compiler::host().layout);
    if (const auto optimized = optimize(*module_, *machine, CompileOptions()); !optimized)
      throw std::logic_error(optimized.error().text());
    llvm::raw_string_ostream(text_) << *module_;
    code_ = linker_.link(runtime::image_of(text_.c_str(), "choose"), {}).value();
  }

  std::uint64_t operator()(std::uint64_t value) const {
    return reinterpret_cast<std::uint64_t (*)(std::uint64_t)>(code_->entry())(value);
  }
  [[nodiscard]] const std::string &text() const { return text_; }

private:
  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
  std::string text_;
  runtime::Linker linker_{{}};
  std::unique_ptr<runtime::Code> code_;
};

TEST(HashSwitchesTest, FindWhatASearchFinds) {
  std::mt19937_64 random(7); // NOLINT(*-random-generator-seed): the same each time
  for (const unsigned bits : {32U, 48U, 64U})
    for (const std::size_t count : {16U, 17U, 100U, 700U})
      for (const unsigned kind : {0U, 1U, 2U}) {
        const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bits);
        Switch one(bits);
        while (one.results().size() < count) {
          const std::uint64_t number = one.results().size();
          const std::uint64_t result = kind == 0           ? number
                                       : kind == 1         ? number % kShared
                                       : random() % 8 == 0 ? kOther
                                       : random() % 4 == 0 ? kAtOnce
                                                           : number % kShared;
          one.add(random() & mask, result);
        }
        const Made made(one.text());
        if (count >= 100)
          EXPECT_THAT(made.text(), HasSubstr("sartor.hash")) << one.text();
        for (const auto &[value, result] : one.results()) {
          ASSERT_EQ(made(value), result) << one.text();
          ASSERT_EQ(made(value + 1), one.result((value + 1) & mask)) << one.text();
          ASSERT_EQ(made(value ^ 1ULL << (bits - 1)), one.result(value ^ 1ULL << (bits - 1)));
        }
        for (const std::uint64_t value :
             {std::uint64_t{0}, std::uint64_t{1}, mask, random() & mask})
          ASSERT_EQ(made(value), one.result(value)) << one.text();
      }
}

TEST(HashSwitchesTest, LeaveWhatIsFewOrClose) {
  std::mt19937_64 random(8); // NOLINT(*-random-generator-seed): the same each time
  Switch few(64), close(64);
  for (std::uint64_t i = 0; i < 15; ++i)
    few.add(random(), i);
  for (std::uint64_t i = 0; i < 100; ++i)
    close.add(5000 + 3 * i, i * i % 17);
  for (const Switch &one : {few, close}) {
    const Made made(one.text());
    EXPECT_THAT(made.text(), Not(HasSubstr("sartor.hash"))) << made.text();
    for (const auto &[value, result] : one.results())
      ASSERT_EQ(made(value), result);
  }
}

} // namespace
} // namespace sartor::compiler
