// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/image/image_notes.h"

#include <algorithm>
#include <string_view>

#include <elf.h>

#include "base/file/elf_sections.h"
#include "loader/lib/file/static_probes.h"
#include "loader/lib/image/image_symbols.h"

namespace sartor::loader {

namespace {

constexpr std::string_view owner = "Sartor";
constexpr std::uint32_t library_note = 0x1000; // low numbers have common names

void append(std::vector<std::byte> &to, const void *from, std::size_t size) {
  const auto *bytes = static_cast<const std::byte *>(from);
  to.insert(to.end(), bytes, bytes + size);
}

void append(std::vector<std::byte> &to, std::uint64_t number) {
  append(to, &number, sizeof number);
}

void append(std::vector<std::byte> &to, std::string_view text) {
  append(to, text.data(), text.size());
  to.push_back(std::byte{0});
}

void append_note(std::vector<std::byte> &notes, std::string_view name, std::uint32_t type,
                 const std::vector<std::byte> &content) {
  const auto pad = [&] { notes.resize((notes.size() + 3) / 4 * 4); };
  const Elf64_Nhdr header{.n_namesz = static_cast<Elf64_Word>(name.size() + 1),
                          .n_descsz = static_cast<Elf64_Word>(content.size()),
                          .n_type = type};
  append(notes, &header, sizeof header);
  append(notes, name);
  pad();
  append(notes, content.data(), content.size());
  pad();
}

std::vector<SegmentNote> segments_of(const PrelinkImage &image, std::size_t library,
                                     const FilePlaces &places) {
  std::vector<SegmentNote> notes;
  for (const Segment &segment : image.libraries[library].file.segments()) {
    if (segment.file_size == 0)
      continue;
    const auto first = places.offset_of(library, segment.address);
    const auto last = places.offset_of(library, segment.address + segment.file_size - 1);
    if (first && last && *last - *first == segment.file_size - 1)
      notes.push_back({*first, segment.address, segment.file_size});
  }
  return notes;
}

} // namespace

std::vector<std::byte> write_library_notes(const PrelinkImage &image, const FilePlaces &places) {
  std::vector<std::byte> notes;
  for (std::size_t i = 0; i < image.libraries.size(); ++i) {
    const std::vector<SegmentNote> segments = segments_of(image, i, places);
    std::vector<std::byte> content;
    append(content, segments.size());
    append(content, segments.data(), segments.size() * sizeof(SegmentNote));
    append(content, name_of(image.libraries[i]));
    append(content, image.libraries[i].file.build_id());
    append(content, image.libraries[i].path.string());
    append_note(notes, owner, library_note, content);
  }
  return notes;
}

std::vector<LibraryNote> library_notes(const ElfFile &image) {
  std::vector<LibraryNote> libraries;
  for (const base::FileSection &section : base::sections_in(image.bytes())) {
    if (section.name != library_notes_section)
      continue;
    for (const base::Note &note : base::notes_in(section.content)) {
      const auto count = base::entry_of<std::uint64_t>(note.content, 0);
      if (note.name != owner || note.type != library_note || !count)
        continue;
      auto rest = note.content.subspan(sizeof *count);
      if (*count > rest.size() / sizeof(SegmentNote))
        continue;
      LibraryNote &library = libraries.emplace_back();
      for (std::uint64_t i = 0; i < *count; ++i)
        library.segments.push_back(*base::entry_of<SegmentNote>(rest, i));
      rest = rest.subspan(*count * sizeof(SegmentNote));
      for (std::string *text : {&library.name, &library.build_id, &library.path}) {
        *text = base::text_at(rest, 0);
        rest = rest.subspan(std::min(text->size() + 1, rest.size()));
      }
    }
  }
  return libraries;
}

ProbeNotes write_probe_notes(const PrelinkImage &image, const FilePlaces &places,
                             std::uint64_t base) {
  ProbeNotes probes;
  for (std::size_t i = 0; i < image.libraries.size(); ++i)
    for (const StaticProbe &probe : static_probes(image.libraries[i].file)) {
      const auto at = places.offset_of(i, probe.address);
      const auto semaphore =
          probe.semaphore == 0 ? std::uint64_t{0} : places.offset_of(i, probe.semaphore);
      if (!at || !semaphore)
        continue;
      std::vector<std::byte> content;
      for (const std::uint64_t address : {*at, base, *semaphore})
        append(content, address);
      for (const std::string_view text : {probe.provider, probe.name, probe.arguments})
        append(content, text);
      append_note(probes.notes, static_probe_owner, static_probe_note, content);
      if (*semaphore == 0)
        continue;
      if (probes.first_semaphore == 0 || *semaphore < probes.first_semaphore)
        probes.first_semaphore = *semaphore;
      probes.last_semaphore = std::max(probes.last_semaphore, *semaphore);
    }
  return probes;
}

} // namespace sartor::loader
