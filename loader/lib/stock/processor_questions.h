// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_STOCK_PROCESSOR_QUESTIONS_H
#define SARTOR_LOADER_LIB_STOCK_PROCESSOR_QUESTIONS_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "loader/lib/file/elf_file.h"
#include "loader/lib/file/library_memory.h"

namespace sartor::loader {

/// A `cpuid` of the stock loader, with as many instructions around it as a jump takes room. They
/// can be moved, and nobody jumps behind the first of them.
struct ProcessorQuestion {
  std::uint64_t address; ///< Of the first instruction.
  std::uint8_t before;   ///< How much comes before `cpuid`, in bytes.
  std::uint8_t size;     ///< Of all, in bytes.
};

/// All that can be redirected; what is not certain to be is left out. In order.
std::vector<ProcessorQuestion> processor_questions(const ElfFile &loader);

/// What the processor says to a question.
struct ProcessorAnswer {
  std::uint32_t leaf;
  std::uint32_t mask; ///< Of what is asked for in %ecx; 0: that does not matter.
  std::uint32_t part;
  std::uint32_t a, b, c, d;
};

/// What this one says to what C libraries ask.
std::vector<ProcessorAnswer> processor_answers();

/// Has questions answered by code in a page at `address`, in terms of the loader's file; what is
/// not among the answers, the processor is asked. Returns the page's content. Questions for which
/// there is no room stay as they are.
std::vector<std::byte> answer(LibraryMemory &loader, std::span<const ProcessorQuestion> questions,
                              std::span<const ProcessorAnswer> answers, std::uint64_t address);

} // namespace sartor::loader

#endif
