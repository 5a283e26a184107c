// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/debug_sections.h"

#include <cstdint>
#include <map>

#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Config/llvm-config.h>
#if LLVM_VERSION_MAJOR < 20
// A header of LLVM 19 destroys a pointer to a class that it defines later, which C++23 does not
// accept.
#include <memory>
namespace llvm {
struct DelimitedScope;
}
template <> struct std::default_delete<llvm::DelimitedScope> {
  void operator()(llvm::DelimitedScope *scope) const;
};
#include <llvm/Support/ScopedPrinter.h>
inline void
std::default_delete<llvm::DelimitedScope>::operator()(llvm::DelimitedScope *scope) const {
  delete scope;
}
#endif
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/Endian.h>

namespace sartor::compiler {

using namespace llvm;
using namespace llvm::object;

namespace {

// The content of an object that LLVM has just written can be read.
template <class T> T read(Expected<T> value) { return cantFail(std::move(value)); }

bool is_debug(const SectionRef &section) { return read(section.getName()).starts_with(".debug_"); }

class Sections {
public:
  Sections(const ELF64LEObjectFile &object, const core::CodeImage &image) : object_(object) {
    std::map<StringRef, std::uint64_t> begins;
    for (const core::Function &function : image.functions)
      begins[function.name] = function.begin;
    for (const ELFSymbolRef symbol : object_.symbols())
      if (symbol.getELFType() == ELF::STT_FUNC)
        if (const auto known = begins.find(read(symbol.getName())); known != begins.end())
          begins_[index_of(*read(symbol.getSection()))] = known->second - read(symbol.getValue());
  }

  std::vector<core::DebugSection> take() {
    std::vector<core::DebugSection> taken;
    for (const SectionRef &section : object_.sections())
      if (is_debug(section) && section.getSize() > 0)
        taken.push_back({read(section.getName()).str(), read(section.getContents()).str(), {}});
    for (const SectionRef &relocations : object_.sections()) {
      const auto target = read(relocations.getRelocatedSection());
      if (target == object_.section_end() || !is_debug(*target))
        continue;
      const StringRef name = read(target->getName());
      const auto section =
          find_if(taken, [&](const core::DebugSection &each) { return each.name == name; });
      for (const ELFRelocationRef relocation : relocations.relocations())
        resolve(relocation, *section);
    }
    return taken;
  }

private:
  std::uint64_t index_of(const SectionRef &section) const { return section.getIndex(); }

  // A reference to code that the image has not, or to a variable, stays zero: debuggers take it for
  // something that the linker has left out.
  void resolve(const ELFRelocationRef &relocation, core::DebugSection &section) {
    const std::uint64_t at = relocation.getOffset();
    const auto symbol = relocation.getSymbol();
    if (symbol == object_.symbol_end())
      return;
    const auto target = read(symbol->getSection());
    if (target == object_.section_end())
      return;
    const std::uint64_t offset =
        read(symbol->getValue()) + static_cast<std::uint64_t>(read(relocation.getAddend()));
    char *place = section.content.data() + at;
    if (is_debug(*target)) {
      if (relocation.getType() == ELF::R_X86_64_32)
        support::endian::write32le(place, static_cast<std::uint32_t>(offset));
      return;
    }
    const auto begin = begins_.find(index_of(*target));
    if (relocation.getType() != ELF::R_X86_64_64 || begin == begins_.end())
      return;
    support::endian::write64le(place, begin->second + offset);
    section.addresses.push_back(static_cast<std::uint32_t>(at));
  }

  const ELF64LEObjectFile &object_;
  std::map<std::uint64_t, std::uint64_t> begins_; ///< By section: its offset in the code.
};

} // namespace

std::vector<core::DebugSection> debug_sections(const std::string &object,
                                               const core::CodeImage &image) {
  if (image.architecture != core::Architecture::x86_64)
    return {};
  const auto file = read(ELF64LEObjectFile::create(MemoryBufferRef(object, image.name)));
  return Sections(file, image).take();
}

} // namespace sartor::compiler
