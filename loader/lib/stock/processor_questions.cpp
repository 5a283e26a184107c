// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/stock/processor_questions.h"

#include <algorithm>
#include <optional>

#include <cpuid.h>

#include "loader/lib/decode/instructions.h"
#include "loader/lib/file/unwind_info.h"
#include "loader/lib/format/image_format.h"
#include "loader/lib/stock/assembler.h"

namespace sartor::loader {

namespace {

constexpr std::size_t most_neighbours = 2; ///< Maximum number on each side.
constexpr std::size_t greatest_window = 16;

struct Instruction {
  std::uint64_t address;
  std::uint8_t size;
  bool is_question;
  bool is_movable;
};

/// A function and the targets of its jumps.
class Function {
public:
  Function(const ElfFile &file, const CodeRange &range) : file_(file) {
    const auto code = file.at(range.begin, range.end - range.begin);
    if (!code)
      return;
    const InstructionDecoder decoder;
    std::vector<std::uint64_t> tables;
    bool jumps_by_table = false;
    for (std::size_t at = 0; at < code->size();) {
      ZydisDecodedInstruction one;
      if (!decoder.decode(code->subspan(at), one))
        return;
      const std::uint64_t address = range.begin + at;
      const bool is_branch = one.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE;
      const bool leads_on = is_branch && one.raw.imm[0].is_relative;
      if (leads_on)
        targets_.push_back(target_of(one, address));
      else if (one.mnemonic == ZYDIS_MNEMONIC_JMP)
        jumps_by_table = true;
      else if (is_relative(one))
        tables.push_back(operand_of(one, address));
      instructions_.push_back({address, one.length, one.mnemonic == ZYDIS_MNEMONIC_CPUID,
                               !is_branch && !is_relative(one) && !ends(one) &&
                                   one.mnemonic != ZYDIS_MNEMONIC_SYSCALL});
      at += one.length;
    }
    const std::size_t before = targets_.size();
    for (const std::uint64_t table : tables)
      read_table(table);
    is_known_ = !jumps_by_table || targets_.size() > before;
    std::ranges::sort(targets_);
  }

  void add_questions(std::vector<ProcessorQuestion> &questions) const {
    if (!is_known_)
      return;
    for (std::size_t i = 0; i < instructions_.size(); ++i)
      if (instructions_[i].is_question)
        if (const auto found = window_around(i);
            found && (questions.empty() ||
                      questions.back().address + questions.back().size <= found->address))
          questions.push_back(*found);
  }

private:
  /// Reads a table of distances from the table's beginning to code; reading beyond its end is
  /// harmless.
  void read_table(std::uint64_t table) {
    constexpr std::uint64_t most = 1024;
    for (std::uint64_t i = 0; i < most; ++i) {
      const auto word = file_.at(table + i * sizeof(std::int32_t), sizeof(std::int32_t));
      if (!word)
        return;
      std::int32_t distance = 0;
      std::memcpy(&distance, word->data(), sizeof distance);
      const std::uint64_t target = table + static_cast<std::uint64_t>(std::int64_t{distance});
      if (std::ranges::none_of(file_.segments(), [&](const Segment &segment) {
            return segment.protection.execute && segment.holds(target);
          }))
        return;
      targets_.push_back(target);
    }
  }
  [[nodiscard]] std::optional<ProcessorQuestion> window_around(std::size_t question) const {
    for (std::size_t count = 1; count <= most_neighbours + 1; ++count)
      for (std::size_t before = 0; before < count; ++before)
        if (before <= question && question - before + count <= instructions_.size())
          if (auto found = window(question - before, count, question))
            return found;
    return std::nullopt;
  }
  [[nodiscard]] std::optional<ProcessorQuestion> window(std::size_t first, std::size_t count,
                                                        std::size_t question) const {
    const std::uint64_t begin = instructions_[first].address;
    const Instruction &last = instructions_[first + count - 1];
    const std::uint64_t size = last.address + last.size - begin;
    if (size < size_of_jump || size > greatest_window)
      return std::nullopt;
    for (std::size_t i = first; i < first + count; ++i)
      if (!instructions_[i].is_movable || (i > first && is_target(instructions_[i].address)))
        return std::nullopt;
    return ProcessorQuestion{begin,
                             static_cast<std::uint8_t>(instructions_[question].address - begin),
                             static_cast<std::uint8_t>(size)};
  }
  [[nodiscard]] bool is_target(std::uint64_t address) const {
    return std::ranges::binary_search(targets_, address);
  }

