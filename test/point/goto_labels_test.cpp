// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Addresses of labels: which functions let them escape, and how tables of them change when a
/// function is copied.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Verifier.h>

#include "compiler/frontend/analysis/closure.h"
#include "compiler/frontend/clone.h"
#include "compiler/frontend/goto_labels.h"
#include "compiler/frontend/load.h"
#include "read_ir.h"

namespace sartor::compiler {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A function `f` with the labels `a` and `b` that jumps to `%to`.
std::string jumping(const std::string &variables, const std::string &entry) {
  return variables + "\ndeclare void @others(ptr)\ndefine i32 @f(ptr %p, i64 %i) {\n" + entry + R"(
  indirectbr ptr %to, [label %a, label %b]
a:
  ret i32 1
b:
  ret i32 2
}
)";
}

constexpr const char *kTable =
    "@table = internal constant [2 x ptr] [ptr blockaddress(@f, %a), ptr blockaddress(@f, %b)]";
constexpr const char *kFromTable = R"(
  %e = getelementptr ptr, ptr @table, i64 %i
  %to = load ptr, ptr %e)";

bool lets_out(const std::string &ir) {
  llvm::LLVMContext context;
  const auto module = read_ir(ir, context);
  return lets_labels_out(*module->getFunction("f"));
}

