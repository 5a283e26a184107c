// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/image/image_file.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <span>
#include <string>
#include <utility>

#include <elf.h>
#include <sys/mman.h>
#include <sys/random.h>

#include "loader/lib/file/file_identity.h"
#include "loader/lib/format/image_format.h"
#include "loader/lib/image/copies.h"
#include "loader/lib/image/file_pages.h"
#include "loader/lib/image/layout.h"
#include "loader/lib/image/moved_data.h"
#include "loader/lib/image/pieces.h"
#include "loader/lib/image/plan_tables.h"
#include "loader/lib/image/readonly_parts.h"
#include "loader/lib/image/settled_tables.h"
#include "loader/lib/image/symbol_file.h"
#include "loader/lib/image/written_image.h"
#include "loader/lib/stock/processor_questions.h"
#include "loader/lib/stock/stock_loader.h"
#include "loader/lib/stock/system_calls.h"

namespace sartor::loader {

namespace {

using format::page;
using format::up;

Failure failure(const PrelinkImage &image, std::string what) {
  return {ErrorCode::bad_plan, image.libraries.front().path.string(), std::move(what),
          "the stock loader starts it as before"};
}

/// True if the range contains a whole huge page.
constexpr bool has_huge_page(std::uint64_t begin, std::uint64_t size) {
  return up(begin, format::huge_page) + format::huge_page <= begin + size;
}

/// Composes an image file from an image.
class Composer {
public:
  Composer(PrelinkImage &image, const Planned &planned) : image_(image), planned_(planned) {}

  Result<void> compose();
  Result<void> write(const std::filesystem::path &path) const;

private:
  Result<void> find_loader();
  Result<void> move_packed();
  void settle();
  void bind();
  void patch();
  bool bind(std::size_t library, const CallSite &site);
  Result<void> hook();
  static void forget_alignment(Library &library);
  void map_zone();
  void map_data();
  void map_unpacked(std::size_t library);
  void map_from_file(std::size_t library);
  void map_from_file(std::size_t library, const Segment &segment,
                     std::span<const std::byte> content);
  [[nodiscard]] std::uint32_t absolute_flag(std::size_t library) const {
    return layout_.places[library].is_absolute ? format::absolute : 0;
  }
  void describe();
  void map(std::uint64_t address, std::vector<std::byte> bytes, std::uint64_t size,
           std::uint32_t protection, std::uint32_t flags);
  void map_readonly(std::uint64_t address, std::vector<std::byte> bytes, std::vector<Pages> code,
                    bool is_on_huge_pages, std::uint32_t flags);