  const ElfFile &file_;
  std::vector<Instruction> instructions_;
  std::vector<std::uint64_t> targets_;
  bool is_known_ = false; ///< The function is completely decoded, and all jump targets are known.
};

ProcessorAnswer ask(std::uint32_t leaf, std::uint32_t mask, std::uint32_t part) {
  ProcessorAnswer said{.leaf = leaf, .mask = mask, .part = part, .a = 0, .b = 0, .c = 0, .d = 0};
  __cpuid_count(leaf, part, said.a, said.b, said.c, said.d);
  return said;
}

constexpr std::uint32_t extended = 0x80000000;

/// Code that finds the answer for the leaf, subleaf etc. in the arguments, or else executes
/// `cpuid`. Flags and all other registers are preserved.
constexpr unsigned char find_answer[] = {
    0x9c,                            //    pushf
    0x56,                            //    push %rsi
    0x57,                            //    push %rdi
    0x48, 0x8d, 0x35, 0,    0, 0, 0, //    lea answers(%rip), %rsi
    0xbf, 0,    0,    0,    0,       //    mov $count, %edi
    0x3b, 0x06,                      // 1: cmp (%rsi), %eax
    0x75, 0x0a,                      //    jne 2f
    0x89, 0xca,                      //    mov %ecx, %edx
    0x23, 0x56, 0x04,                //    and 4(%rsi), %edx
    0x3b, 0x56, 0x08,                //    cmp 8(%rsi), %edx
    0x74, 0x0c,                      //    je 3f
    0x48, 0x83, 0xc6, 0x1c,          // 2: add $28, %rsi
    0xff, 0xcf,                      //    dec %edi
    0x75, 0xea,                      //    jnz 1b
    0x0f, 0xa2,                      //    cpuid
    0xeb, 0x0c,                      //    jmp 4f
    0x8b, 0x46, 0x0c,                // 3: mov 12(%rsi), %eax
    0x8b, 0x5e, 0x10,                //    mov 16(%rsi), %ebx
    0x8b, 0x4e, 0x14,                //    mov 20(%rsi), %ecx
    0x8b, 0x56, 0x18,                //    mov 24(%rsi), %edx
    0x5f,                            // 4: pop %rdi
    0x5e,                            //    pop %rsi
    0x9d,                            //    popf
    0xc3,                            //    ret
};
constexpr std::size_t answers_at = 6; ///< Offset of the answers' address.
constexpr std::size_t count_at = 11;  ///< Offset of the number of answers.
static_assert(sizeof(ProcessorAnswer) == 28);

} // namespace

std::vector<ProcessorQuestion> processor_questions(const ElfFile &loader) {
  std::vector<ProcessorQuestion> questions;
  if (const auto unwinding = unwinding_of(loader))
    for (const CodeRange &range : unwinding->functions)
      Function(loader, range).add_questions(questions);
  return questions;
}

std::vector<ProcessorAnswer> processor_answers() {
  constexpr std::uint32_t each = ~std::uint32_t{0};
  std::vector<ProcessorAnswer> answers;
  const std::uint32_t most = ask(0, 0, 0).a;
  const std::uint32_t most_extended = ask(extended, 0, 0).a;
  const auto is_there = [&](std::uint32_t leaf) {
    return leaf <= (leaf < extended ? most : most_extended);
  };
  // AMD's cache leaves come first: they are queried most often.
  for (const std::uint32_t leaf :
       {extended, extended + 5, extended + 6, 0U, 1U, 2U, 0x19U, extended + 1, extended + 2,
        extended + 3, extended + 4, extended + 7, extended + 8})
    if (is_there(leaf))
      answers.push_back(ask(leaf, 0, 0));
  struct Parts {
    std::uint32_t leaf, count;
  };
  for (const auto [leaf, count] : {Parts{4, 8}, Parts{7, 2}, Parts{0xb, 3}, Parts{0xd, 20},
                                   Parts{0x14, 2}, Parts{extended + 0x1d, 8}})
    for (std::uint32_t part = 0; part < count && is_there(leaf); ++part)
      answers.push_back(ask(leaf, each, part));
  return answers;
}

std::vector<std::byte> answer(LibraryMemory &loader, std::span<const ProcessorQuestion> questions,
                              std::span<const ProcessorAnswer> answers, std::uint64_t address) {
  std::vector<std::byte> page(format::page, std::byte{0xcc}); // int3
  Assembler to(page, address);
  const auto count = static_cast<std::uint32_t>(answers.size());
  const std::uint64_t search = to.here();
  to.bytes(std::as_bytes(std::span(find_answer)));
  to.align(alignof(ProcessorAnswer));
  Assembler where(std::span(page).subspan(answers_at), address + answers_at);
  where.relative(to.here());
  std::memcpy(&page[count_at], &count, sizeof count);
  to.bytes(std::as_bytes(answers));
  constexpr std::size_t own_size = 23;
  for (const ProcessorQuestion &question : questions) {
    const auto code = loader.at(question.address, question.size);
    if (code.empty() || own_size + question.size > to.room())
      continue;
    const std::vector<std::byte> was(code.begin(), code.end());
    const std::uint64_t stub = to.here();
    constexpr std::size_t itself = 2;
    to.bytes(std::span(was).first(question.before));
    to.bytes({0x48, 0x8d, 0x64, 0x24, 0x80, 0xe8}); // lea -128(%rsp), %rsp; call
    to.relative(search);
    to.bytes({0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0}); // lea 128(%rsp), %rsp
    to.bytes(std::span(was).subspan(question.before + itself));
    to.jump(question.address + question.size);
    lead_to(code, question.address, stub);
  }
  return page;
}

} // namespace sartor::loader