TEST(Labels, StayWhereTheyAreOnlyJumpedTo) {
  EXPECT_FALSE(lets_out(jumping(kTable, kFromTable)));
  EXPECT_FALSE(lets_out(jumping("@table = internal global [2 x ptr] [ptr blockaddress(@f, %a), "
                                "ptr blockaddress(@f, %b)]",
                                kFromTable)));
  EXPECT_FALSE(lets_out(jumping(kTable, R"(
  %local = alloca [2 x ptr]
  call void @llvm.lifetime.start.p0(i64 16, ptr %local)
  call void @llvm.memcpy.p0.p0.i64(ptr %local, ptr @table, i64 16, i1 false)
  %e = getelementptr ptr, ptr %local, i64 %i
  %to = load ptr, ptr %e)")));
}

TEST(Labels, AreLetOut) {
  const std::string loaded = kFromTable;
  EXPECT_TRUE(lets_out(jumping(kTable, loaded + "\n  store ptr %to, ptr %p")));
  EXPECT_TRUE(lets_out(jumping(kTable, loaded + "\n  call void @others(ptr %to)")));
  EXPECT_TRUE(lets_out(jumping(kTable, loaded + "\n  call void @others(ptr @table)")));
  EXPECT_TRUE(
      lets_out(jumping(kTable, loaded + "\n  %old = atomicrmw xchg ptr %p, ptr %to seq_cst")));
  EXPECT_TRUE(lets_out(jumping("@table = constant [2 x ptr] [ptr blockaddress(@f, %a), "
                               "ptr blockaddress(@f, %b)]",
                               loaded)));
}

TEST(Labels, AreLetOutByWayOfALocalVariable) {
  EXPECT_TRUE(lets_out(jumping("", R"(
  %local = alloca ptr
  store ptr blockaddress(@f, %a), ptr %local
  %to = load ptr, ptr %local
  store ptr %to, ptr %p)")));
  EXPECT_TRUE(lets_out(jumping("", R"(
  %local = alloca ptr
  store ptr blockaddress(@f, %a), ptr %local
  call void @others(ptr %local)
  %to = load ptr, ptr %local)")));
}

TEST(Labels, AreLetOutByATableThatIsWritten) {
  EXPECT_TRUE(lets_out(jumping("@table = internal global [2 x ptr] [ptr blockaddress(@f, %a), "
                               "ptr blockaddress(@f, %b)]",
                               "  store ptr %p, ptr @table" + std::string(kFromTable))));
}

TEST(Labels, AreLetOutByAnotherFunction) {
  EXPECT_TRUE(lets_out(jumping(kTable, kFromTable) + R"(
define ptr @g(i64 %i) {
  %e = getelementptr ptr, ptr @table, i64 %i
  %label = load ptr, ptr %e
  ret ptr %label
})"));
}

TEST(Labels, AreFoundByWayOfStaticVariables) {
  llvm::LLVMContext context;
  const auto module = read_ir(jumping(R"(
@table = internal constant [1 x ptr] [ptr blockaddress(@f, %a)]
@tables = internal constant [1 x ptr] [ptr @table]
@numbers = internal constant [1 x i32] [i32 7]
)",
                                      "  %to = load ptr, ptr @table"),
                              context);
  const auto contents = [&](const char *name) {
    return module->getGlobalVariable(name, /*AllowInternal=*/true)->getInitializer();
  };
  EXPECT_TRUE(holds_labels(*contents("table")));
  EXPECT_TRUE(holds_labels(*contents("tables")));
  EXPECT_FALSE(holds_labels(*contents("numbers")));
  const auto &tables = *module->getGlobalVariable("tables", /*AllowInternal=*/true);
  EXPECT_TRUE(names_label_outside(tables, {}));
  llvm::SetVector<llvm::Function *> with;
  with.insert(module->getFunction("f"));
  EXPECT_FALSE(names_label_outside(tables, with));
}

/// The functions whose labels a constant contains.
std::vector<std::string> owners(const llvm::Constant &constant) {
  std::vector<std::string> names;
  (void)holds_label(constant, [&](const llvm::BlockAddress &label) {
    names.push_back(label.getFunction()->getName().str());
    return false;
  });
  return names;
}

/// The functions that own the labels a function refers to, also through its tables.
std::vector<std::string> owners(const llvm::Function &function) {
  std::vector<std::string> names;
  for (const llvm::BasicBlock &block : function)
    for (const llvm::Instruction &instruction : block)
      for (const llvm::Use &operand : instruction.operands())
        if (const auto *constant = llvm::dyn_cast<llvm::Constant>(operand)) {
          const auto *variable =
              llvm::dyn_cast<llvm::GlobalVariable>(constant->stripPointerCasts());
          for (std::string &name : owners(variable ? *variable->getInitializer() : *constant))
            names.push_back(std::move(name));
        }
  return names;
}

std::vector<std::string> owners_in_copy(const std::string &ir) {
  llvm::LLVMContext context;
  const auto module = read_ir(ir, context);
  llvm::Function &function = *module->getFunction("f");
  EXPECT_EQ(copy_problem(function), "");
  const auto before = owners(function);
  llvm::Function *copy = copy_function(function);
  copy->setName("copy");
  EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
  EXPECT_EQ(owners(function), before) << "the original is another";
  return owners(*copy);
}

TEST(CopiedFunction, HasTablesOfItsOwnLabels) {
  EXPECT_THAT(owners_in_copy(jumping(kTable, kFromTable)), ElementsAre("copy", "copy"));
  EXPECT_THAT(owners_in_copy(jumping("@table = internal global [2 x ptr] [ptr blockaddress(@f, "
                                     "%a), ptr blockaddress(@f, %b)]",
                                     kFromTable)),
              ElementsAre("copy", "copy"));
  EXPECT_THAT(owners_in_copy(jumping("", "  %to = select i1 true, ptr blockaddress(@f, %a), "
                                         "ptr blockaddress(@f, %b)")),
              ElementsAre("copy", "copy"));
}

TEST(CopiedFunction, HasTablesInStructuresAndOfTables) {
  EXPECT_THAT(owners_in_copy(jumping(R"(
@table = internal constant [1 x {i32, {ptr, i8}}] [{i32, {ptr, i8}} {i32 1, {ptr, i8} {ptr getelementptr (i8, ptr blockaddress(@f, %a), i64 0), i8 2}}]
)",
                                     R"(
  %e = getelementptr {i32, {ptr, i8}}, ptr @table, i64 %i, i32 1, i32 0
  %to = load ptr, ptr %e)")),
              ElementsAre("copy"));
  EXPECT_THAT(owners_in_copy(jumping(R"(
@ends = internal constant [1 x ptr] [ptr blockaddress(@f, %a)]
@rest = internal global [1 x ptr] [ptr blockaddress(@f, %b)]
@table = internal constant [2 x ptr] [ptr @ends, ptr @rest]
)",
                                     R"(
  %e = getelementptr ptr, ptr @table, i64 %i
  %chosen = load ptr, ptr %e
  %to = load ptr, ptr %chosen)")),
              ElementsAre("copy", "copy"));
}

TEST(CopiedFunction, HasDifferencesOfItsOwnLabels) {
  EXPECT_THAT(owners_in_copy(jumping(R"(
@table = internal constant [1 x i32] [i32 trunc (i64 sub (i64 ptrtoint (ptr blockaddress(@f, %b) to i64), i64 ptrtoint (ptr blockaddress(@f, %a) to i64)) to i32)]
)",
                                     R"(
  %e = getelementptr i32, ptr @table, i64 %i
  %offset = load i32, ptr %e
  %far = sext i32 %offset to i64
  %to = getelementptr i8, ptr blockaddress(@f, %a), i64 %far)")),
              ElementsAre("copy", "copy", "copy"));
}

TEST(CopiedFunction, SharesWhatHoldsNoLabels) {
  llvm::LLVMContext context;
  const auto module = read_ir(
      "@numbers = internal global i32 7\ndefine ptr @f() {\n  ret ptr @numbers\n}", context);
  copy_function(*module->getFunction("f"));
  EXPECT_EQ(module->global_size(), 1U);
}

TEST(KeptConstants, AreNoDifferencesOfLabels) {
  llvm::LLVMContext context;
  const auto module = read_ir(jumping(R"(
@table = internal constant [1 x i64] [i64 sub (i64 ptrtoint (ptr blockaddress(@f, %b) to i64), i64 ptrtoint (ptr blockaddress(@f, %a) to i64))]
)",
                                      R"(
  %offset = load i64, ptr @table
  %to = getelementptr i8, ptr blockaddress(@f, %a), i64 %offset)"),
                              context);
  EXPECT_THAT(keep_constants(*module), IsEmpty());
}

} // namespace
} // namespace sartor::compiler
