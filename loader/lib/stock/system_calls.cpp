// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/stock/system_calls.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include <Zydis/Zydis.h>
#include <sys/syscall.h>

#include "loader/lib/file/unwind_info.h"
#include "loader/lib/format/image_format.h"
#include "loader/lib/stock/assembler.h"

namespace sartor::loader {

namespace {

constexpr std::array answered = {SYS_read, SYS_mmap, SYS_mprotect, SYS_pread64, SYS_readlink};
constexpr std::size_t stub_alignment = 32;

Failure unknown(const ElfFile &loader, const char *what) {
  return {ErrorCode::bad_plan, loader.name(), what, "the stock loader starts programs as before"};
}

/// The known constant in a register, followed through a function.
class Constant {
public:
  void follow(const ZydisDecodedInstruction &instruction, const ZydisDecodedOperand *operands) {
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
      const auto &operand = operands[i];
      if (operand.type != ZYDIS_OPERAND_TYPE_REGISTER ||
          (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) == 0 ||
          ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, operand.reg.value) !=
              ZYDIS_REGISTER_RAX)
        continue;
      const bool is_zeroed = instruction.mnemonic == ZYDIS_MNEMONIC_XOR &&
                             operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
                             operands[0].reg.value == operands[1].reg.value;
      if (instruction.mnemonic == ZYDIS_MNEMONIC_MOV &&
          operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
        value_ = static_cast<std::uint32_t>(operands[1].imm.value.u);
      else if (is_zeroed)
        value_ = 0;
      else
        value_.reset();
    }
  }
  [[nodiscard]] std::optional<std::uint32_t> value() const { return value_; }

private:
  std::optional<std::uint32_t> value_;
};

/// Matches `cmp $number, %rax` or `%eax`, which does not depend on its address.
std::size_t size_of_comparison(std::span<const std::byte> code) {
  if (code.size() >= 6 && code[0] == std::byte{0x48} && code[1] == std::byte{0x3d})
    return 6;
  return code.size() >= 5 && code[0] == std::byte{0x3d} ? 5 : 0;
}

void find_in(const ZydisDecoder &decoder, std::span<const std::byte> code, std::uint64_t address,
             std::vector<SystemCall> &calls) {
  Constant rax;
  for (std::size_t at = 0; at < code.size();) {
    ZydisDecodedInstruction instruction;
    std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT> operands;
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code.data() + at, code.size() - at,
                                             &instruction, operands.data())))
      return;
    const std::size_t next = at + instruction.length;
    if (instruction.mnemonic == ZYDIS_MNEMONIC_SYSCALL && rax.value() &&
        std::ranges::find(answered, static_cast<long>(*rax.value())) != answered.end())
      if (const std::size_t comparison = size_of_comparison(code.subspan(next)); comparison > 0)
        calls.push_back({address + at, static_cast<std::uint8_t>(instruction.length + comparison),
                         *rax.value()});
    rax.follow(instruction, operands.data());
    at = next;
  }
}

} // namespace

Result<std::vector<SystemCall>> system_calls(const ElfFile &loader) {
  const auto unwinding = unwinding_of(loader);
  if (!unwinding)
    return std::unexpected(unwinding.error());
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  std::vector<SystemCall> calls;
  for (const CodeRange &function : unwinding->functions)
    if (const auto code = loader.at(function.begin, function.end - function.begin))
      find_in(decoder, *code, function.begin, calls);
  for (const long number : answered)
    if (std::ranges::find(calls, static_cast<std::uint32_t>(number), &SystemCall::number) ==
        calls.end())
      return std::unexpected(unknown(loader, "not all of its system calls are found"));
  if ((calls.size() + 3) * stub_alignment > format::page)
    return std::unexpected(unknown(loader, "has too many system calls"));
  return calls;
}

Result<DebugEvent> debug_event(const ElfFile &loader) {
  const auto address_of = [&](std::string_view name) -> std::optional<std::uint64_t> {
    const auto found = std::ranges::find_if(
        loader.symbols(), [&](const Symbol &one) { return one.is_defined && one.name == name; });
    if (found == loader.symbols().end())
      return std::nullopt;
    return found->address;
  };
  const auto function = address_of("_dl_debug_state");
  const auto reported = address_of("_r_debug");
  if (!function || !reported)
    return std::unexpected(unknown(loader, "has no interface for debuggers"));
  // The function must be `ret`, possibly after `endbr64`, with nothing else before the next
  // function.
  constexpr std::array landing_pad = {std::byte{0xf3}, std::byte{0x0f}, std::byte{0x1e},
                                      std::byte{0xfa}};
  auto code = loader.at(*function, landing_pad.size() + 1);
  if (code && std::ranges::equal(code->first(landing_pad.size()), landing_pad))
    code = code->subspan(landing_pad.size());
  const auto unwinding = unwinding_of(loader);
  if (!code || (*code)[0] != std::byte{0xc3} || !unwinding ||
      std::ranges::any_of(unwinding->functions, [&](const CodeRange &other) {
        return other.begin > *function && other.begin < *function + size_of_jump;
      }))
    return std::unexpected(unknown(loader, "runs code of its own when it notifies debuggers"));
  return DebugEvent{*function, *reported};
}

Result<std::vector<std::byte>> redirect(LibraryMemory &loader, const std::vector<SystemCall> &calls,
                                        const DebugEvent &event, std::uint64_t stubs) {
  std::vector<std::byte> page(format::page);
  Assembler to(page, stubs);
  // The kernel clobbers %r11, which holds the return address. The stack can be used only beyond the
  // red zone of 128 bytes.
  to.bytes({0x48, 0x8d, 0x64, 0x24, 0x80});                   // lea -128(%rsp), %rsp
  to.bytes({0x41, 0x53, 0x0f, 0x05, 0x41, 0x5b});             // push %r11; syscall; pop %r11
  to.bytes({0x48, 0x8d, 0xa4, 0x24, 0x80, 0x00, 0x00, 0x00}); // lea 128(%rsp), %rsp
  to.bytes({0x41, 0xff, 0xe3});                               // jmp *%r11
  to.align(stub_alignment);
  to.bytes({0xc3}); // ret
  to.align(stub_alignment);
  const auto outside = [](const char *what) {
    return std::unexpected(Failure{ErrorCode::bad_plan, "the stock loader", what, "report it"});
  };
  const auto reported = loader.at(event.function, size_of_jump);
  if (reported.empty())
    return outside("its function that notifies debuggers lies outside of it");
  Assembler teller(reported, event.function);
  teller.jump(to.here());
  to.bytes({0x4c, 0x8d, 0x1d, 0, 0, 0, 0}); // lea (%rip), %r11: in this page
  to.bytes({0xff, 0x25});                   // jmp *(page behind + 8)(%rip)
  to.relative(stubs + format::page + 8);
  for (const SystemCall &call : calls) {
    to.align(stub_alignment);
    const auto code = loader.at(call.address, call.size);
    if (code.empty())
      return outside("a system call lies outside of it");
    const std::vector<std::byte> comparison(code.begin() + 2, code.end());
    const std::uint64_t stub = to.here();
    const std::uint64_t back = stub + 13;
    to.bytes({0x4c, 0x8d, 0x1d}); // lea back(%rip), %r11
    to.relative(back);
    to.bytes({0xff, 0x25}); // jmp *(page behind)(%rip)
    to.relative(stubs + format::page);
    to.bytes(comparison);
    to.jump(call.address + call.size);
    lead_to(code, call.address, stub);
  }
  return page;
}

} // namespace sartor::loader
