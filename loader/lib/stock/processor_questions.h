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

/// A `cpuid` instruction of the stock loader with enough neighbors to make room for a jump. The
/// instructions can be moved, and no jump leads behind the first of them.
struct ProcessorQuestion {
  std::uint64_t address; ///< Address of the first instruction.
  std::uint8_t before;   ///< Bytes before `cpuid`.
  std::uint8_t size;     ///< Bytes of all instructions.
};

/// Returns all `cpuid` instructions that can be redirected, sorted; doubtful ones are omitted.
std::vector<ProcessorQuestion> processor_questions(const ElfFile &loader);

/// The processor's answer to a `cpuid` query.
struct ProcessorAnswer {
  std::uint32_t leaf;
  std::uint32_t mask; ///< Relevant bits of %ecx; 0: it is ignored.
  std::uint32_t part;
  std::uint32_t a, b, c, d;
};

/// Returns this processor's answers to the queries of C libraries.
std::vector<ProcessorAnswer> processor_answers();

/// Redirects queries to code in a page at `address`, in terms of the loader's file; queries without
/// an answer are executed by the processor. Returns the page's content. Queries for which there is
/// no room stay unchanged.
std::vector<std::byte> answer(LibraryMemory &loader, std::span<const ProcessorQuestion> questions,
                              std::span<const ProcessorAnswer> answers, std::uint64_t address);

} // namespace sartor::loader

#endif
