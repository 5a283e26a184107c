// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_IMAGE_IMAGE_NOTES_H
#define SARTOR_LOADER_LIB_IMAGE_IMAGE_NOTES_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "loader/lib/file/elf_file.h"
#include "loader/lib/image/file_places.h"
#include "loader/lib/image/prelink_image.h"

namespace sartor::loader {

/// A segment of a library that lies in an image file as a whole.
struct SegmentNote {
  std::uint64_t offset;  ///< Offset in the image file.
  std::uint64_t address; ///< Address in the library's file.
  std::uint64_t size;    ///< In bytes, without zeros beyond those in the library's file.

  bool operator==(const SegmentNote &) const = default;
};

/// The notes of an image file about a library.
struct LibraryNote {
  std::string name;     ///< The name before `!` of its symbols.
  std::string build_id; ///< In hexadecimal; empty if it has none.
  std::string path;
  std::vector<SegmentNote> segments;

  bool operator==(const LibraryNote &) const = default;
};

/// The section of an image file with a note for each library, the program first.
inline constexpr char library_notes_section[] = ".note.sartor.libraries";
/// Returns the section's content.
std::vector<std::byte> write_library_notes(const PrelinkImage &image, const FilePlaces &places);
/// Returns the notes of an image file; none for other files.
std::vector<LibraryNote> library_notes(const ElfFile &image);

/// Notes of static probes, for the section `.note.stapsdt`. Addresses are offsets in the file.
struct ProbeNotes {
  std::vector<std::byte> notes;
  std::uint64_t first_semaphore = 0; ///< 0 if there are no semaphores.
  std::uint64_t last_semaphore = 0;
};

/// Returns notes of all static probes in the image file. A probe whose semaphore is not in the file
/// is left out, since it would never be reached. `base`: address of `.stapsdt.base`.
ProbeNotes write_probe_notes(const PrelinkImage &image, const FilePlaces &places,
                             std::uint64_t base);

} // namespace sartor::loader

#endif
