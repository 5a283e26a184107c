// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/elf_input.h"

#include <cstdint>
#include <utility>

#include "fuzz/require.h"
#include "loader/lib/decode/call_sites.h"
#include "loader/lib/decode/data_references.h"
#include "loader/lib/file/library_memory.h"
#include "loader/lib/file/named_symbols.h"
#include "loader/lib/file/static_probes.h"
#include "loader/lib/format/pages.h"
#include "loader/lib/image/copies.h"
#include "loader/lib/image/copyable.h"
#include "loader/lib/image/image_notes.h"
#include "loader/lib/image/moved_data.h"

namespace sartor::loader {

using fuzz::require;

namespace {

bool is_in_file(const ElfFile &file, const void *begin, std::size_t size) {
  const auto bytes = file.bytes();
  const auto first = reinterpret_cast<std::uintptr_t>(bytes.data());
  const auto at = reinterpret_cast<std::uintptr_t>(begin);
  return size == 0 ||
         (at >= first && at - first <= bytes.size() && size <= bytes.size() - (at - first));
}

void check(const ElfFile &file) {
  for (const Symbol &symbol : file.symbols()) {
    require(is_in_file(file, symbol.name.data(), symbol.name.size()));
    require(is_in_file(file, symbol.version.data(), symbol.version.size()));
  }
  for (const Relocation &relocation : file.relocations())
    require(relocation.symbol == 0 || relocation.symbol < file.symbols().size());
  for (const Segment &segment : file.segments()) {
    const auto content = file.from(segment.address);
    require(is_in_file(file, content.data(), content.size()));
  }
  for (const NamedSymbol &symbol : named_symbols(file)) {
    require(is_in_file(file, symbol.name.data(), symbol.name.size()));
    require(is_in_file(file, symbol.version.data(), symbol.version.size()));
  }
  for (const StaticProbe &probe : static_probes(file))
    for (const std::string_view text : {probe.provider, probe.name, probe.arguments})
      require(is_in_file(file, text.data(), text.size()));
  static_cast<void>(library_notes(file));
}

/// Copies all functions that can have a copy.
void copy_functions(ElfFile file, Decoded code, LibraryMemory memory) {
  Layout layout;
  layout.places = {{.is_known = true}};
  layout.copies = format::up(memory.data_end) + format::page;
  PrelinkImage image;
  image.libraries.push_back({.path = "input",
                             .file = std::move(file),
                             .code = std::move(code),
                             .identity = {},
                             .memory = std::move(memory)});
  image.changes.libraries.resize(1);
  image.changes.packed = {0};
  Copyable copyable(image);
  for (const CodeRange &function : image.libraries[0].code.functions())
    if (copyable.why_not({0, function.begin}) == nullptr)
      image.changes.copied.push_back({0, function.begin});
  if (const auto copies = Copies::of(image); copies && !copies->all().empty())
    if (const auto room = copies->make(image, layout))
      require(room->size() == copies->room().size);
}

} // namespace

int look_at_elf(std::vector<std::byte> bytes) {
  auto file = ElfFile::parse("input", std::move(bytes));
  if (!file)
    return 0;
  check(*file);
  // Gaps between segments become memory.
  constexpr std::uint64_t much = std::uint64_t{64} << 20;
  const std::uint64_t begin = file->segments().front().address;
  const Segment &last = file->segments().back();
  auto memory = last.address + last.memory_size - begin < much
                    ? LibraryMemory::of(*file)
                    : std::unexpected("it is too large for this test");
  auto code = find_call_sites(*file);
  if (!code)
    return 1;
  for (const CallSite &site : code->sites)
    require(file->relocations().at(site.relocation).address == site.slot);
  const auto references = data_references(*file, *code);
  if (!references)
    return 2;
  if (!memory)
    return 3;
  constexpr std::int64_t delta = 0x1000000;
  LibraryMemory before = *memory;
  const int outcome = move_data(*file, *memory, *references, delta) ? 5 : 4;
  copy_functions(std::move(*file), std::move(*code), std::move(before));
  return outcome;
}

} // namespace sartor::loader
