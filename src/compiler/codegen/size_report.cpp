// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/size_report.h"

#include <algorithm>
#include <map>

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>

#include "compiler/frontend/readable.h"

namespace sartor::compiler {

using namespace llvm;

void mark_functions(Module &module) {
  StripDebugInfo(module);
  module.setModuleFlag(Module::Warning, "Debug Info Version", DEBUG_METADATA_VERSION);
  DIBuilder builder(module);
  DIFile *file = builder.createFile("handlers", "/");
  builder.createCompileUnit(DISourceLanguageName(dwarf::DW_LANG_C), file, "sartor",
                            /*isOptimized=*/true, "", 0);
  DISubroutineType *type = builder.createSubroutineType(builder.getOrCreateTypeArray({}));
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    const std::string name = compiler::readable(function);
    DISubprogram *place = builder.createFunction(file, name, name, file, 1, type, 1,
                                                 DINode::FlagZero, DISubprogram::SPFlagDefinition);
    function.setSubprogram(place);
    unsigned line = 1; // a distinct line for each, so that no two locations are equal
    for (BasicBlock &block : function)
      for (Instruction &instruction : block)
        instruction.setDebugLoc(DILocation::get(module.getContext(), ++line, 1, place));
  }
  builder.finalize();
}

Result<std::vector<core::FunctionSize>> sizes_by_function(const std::string &object) {
  auto file = object::ObjectFile::createObjectFile(MemoryBufferRef(object, "variant"));
  if (!file)
    return std::unexpected(Failure{ErrorCode::compile_failed, "the variant's object file",
                                   toString(file.takeError()), "report this"});
  const auto places = DWARFContext::create(**file);
  const DILineInfoSpecifier names(DILineInfoSpecifier::FileLineInfoKind::None,
                                  DINameKind::ShortName);
  std::map<std::string, std::uint64_t> bytes;
  std::uint64_t known = 0;
  for (const auto &unit : places->compile_units()) {
    const DWARFDebugLine::LineTable *table = places->getLineTableForUnit(unit.get());
    for (std::size_t i = 0; table && i + 1 < table->Rows.size(); ++i) {
      const auto &row = table->Rows[i];
      if (row.EndSequence)
        continue;
      const std::uint64_t size = table->Rows[i + 1].Address.Address - row.Address.Address;
      const DIInliningInfo found = places->getInliningInfoForAddress(row.Address, names);
      const std::string name =
          size > 0 && found.getNumberOfFrames() > 0 ? found.getFrame(0).FunctionName : "";
      bytes[name.empty() || name == DILineInfo::BadString ? "(no function)" : name] += size;
      known += size;
    }
  }
  std::uint64_t all = 0;
  for (const object::SectionRef &section : (*file)->sections())
    all += section.isText() ? section.getSize() : 0;
  if (all > known)
    bytes["(between functions)"] += all - known;
  std::vector<core::FunctionSize> sizes;
  for (const auto &[function, size] : bytes)
    if (size > 0)
      sizes.push_back({function, size});
  std::ranges::sort(sizes, [](const core::FunctionSize &one, const core::FunctionSize &other) {
    return one.bytes != other.bytes ? one.bytes > other.bytes : one.function < other.function;
  });
  return sizes;
}

} // namespace sartor::compiler
