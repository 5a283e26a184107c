// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/listing.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/AssemblyAnnotationWriter.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Support/FormattedStream.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include "compiler/codegen/compile.h"
#include "compiler/frontend/clone.h"
#include "compiler/frontend/kernel/kernel.h"
#include "compiler/specialize/blocks.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

using OriginOf = DenseMap<const Instruction *, std::uint32_t>;

constexpr std::size_t kMostInlined = 12; ///< Lines of one origin.
/// Begins a line with the origin of the following ones. LLVM escapes it in names and strings.
constexpr char kMark = '\1';

std::string path_of(const DIFile &file) {
  return (std::filesystem::path(file.getDirectory().str()) / file.getFilename().str())
      .lexically_normal()
      .string();
}

/// Adds files and origins to a listing, each once.
class Origins {
public:
  explicit Origins(core::Listing &listing) : listing_(listing) { listing_.origins.emplace_back(); }

  std::uint32_t of(const Instruction &instruction, bool is_unlikely) {
    const DILocation *location = instruction.getDebugLoc().get();
    if (!location && !is_unlikely)
      return 0;
    const auto [known, is_new] = known_.try_emplace(
        {location, is_unlikely}, static_cast<std::uint32_t>(listing_.origins.size()));
    if (is_new)
      listing_.origins.push_back({lines_of(location), is_unlikely});
    return known->second;
  }

private:
  std::vector<core::SourceLine> lines_of(const DILocation *location) {
    std::vector<core::SourceLine> lines;
    for (; location; location = location->getInlinedAt())
      if (location->getLine() != 0 && location->getFile())
        lines.push_back({file(*location->getFile()), location->getLine()});
    if (lines.size() > kMostInlined) // the innermost ones and the handler's own remain
      lines.erase(lines.begin() + kMostInlined - 1, lines.end() - 1);
    return lines;
  }

  std::uint32_t file(const DIFile &of) {
    const auto [known, is_new] =
        files_.try_emplace(path_of(of), static_cast<std::uint32_t>(listing_.files.size()));
    if (is_new)
      listing_.files.push_back(known->first);
    return known->second;
  }

  core::Listing &listing_;
  std::map<std::pair<const DILocation *, bool>, std::uint32_t> known_;
  std::map<std::string, std::uint32_t> files_;
};

OriginOf origins_in(const Module &module, core::Listing &listing) {
  Origins origins(listing);
  OriginOf found;
  for (const Function &function : module) {
    if (function.isDeclaration())
      continue;
    const Blocks likely = likely_blocks(function);
    for (const BasicBlock &block : function)
      for (const Instruction &instruction : block)
        found[&instruction] = origins.of(instruction, !likely.contains(&block));
  }
  return found;
}

/// Marks the lines of each instruction.
class OriginWriter : public AssemblyAnnotationWriter {
public:
  explicit OriginWriter(const OriginOf &origin_of) : origin_of_(origin_of) {}

  void emitInstructionAnnot(const Instruction *instruction, formatted_raw_ostream &out) override {
    out << kMark << origin_of_.lookup(instruction) << '\n';
  }

private:
  const OriginOf &origin_of_;
};

void list_ir(const Module &module, const OriginOf &origin_of, core::Listing &listing) {
  std::string marked;
  raw_string_ostream stream(marked);
  OriginWriter writer(origin_of);
  for (const Function &function : module)
    if (!function.isDeclaration())
      function.print(stream, &writer);
  std::uint32_t origin = 0;
  for (StringRef rest = marked; !rest.empty();) {
    const auto [line, after] = rest.split('\n');
    rest = after;
    if (line.starts_with(StringRef(&kMark, 1))) {
      line.drop_front().getAsInteger(10, origin);
      continue;
    }
    const bool is_code = line.starts_with("  ");
    if (!is_code)
      origin = 0;
    listing.ir.append(line).push_back('\n');
    listing.ir_origins.push_back(origin);
  }
}

/// Gives each instruction a location whose line is the index of its origin.
void number_locations(Module &module, const OriginOf &origin_of) {
  for (Function &function : module)
    if (DISubprogram *place = function.getSubprogram(); place && !function.isDeclaration())
      for (BasicBlock &block : function)
        for (Instruction &instruction : block) {
          instruction.dropDbgRecords();
          instruction.setDebugLoc(
              DILocation::get(module.getContext(), origin_of.lookup(&instruction), 0, place));
        }
}

/// Takes out the debug information of assembly whose lines number_locations() has set.
void list_assembly(StringRef assembly, core::Listing &listing) {
  std::uint32_t origin = 0;
  bool is_debug_section = false;
  while (!assembly.empty()) {
    const auto [line, after] = assembly.split('\n');
    assembly = after;
    StringRef word = line.ltrim(" \t");
    if (word.consume_front(".loc\t") || word.consume_front(".loc ")) {
      unsigned file = 0;
      if (word.consumeInteger(10, file) || word.ltrim().consumeInteger(10, origin) ||
          origin >= listing.origins.size())
        origin = 0;
      continue;
    }
    if (word.starts_with(".section") || word.starts_with(".text"))
      is_debug_section = word.contains(".debug_");
    if (is_debug_section)
      continue;
    const bool is_code = word.size() < line.size() && !word.starts_with(".");
    if (!line.empty() && !StringRef(".# \t").contains(line.front()))
      origin = 0; // another function begins
    listing.assembly.append(line).push_back('\n');
    listing.assembly_origins.push_back(is_code ? origin : 0);
  }
}

} // namespace

Result<core::Listing> list_code(Module &module, TargetMachine &machine) {
  core::Listing listing;
  const OriginOf origin_of = origins_in(module, listing);
  const bool is_for_kernel = compiler::is_for_kernel(module); // needs its debug information
  if (is_for_kernel) {
    list_ir(module, origin_of, listing);
  } else {
    ValueToValueMapTy copies;
    const std::unique_ptr<Module> readable = compiler::clone_module(module, copies);
    StripDebugInfo(*readable);
    OriginOf origin_of_copy;
    for (const auto &[instruction, origin] : origin_of)
      if (const auto *copy = dyn_cast_or_null<Instruction>(copies.lookup(instruction)))
        origin_of_copy[copy] = origin;
    list_ir(*readable, origin_of_copy, listing);
    number_locations(module, origin_of);
  }
  auto assembly = generate_assembly(module, machine);
  if (!assembly)
    return std::unexpected(std::move(assembly.error()));
  if (is_for_kernel)
    listing.assembly = std::move(*assembly);
  else
    list_assembly(*assembly, listing);
  return listing;
}

} // namespace sartor::compiler
