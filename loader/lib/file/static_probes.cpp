// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/file/static_probes.h"

#include <algorithm>
#include <optional>

#include "base/file/elf_sections.h"

namespace sartor::loader {

namespace {

/// Addresses at the beginning of a note. The base is that of the section `.stapsdt.base` at link
/// time, by which tools notice that a file was moved afterwards.
struct Addresses {
  std::uint64_t probe, base, semaphore;
};

std::optional<StaticProbe> probe_of(const base::Note &note, std::optional<std::uint64_t> base) {
  const auto addresses = base::entry_of<Addresses>(note.content, 0);
  if (!addresses || note.name != static_probe_owner || note.type != static_probe_note)
    return std::nullopt;
  const std::uint64_t moved = base && addresses->base != 0 ? *base - addresses->base : 0;
  auto text = note.content.subspan(sizeof *addresses);
  const auto next = [&] {
    const std::string_view word = base::text_at(text, 0);
    text = text.subspan(std::min(word.size() + 1, text.size()));
    return word;
  };
  StaticProbe probe{};
  probe.provider = next();
  probe.name = next();
  probe.arguments = next();
  probe.address = addresses->probe + moved;
  probe.semaphore = addresses->semaphore == 0 ? 0 : addresses->semaphore + moved;
  return probe;
}

} // namespace

std::vector<StaticProbe> static_probes(const ElfFile &file) {
  const std::vector<base::FileSection> sections = base::sections_in(file.bytes());
  std::optional<std::uint64_t> base;
  for (const base::FileSection &section : sections)
    if (section.name == ".stapsdt.base")
      base = section.header.sh_addr;
  std::vector<StaticProbe> probes;
  for (const base::FileSection &section : sections)
    if (section.header.sh_type == SHT_NOTE && section.name == ".note.stapsdt")
      for (const base::Note &note : base::notes_in(section.content))
        if (const auto probe = probe_of(note, base))
          probes.push_back(*probe);
  return probes;
}

} // namespace sartor::loader
