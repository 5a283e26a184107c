// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/assembly.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/Support/SourceMgr.h>

namespace sartor::compiler {
namespace {

TEST(Directives, OfOrdinaryAssemblyAreAllowed) {
  for (const char *text :
       {"", "nop", "rdtsc\n\tshlq $$32, %rdx", "jmp 1f\n1: .byte 1, 2\n.long 5",
        "1:\n\tlock; incl $0\n\tjnz 1b", ".p2align 4, 0x90", ".balign 64", ".Lhere${:uid}: nop",
        "jmp .Lhere${:uid}", "jmp .+4", "add v0.16b, v1.16b, v2.16b", "b.eq 1f", "movl $$1.5, $0",
        R"(990: nop
.pushsection .note.stapsdt,"?","note"
.balign 4
.4byte 992f-991f
.asciz "stapsdt"
.popsection)",
        ".cfi_adjust_cfa_offset 8", ".option push\n.option norvc\n.option pop"})
    EXPECT_EQ(directive_problem(text), "") << text;
}

TEST(Directives, ThatReadFilesAreRefused) {
  for (const char *text : {".incbin \"/key\"",
                           "nop\n\t.incbin \"/key\"",
                           "1:.incbin \"/key\"",
                           "nop;.incbin \"/key\"",
                           "1.incbin \"/key\"",
                           ".INCBIN \"/key\"",
                           ".Incbin \"/key\"",
                           ".include \"/key\"",
                           "\".incbin\" \"/key\"",
                           "/* */.incbin \"/key\"",
                           ".in$0 \"/key\"",
                           ".$0 \"/key\"",
                           ".${0:c}bin \"/key\"",
                           ".${:uid}",
                           "$(.incbin \"/key\"$|nop$)",
                           ".inc$(bin$|x$) \"/key\"",
                           ".section .text\n.incbin \"/key\"",
                           ".section\n.incbin \"/key\"",
                           ".section /**/ .incbin \"/key\"",
                           "x$$.incbin \"/key\""})
    EXPECT_NE(directive_problem(text), "") << text;
}

TEST(Directives, OfMacrosAndLoopsAreRefused) {
  for (const char *text :
       {".macro m\n.endm", ".altmacro", ".rept 1000000\nnop\n.endr", ".irp x, 1\n.endr",
        ".irpc x, 12\n.endr", ".\\x", ".if 1\n.endif", ".purgem m"})
    EXPECT_NE(directive_problem(text), "") << text;
}

TEST(Directives, ThatFillMemoryAreRefused) {
  for (const char *text :
       {".fill 100000000, 8", ".space 1000000000", ".skip 1000000000", ".zero 1000000000",
        ".org 1000000000", ".nops 1000000000", ".p2align 30", ".balign 1073741824",
        ".balign 0x40000000", ".balign 1024*1024*1024", ".balign (1<<30)", ".p2align $0",
        ".lcomm x, 1000000000", ".comm x, 1000000000", ".ds.b 1000000000"})
    EXPECT_NE(directive_problem(text), "") << text;
}

class AssemblyOfAModule : public ::testing::Test {
protected:
  std::string problem(const std::string &text) {
    llvm::LLVMContext context;
    llvm::SMDiagnostic diagnostic;
    const auto module = llvm::parseAssemblyString(text, diagnostic, context);
    if (!module)
      return "cannot be parsed: " + diagnostic.getMessage().str();
    return assembly_problem(*module);
  }
};

TEST_F(AssemblyOfAModule, IsThatOfItsFunctions) {
  EXPECT_EQ(problem("define void @f() {\n call void asm \"nop\", \"\"()\n ret void\n}"), "");
  EXPECT_THAT(problem("define void @f() {\n call void asm \".incbin \\22/key\\22\", \"\"()\n"
                      " ret void\n}"),
              ::testing::HasSubstr(".incbin"));
  EXPECT_NE(problem("module asm \"nop\""), "");
}

TEST_F(AssemblyOfAModule, NamesNoSymbolsThatReadAsDirectives) {
  const std::string use = "define void @f() {\n call void asm \"$0 \\22/key\\22\", \"i\"(ptr @";
  const std::string end = ")\n ret void\n}";
  EXPECT_NE(problem("@\".incbin\" = external global i8\n" + use + "\".incbin\"" + end), "");
  EXPECT_NE(problem("@\"\\01.incbin\" = private global i8 0\n" + use + "\"\\01.incbin\"" + end),
            "");
  EXPECT_EQ(problem("@.str = private constant i8 0\n" + use + ".str" + end), "");
}

} // namespace
} // namespace sartor::compiler