  PrelinkImage &image_;
  const Planned &planned_;
  std::size_t loader_ = 0;
  Layout layout_;
  Copies copies_;
  std::vector<std::byte> copied_; ///< Content of the copies' room.
  std::vector<std::byte> stubs_;  ///< Page with the processor's answers, followed by the stubs.
  PlanTables plan_;
  std::vector<Piece> pieces_;
  std::uint64_t at_ = format::huge_page; ///< Offset of the next piece; the plan is before it.
  format::Header header_{};
};

Result<void> Composer::find_loader() {
  for (std::size_t i = 1; i < image_.libraries.size(); ++i)
    if (image_.libraries[i].is_stock_loader)
      loader_ = i;
  if (loader_ == 0)
    return std::unexpected(failure(image_, "its loader is not among its libraries"));
  if (!image_.libraries[loader_].memory)
    return std::unexpected(failure(image_, "its loader has segments of an unknown shape"));
  if (!takes_readonly_dynamic_sections(image_.libraries[loader_].file))
    return std::unexpected(failure(image_, "its loader is older than glibc 2.35"));
  return {};
}

Result<void> Composer::compose() {
  if (auto found = find_loader(); !found)
    return found;
  std::uint64_t random = 0;
  static_cast<void>(getrandom(&random, sizeof random, 0));
  auto copies = Copies::of(image_);
  if (!copies)
    return std::unexpected(std::move(copies.error()));
  copies_ = std::move(*copies);
  auto layout = lay_out(image_, loader_, random, copies_.room());
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  layout_ = std::move(*layout);
  if (auto moved = move_packed(); !moved)
    return moved;
  settle();
  bind();
  patch();
  if (auto hooked = hook(); !hooked)
    return hooked;
  if (!copies_.all().empty()) {
    auto copied = copies_.make(image_, layout_);
    if (!copied)
      return std::unexpected(std::move(copied.error()));
    copied_ = std::move(*copied);
  }
  if (layout_.zone_end > 0)
    map_zone();
  if (layout_.data_end > layout_.data_begin)
    map_data();
  for (std::size_t i = 0; i < image_.libraries.size(); ++i)
    if (layout_.places[i].is_known &&
        std::ranges::find(image_.changes.packed, i) == image_.changes.packed.end())
      map_unpacked(i);
  map(layout_.answers, std::move(stubs_), 2 * page, PROT_READ | PROT_EXEC, 0);
  map(layout_.stubs + page, {}, page, PROT_READ | PROT_WRITE, format::zeros);
  describe();
  return {};
}

Result<void> Composer::move_packed() {
  for (const std::size_t i : image_.changes.packed) {
    Library &library = image_.libraries[i];
    if (auto moved = move_data(library.file, *library.memory, library.data_references,
                               layout_.places[i].delta);
        !moved)
      return moved;
  }
  return {};
}

void Composer::settle() {
  for (std::size_t i = 0; i < image_.libraries.size(); ++i) {
    Library &library = image_.libraries[i];
    std::vector<Settled> settled;
    for (const std::uint32_t relocation : image_.changes.libraries[i].settled)
      if (const auto target = layout_.address_of(image_, *library.proofs.at(relocation)))
        settled.push_back({relocation, *target - layout_.base_of(i)});
    loader::settle(library.file, *library.memory, settled);
  }
}

void Composer::bind() {
  for (std::size_t i = 0; i < image_.libraries.size(); ++i) {
    if (!layout_.places[i].is_known)
      continue;
    for (const std::size_t site : image_.changes.libraries[i].direct)
      bind(i, image_.libraries[i].code.sites[site]);
  }
}

void Composer::patch() {
  for (std::size_t i = 0; i < image_.libraries.size(); ++i)
    for (const Patch &patch : image_.changes.libraries[i].patches)
      if (layout_.places[i].is_known)
        std::ranges::copy(
            patch.bytes, image_.libraries[i].memory->at(patch.address, patch.bytes.size()).begin());
}

/// Replaces the instruction by a relative jump, call or address computation of the same size.
/// Returns false if the target is out of reach.
bool Composer::bind(std::size_t index, const CallSite &site) {
  Library &library = image_.libraries[index];
  const auto found = library.targets.find(site.relocation);
  if (found == library.targets.end())
    return false;
  const auto target = layout_.address_of(image_, found->second);
  const auto code = library.memory->at(site.address, site.size);
  if (!target || code.empty())
    return false;
  const auto distance =
      static_cast<std::int64_t>(*target - (layout_.base_of(index) + site.address + site.size));
  std::int64_t displacement = distance;
  std::size_t where = site.size - 4UL;
  const auto put = [&](std::size_t at, unsigned value) {
    code[at] = std::byte{static_cast<unsigned char>(value)};
  };
  if (!std::in_range<std::int32_t>(distance) || !std::in_range<std::int32_t>(distance + 1))
    return false;
  switch (site.kind) {
  case CallSite::Kind::call_stub:
  case CallSite::Kind::jump_stub:
  case CallSite::Kind::jump_stub_if:
    break;
  case CallSite::Kind::call_slot:
    if (site.size != 6)
      return false;
    put(0, 0x67); // prefix without effect
    put(1, 0xe8);
    break;
  case CallSite::Kind::jump_slot:
    if (site.size != 6)
      return false;
    put(0, 0xe9);
    put(5, 0x90);
    where = 1;
    displacement = distance + 1;
    break;
  case CallSite::Kind::load_slot:
    if (site.size != 7)
      return false;
    put(1, 0x8d); // lea
    break;
  }
  const auto value = static_cast<std::int32_t>(displacement);
  std::memcpy(&code[where], &value, sizeof value);
  return true;
}

Result<void> Composer::hook() {
  Library &loader = image_.libraries[loader_];
  const auto calls = system_calls(loader.file);
  if (!calls)
    return std::unexpected(calls.error());
  const auto event = debug_event(loader.file);
  if (!event)
    return std::unexpected(event.error());
  auto stubs =
      redirect(*loader.memory, *calls, *event, layout_.stubs - layout_.places[loader_].base);
  if (!stubs)
    return std::unexpected(std::move(stubs.error()));
  stubs_ = answer(*loader.memory, processor_questions(loader.file), processor_answers(),
                  layout_.answers - layout_.places[loader_].base);
  stubs_.insert(stubs_.end(), stubs->begin(), stubs->end());
  header_.debug = layout_.places[loader_].base + event->reported;
  return {};
}

void Composer::map(std::uint64_t address, std::vector<std::byte> bytes, std::uint64_t size,
                   std::uint32_t protection, std::uint32_t flags) {
  if (size == 0)
    return;
  if ((flags & format::zeros) != 0) {
    plan_.mappings.push_back({address, size, 0, 0, protection, flags, 0});
    return;
  }
  plan_.mappings.push_back({address, size, at_, 0, protection, flags, checksum_of(bytes, size)});
  pieces_.push_back({at_, std::move(bytes)});
  at_ += up(size, page);
}

/// Maps whole pages. Pages without code are not executable, as far as huge pages permit.
void Composer::map_readonly(std::uint64_t address, std::vector<std::byte> bytes,
                            std::vector<Pages> code, bool is_on_huge_pages, std::uint32_t flags) {
  if (is_on_huge_pages) // address and file offset must be congruent by the size of a huge page
    at_ = up(at_, format::huge_page) + address % format::huge_page;
  for (const ReadonlyPart &part :
       parts_of({address, address + bytes.size()}, std::move(code), is_on_huge_pages)) {
    const auto [begin, end] = part.pages;
    const bool is_huge = is_on_huge_pages && has_huge_page(begin, end - begin);
    const auto content = std::span(bytes).subspan(begin - address, end - begin);
    plan_.mappings.push_back(
        {begin, end - begin, at_ + (begin - address), 0,
         static_cast<std::uint32_t>(part.is_executable ? PROT_READ | PROT_EXEC : PROT_READ),
         flags | (is_huge ? format::on_huge_pages : 0), checksum_of(content, content.size())});
  }
  const std::uint64_t size = bytes.size();
  pieces_.push_back({at_, std::move(bytes)});
  at_ += size;
}

/// Fills the gaps between libraries, which may be executable, with traps.
void Composer::map_zone() {
  constexpr std::byte trap{0xcc}; // int3
  std::vector<std::byte> zone(layout_.zone_end - layout_.zone_begin, trap);
  std::vector<Pages> code;
  const auto put = [&](std::size_t library) {
    const LibraryMemory &memory = *image_.libraries[library].memory;
    const auto own = code_of(image_.libraries[library].file, layout_.places[library].base);
    code.insert(code.end(), own.begin(), own.end());
    std::ranges::copy(memory.readonly, zone.begin() + static_cast<std::ptrdiff_t>(
                                                          layout_.places[library].base +
                                                          memory.begin - layout_.zone_begin));
  };
  for (const std::size_t library : image_.changes.packed)
    put(library);
  if (layout_.places.front().is_known && !layout_.places.front().is_absolute)
    put(0);
  if (!copied_.empty()) {
    code.push_back({layout_.copies, layout_.copies + copies_.code_size()});
    std::ranges::copy(
        copied_, zone.begin() + static_cast<std::ptrdiff_t>(layout_.copies - layout_.zone_begin));
  }
  map_readonly(layout_.zone_begin, std::move(zone), std::move(code), true, 0);
}

/// Adds the data of all packed libraries. The stock loader itself maps zeros after each library's
/// data, and clears the rest of its last page.
void Composer::map_data() {
  std::vector<std::byte> all(layout_.data_end - layout_.data_begin);
  for (const std::size_t i : image_.changes.packed) {
    const Library &library = image_.libraries[i];
    const std::uint64_t begin = layout_.places[i].base + library.memory->data_begin +
                                static_cast<std::uint64_t>(layout_.places[i].delta);
    std::ranges::copy(library.memory->data,
                      all.begin() + static_cast<std::ptrdiff_t>(begin - layout_.data_begin));
  }
  const std::uint64_t size = all.size();
  map(layout_.data_begin, std::move(all), size, PROT_READ | PROT_WRITE, 0);
}

/// Clears the library's alignment. The library is already at an aligned address; the stock loader
/// would search for one itself.
void Composer::forget_alignment(Library &library) {
  for (std::size_t i = 0; i < library.file.program_headers().size(); ++i) {
    const auto bytes = library.memory->at(
        library.memory->begin + library.file.program_headers_offset() + i * sizeof(Elf64_Phdr),
        sizeof(Elf64_Phdr));
    Elf64_Phdr header;
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.p_type == PT_LOAD)
      header.p_align = page;
    std::memcpy(bytes.data(), &header, sizeof header);
  }
}

/// Maps a library that is not packed. For the program and the stock loader, zeros are mapped here,
/// because the stock loader does not map them.
void Composer::map_unpacked(std::size_t library) {
  const Place &place = layout_.places[library];
  LibraryMemory &memory = *image_.libraries[library].memory;
  const std::uint32_t flags = absolute_flag(library);
  const bool is_in_zone = library == 0 && layout_.zone_end > 0 && !place.is_absolute;
  const bool is_observable = image_.changes.is_observable;
  if (library != 0 && library != loader_)
    forget_alignment(image_.libraries[library]);
  if (!is_in_zone && !is_observable) {
    const std::uint64_t begin = place.base + memory.begin;
    // A program at a fixed address is on huge pages if libraries are.
    const bool is_huge =
        library == 0 && layout_.zone_end > 0 && has_huge_page(begin, memory.readonly.size());
    map_readonly(begin, std::move(memory.readonly),
                 code_of(image_.libraries[library].file, place.base), is_huge, flags);
  }
  const std::uint64_t in_file = memory.data.size();
  for (const Segment &segment : image_.libraries[library].file.segments()) {
    if (!segment.protection.write)
      continue;
    const std::uint64_t zeros = segment.address + segment.file_size - memory.data_begin;
    if (segment.memory_size > segment.file_size && zeros < in_file && zeros % page != 0)
      std::fill_n(memory.data.begin() + static_cast<std::ptrdiff_t>(zeros), page - zeros % page,
                  std::byte{0});
  }
  if (is_observable)
    map_from_file(library);
  else
    map(place.base + memory.data_begin, std::move(memory.data), in_file, PROT_READ | PROT_WRITE,
        flags);
  map(place.base + memory.data_begin + in_file, {}, memory.data_end - memory.data_begin - in_file,
      PROT_READ | PROT_WRITE, flags | format::zeros);
}

/// Maps a library's segments from its own file, at the offsets that tracers know. Data comes before
/// code: the kernel increments the semaphores of static probes when it maps the code, and copying
/// changed pages afterwards would reset them.
void Composer::map_from_file(std::size_t library) {
  const LibraryMemory &memory = *image_.libraries[library].memory;
  const std::vector<Segment> &segments = image_.libraries[library].file.segments();
  std::uint64_t end = memory.data_begin;
  for (const Segment &segment : segments) {
    if (!segment.protection.write || segment.file_size == 0)
      continue;
    const std::uint64_t first = format::down(segment.address);
    if (first > end)
      map(layout_.places[library].base + end, {}, first - end, PROT_READ | PROT_WRITE,
          format::zeros | absolute_flag(library));
    end = format::up(segment.address + segment.file_size);
    map_from_file(library, segment, std::span(memory.data).subspan(first - memory.data_begin));
  }
  for (const Segment &segment : segments)
    if (!segment.protection.write && segment.file_size != 0)
      map_from_file(
          library, segment,
          std::span(memory.readonly).subspan(format::down(segment.address) - memory.begin));
}

/// `content`: the memory from the segment's first page on.
void Composer::map_from_file(std::size_t library, const Segment &segment,
                             std::span<const std::byte> content) {
  const std::uint64_t base = layout_.places[library].base;
  const std::uint32_t flags = absolute_flag(library);
  const bool is_data = segment.protection.write;
  const std::uint32_t protection =
      PROT_READ | (is_data ? PROT_WRITE : 0) | (segment.protection.execute ? PROT_EXEC : 0);
  const auto map_file = [&](std::uint64_t begin, std::uint64_t end, std::uint64_t offset) {
    plan_.mappings.push_back(
        {base + begin, end - begin, offset, library, protection, flags | format::of_file, 0});
  };
  const auto runs = compare_with_file(image_.libraries[library].file, segment, content);
  if (is_data) // a private page is written at the start in any case
    map_file(runs.front().begin, runs.back().end, runs.front().offset);
  for (const FilePages &run : runs) {
    const auto bytes =
        content.subspan(run.begin - format::down(segment.address), run.end - run.begin);
    if (run.is_changed)
      map(base + run.begin, {bytes.begin(), bytes.end()}, bytes.size(), protection,
          flags | (is_data ? format::copied : 0));
    else if (!is_data)
      map_file(run.begin, run.end, run.offset);
  }
}

void Composer::describe() {
  const Library &program = image_.libraries.front();
  const Place &own = layout_.places.front();
  header_.magic = format::magic;
  header_.key = planned_.key;
  header_.flags = (planned_.is_required ? format::is_required : 0) |
                  (program.file.is_relocatable() ? 0 : format::is_fixed);
  header_.arena_size = layout_.size;
  header_.arena = layout_.arena;
  header_.alignment = layout_.alignment;
  if (own.is_known) {
    const Elf64_Phdr *headers = program.file.program_header(PT_PHDR);
    header_.program_headers =
        own.base + (headers != nullptr
                        ? headers->p_vaddr
                        : program.memory->begin + program.file.program_headers_offset());
    header_.program_header_count = program.file.program_headers().size();
    header_.entry = own.base + program.file.entry();
  } else {
    header_.flags |= format::keeps_program;
  }
  header_.loader = layout_.places[loader_].base;
  header_.loader_entry = header_.loader + image_.libraries[loader_].file.entry();
  header_.plain_calls = layout_.stubs;
  header_.plain_event = layout_.stubs + plain_event;
  header_.hook_page = layout_.stubs + page;
  plan_.add_files(files_of(image_)); // libraries must come first
  for (std::size_t i = 0; i < image_.libraries.size(); ++i) {
    const Library &library = image_.libraries[i];
    if (i == 0 || i == loader_)
      continue;
    const Place &place = layout_.places[i];
    if (place.is_known)
      plan_.libraries.push_back({i, place.base, place.base + library.memory->begin,
                                 library.file.segments().front().file_size});
    else
      plan_.libraries.push_back({i, 0, 0, 0});
  }
  plan_.add_files(planned_.files);
  if (const auto &admitted = image_.changes.admitted) {
    header_.flags |= format::is_closed;
    for (std::size_t i = 0; i < admitted->size(); ++i)
      plan_.admitted.push_back(plan_.files.size() + i);
    plan_.add_files(*admitted);
  }
  for (const auto &[name, value] : image_.changes.environment)
    plan_.environment.push_back(plan_.string(std::string(name).append("=").append(value)));
  for (const std::string &path : image_.changes.preloaded)
    plan_.preloaded.push_back(plan_.string(path));
  for (const std::string &word : planned_.again)
    plan_.again.push_back(plan_.string(word));
  header_.reason = plan_.string(planned_.untold);
}

Result<void> Composer::write(const std::filesystem::path &path) const {
  const std::uint64_t of_symbols = up(at_, page);
  SymbolFile symbols =
      symbols_of(image_, layout_, copies_.all(), plan_.mappings, planned_.key, of_symbols);
  const std::uint64_t end = of_symbols + symbols.tables.size();
  format::Header header = header_;
  header.image_size = end;
  header.elf_tables = of_symbols;
  header.elf_checksum = checksum_of(symbols);
  const std::vector<std::byte> plan = plan_.bytes(header);
  if (plan.size() > format::huge_page - page)
    return std::unexpected(failure(image_, "has too many libraries"));
  const std::vector<Piece> more = {{0, std::move(symbols.header)},
                                   {format::plan_offset, plan},
                                   {of_symbols, std::move(symbols.tables)}};
  std::vector<const Piece *> all;
  for (const auto *some : {&pieces_, &more})
    for (const Piece &piece : *some)
      all.push_back(&piece);
  return write_pieces(all, end, path, !planned_.untold.empty());
}

} // namespace

Result<void> write_image(PrelinkImage image, const Planned &planned,
                         const std::filesystem::path &path) {
  Composer composer(image, planned);
  if (auto composed = composer.compose(); !composed)
    return composed;
  return composer.write(path);
}

Result<void> write_stock_image(std::span<const KnownFile> files, const Planned &planned,
                               const StockReason &reason, const std::filesystem::path &path) {
  PlanTables plan;
  plan.add_files(files);
  plan.add_files(planned.files);
  for (const std::string &word : planned.again)
    plan.again.push_back(plan.string(word));
  format::Header header{};
  header.magic = format::magic;
  header.key = planned.key;
  header.flags = planned.is_required ? format::is_required : 0;
  header.reason = plan.string(reason.why);
  if (reason.lasts != 0)
    header.until = static_cast<std::uint64_t>(time(nullptr)) + reason.lasts;
  Piece piece{format::plan_offset, plan.bytes(header)};
  const std::uint64_t size = piece.offset + piece.bytes.size();
  header.image_size = size;
  piece.bytes = plan.bytes(header);
  return write_pieces({&piece}, size, path, !reason.is_reported);
}

} // namespace sartor::loader
