// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/pass/pass_image.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>

#include <sys/random.h>

#include "loader/lib/file/code_range.h"

namespace sartor::loader {

namespace {

/// The operation `copy` of passes.
const char *copy_function(sartor_prelink_image *image, std::size_t library,
                          std::uint64_t function) {
  Changes &changes = image->image.changes;
  const auto can_own = [&](std::size_t packed) {
    return can_own_copies(image->image.libraries[packed]);
  };
  if (std::ranges::none_of(changes.packed, can_own))
    return "that no packed library can take";
  const Target target{library, function};
  if (library < changes.libraries.size() && changes.libraries[library].copied.contains(function))
    return "that are copied already";
  if (!image->copyable)
    image->copyable = std::make_unique<Copyable>(image->image);
  if (const char *why = image->copyable->why_not(target))
    return why;
  changes.copied.push_back(target);
  changes.libraries[library].copied.insert(function);
  return nullptr;
}

/// True if a range of a library overlaps a function that is copied.
bool overlaps_copied(const PrelinkImage &image, std::size_t library, std::uint64_t address,
                     std::uint64_t size) {
  const auto &copied = image.changes.libraries[library].copied;
  const auto next = copied.lower_bound(address + size);
  if (next == copied.begin())
    return false;
  const CodeRange *last = range_at(image.libraries[library].code.functions(), *std::prev(next));
  return last->end > address;
}

/// Returns a library; nullptr if there is no such library, in which case most operations do
/// nothing.
Library *library_at(sartor_prelink_image *image, std::size_t index) {
  return index < image->image.libraries.size() ? &image->image.libraries[index] : nullptr;
}
const Library *library_at(const sartor_prelink_image *image, std::size_t index) {
  return index < image->image.libraries.size() ? &image->image.libraries[index] : nullptr;
}

std::size_t count_libraries(const sartor_prelink_image *image) {
  return image->image.libraries.size();
}

/// Returns the reason why a library's data must stay at its position in the file; nullptr if it may
/// move.
const char *unmovable(const PrelinkImage &image, std::size_t index) {
  const Library &library = image.libraries[index];
  if (!library.unmovable.empty())
    return library.unmovable.c_str();
  // The agent that closes the domain expects the data at the file's position, on pages of its own.
  if (!image.changes.libraries[index].domain.empty())
    return "it is in a domain";
  return image.changes.is_observable ? "it is observable" : nullptr;
}

int get_library(const sartor_prelink_image *image, std::size_t index, sartor_library *to) {
  const Library *library = library_at(image, index);
  if (!library)
    return -1;
  const auto &dynamic = library->file.dynamic();
  const bool has_name = dynamic && !dynamic->name.empty();
  *to = {.path = library->path.c_str(),
         .name = has_name ? dynamic->name.c_str() : library->path.c_str(),
         .build_id = library->file.build_id().c_str(),
         .is_program = index == 0,
         .is_relocatable = library->file.is_relocatable(),
         .entry = library->file.entry(),
         .unmovable = unmovable(image->image, index),
         .program_headers = library->file.program_headers().size(),
         .segments = library->file.segments().size(),
         .symbols = library->file.symbols().size(),
         .relocations = library->file.relocations().size(),
         .call_sites = library->code.sites.size(),
         .functions = library->code.functions().size()};
  return 0;
}

int get_program_header(const sartor_prelink_image *image, std::size_t library, std::size_t index,
                       Elf64_Phdr *to) {
  const Library *of = library_at(image, library);
  if (!of || index >= of->file.program_headers().size())
    return -1;
  *to = of->file.program_headers()[index];
  return 0;
}

int get_tag(const sartor_prelink_image *image, std::size_t library, std::int64_t tag,
            std::uint64_t *value) {
  const Library *of = library_at(image, library);
  const auto found = of ? of->file.tag(static_cast<std::uint64_t>(tag)) : std::nullopt;
  if (!found)
    return -1;
  *value = *found;
  return 0;
}

int get_segment(const sartor_prelink_image *image, std::size_t library, std::size_t index,
                sartor_segment *to) {
  const Library *of = library_at(image, library);
  if (!of || index >= of->file.segments().size())
    return -1;
  const Segment &segment = of->file.segments()[index];
  const auto bit = [](bool set, unsigned value) { return set ? value : 0U; };
  *to = {.address = segment.address,
         .size = segment.memory_size,
         .size_in_file = segment.file_size,
         .protection = bit(segment.protection.read, SARTOR_READ) |
                       bit(segment.protection.write, SARTOR_WRITE) |
                       bit(segment.protection.execute, SARTOR_EXECUTE)};
  return 0;
}

int get_symbol(const sartor_prelink_image *image, std::size_t library, std::size_t index,
               sartor_library_symbol *to) {
  const Library *of = library_at(image, library);
  if (!of || index >= of->file.symbols().size())
    return -1;
  const Symbol &symbol = of->file.symbols()[index];
  constexpr std::uint8_t bindings[] = {0, 1, 2, 10}; // STB_LOCAL, _GLOBAL, _WEAK, _GNU_UNIQUE
  // NOLINTBEGIN(bugprone-suspicious-stringview-data-usage): they end with a zero in the file
  *to = {.name = symbol.name.data(),
         .version = symbol.version.empty() ? "" : symbol.version.data(),
         .address = symbol.address,
         .size = symbol.size,
         .type = symbol.type,
         .binding = bindings[static_cast<std::size_t>(symbol.binding)],
         .visibility = symbol.visibility,
         .is_defined = symbol.is_defined};
  // NOLINTEND(bugprone-suspicious-stringview-data-usage)
  return 0;
}

int get_relocation(const sartor_prelink_image *image, std::size_t library, std::size_t index,
                   sartor_relocation *to) {
  const Library *of = library_at(image, library);
  if (!of || index >= of->file.relocations().size())
    return -1;
  const Relocation &relocation = of->file.relocations()[index];
  *to = {.address = relocation.address,
         .type = relocation.type,
         .symbol = relocation.symbol,
         .addend = relocation.addend};
  return 0;
}

int get_call_site(const sartor_prelink_image *image, std::size_t library, std::size_t index,
                  sartor_call_site *to) {
  const Library *of = library_at(image, library);
  if (!of || index >= of->code.sites.size())
    return -1;
  const CallSite &site = of->code.sites[index];
  const auto target = of->targets.find(site.relocation);
  const bool is_known = target != of->targets.end();
  *to = {.address = site.address,
         .slot = site.slot,
         .relocation = site.relocation,
         .size = site.size,
         .target_library = is_known ? target->second.library : SIZE_MAX,
         .target = is_known ? target->second.address : 0};
  return 0;
}

int get_function(const sartor_prelink_image *image, std::size_t library, std::size_t index,
                 sartor_function *to) {
  const Library *of = library_at(image, library);
  if (!of || index >= of->code.functions().size())
    return -1;
  const CodeRange &range = of->code.functions()[index];
  *to = {.address = range.begin, .size = range.end - range.begin};
  return 0;
}

int read(const sartor_prelink_image *image, std::size_t library, std::uint64_t address, void *to,
         std::size_t size) {
  const Library *of = library_at(image, library);
  const auto bytes = of ? of->file.at(address, size) : std::nullopt;
  if (!bytes)
    return -1;
  std::memcpy(to, bytes->data(), size);
  for (const Patch &patch : image->image.changes.libraries[library].patches) {
    const std::uint64_t begin = std::max(address, patch.address);
    const std::uint64_t end = std::min(address + size, patch.address + patch.bytes.size());
    if (begin < end)
      std::memcpy(static_cast<std::byte *>(to) + (begin - address),
                  patch.bytes.data() + (begin - patch.address), end - begin);
  }
  return 0;
}

int bind(sartor_prelink_image *image, std::size_t library, std::size_t call_site) {
  const Library *of = library_at(image, library);
  // The stock loader's own slots have other targets until it has loaded the C library.
  if (!of || call_site >= of->code.sites.size() || !of->memory || of->is_stock_loader ||
      image->image.changes.is_observable)
    return -1;
  const auto target = of->targets.find(of->code.sites[call_site].relocation);
  auto &changes = image->image.changes.libraries;
  if (target == of->targets.end() ||
      changes[target->second.library].kept.contains(target->second.address))
    return -1;
  changes[library].direct.push_back(call_site);
  return 0;
}

int write(sartor_prelink_image *image, std::size_t library, std::uint64_t address, const void *from,
          std::size_t size) {
  const Library *of = library_at(image, library);
  if (!of || !of->memory || !of->file.at(address, size))
    return -1;
  const bool is_readonly = std::ranges::any_of(of->file.segments(), [&](const Segment &segment) {
    return !segment.protection.write && segment.holds(address) &&
           size <= segment.address + segment.file_size - address;
  });
  if (!is_readonly || overlaps_copied(image->image, library, address, size))
    return -1;
  const auto *bytes = static_cast<const std::byte *>(from);
  image->image.changes.libraries[library].patches.push_back({address, {bytes, bytes + size}});
  return 0;
}

bool can_be_packed(const PrelinkImage &image, std::size_t library) {
  return library != 0 && image.libraries[library].memory && !unmovable(image, library);
}

int pack(sartor_prelink_image *image, std::size_t library, unsigned gap) {
  if (!library_at(image, library) || !can_be_packed(image->image, library))
    return -1;
  auto &packed = image->image.changes.packed;
  const auto place = std::ranges::lower_bound(packed, library);
  if (place == packed.end() || *place != library)
    packed.insert(place, library);
  image->image.changes.libraries[library].gap = std::uint64_t{gap} * format::page;
  return 0;
}

/// True if a settled relocation has a target that satisfies `is_meant`, or belongs to `library`.
template <class IsMeant>
bool is_settled(const PrelinkImage &image, std::size_t library, const IsMeant &is_meant) {
  for (std::size_t i = 0; i < image.libraries.size(); ++i)
    for (const std::uint32_t relocation : image.changes.libraries[i].settled)
      if (i == library || is_meant(*image.libraries[i].proofs.at(relocation)))
        return true;
  return false;
}

int set_domain(sartor_prelink_image *image, std::size_t library, const char *domain) {
  const auto is_in_it = [&](const Target &target) { return target.library == library; };
  if (!library_at(image, library) || !image->image.changes.libraries[library].copied.empty() ||
      std::ranges::binary_search(image->image.changes.packed, library) ||
      is_settled(image->image, library, is_in_it))
    return -1;
  image->image.changes.libraries[library].domain = domain;
  return 0;
}

int set_environment(sartor_prelink_image *image, const char *name, const char *value) {
  if (*name == '\0' || std::strchr(name, '=') != nullptr)
    return -1;
  image->image.changes.environment.emplace_back(name, value);
  return 0;
}

int preload(sartor_prelink_image *image, const char *path) {
  const format::FileIdentity identity = identity_of(path);
  if (*path != '/' || std::strpbrk(path, ": ") != nullptr || identity == format::FileIdentity{})
    return -1;
  auto &preloaded = image->image.changes.preloaded;
  if (std::ranges::find(preloaded, path) == preloaded.end())
    preloaded.emplace_back(path);
  return 0;
}

bool is_bound_to(const PrelinkImage &image, const Target &target) {
  for (std::size_t i = 0; i < image.libraries.size(); ++i) {
    const Library &library = image.libraries[i];
    const auto leads_there = [&](std::size_t site) {
      return library.targets.at(library.code.sites[site].relocation) == target;
    };
    if (std::ranges::any_of(image.changes.libraries[i].direct, leads_there))
      return true;
  }
  return false;
}

int keep(sartor_prelink_image *image, std::size_t library, std::uint64_t function) {
  const Library *of = library_at(image, library);
  const Target target{library, function};
  if (!of || !of->file.at(function, 1) || is_bound_to(image->image, target) ||
      is_settled(image->image, SIZE_MAX, [&](const Target &other) { return other == target; }) ||
      image->image.changes.libraries[library].copied.contains(function))
    return -1;
  image->image.changes.libraries[library].kept.insert(function);
  return 0;
}

const char *settle(sartor_prelink_image *image, std::size_t library, std::size_t relocation) {
  const Library *of = library_at(image, library);
  if (!of || relocation >= of->file.relocations().size())
    return "not there";
  if (of->is_stock_loader)
    return "the stock loader's own";
  if (!of->memory)
    return "of a library of unknown shape";
  const auto proof = of->proofs.find(static_cast<std::uint32_t>(relocation));
  if (proof == of->proofs.end())
    return "without a symbol";
  if (!proof->second)
    return proof->second.error();
  auto &changes = image->image.changes.libraries;
  const Target &target = *proof->second;
  if (!image->image.libraries[target.library].memory)
    return "of a library of unknown shape";
  if (!changes[library].domain.empty() || !changes[target.library].domain.empty())
    return "of a domain";
  if (changes[target.library].kept.contains(target.address))
    return "kept";
  changes[library].settled.insert(proof->first);
  return nullptr;
}

int depend_on(sartor_prelink_image *image, const char *path) {
  if (*path != '/')
    return -1;
  image->image.changes.files.push_back({path, identity_of(path)});
  return 0;
}

int admit(sartor_prelink_image *image, const char *path) {
  if (path != nullptr && *path != '/')
    return -1;
  auto &admitted = image->image.changes.admitted;
  if (!admitted)
    admitted.emplace();
  if (path != nullptr)
    admitted->push_back({path, identity_of(path)});
  return 0;
}

int is_planned(const sartor_prelink_image *image, const char *path, int file) {
  const format::FileIdentity identity = identity_of(file);
  const auto is_it = [&](const auto &planned) {
    return planned.path == path && planned.identity == identity;
  };
  const auto &admitted = image->image.changes.admitted;
  const bool is_one = std::ranges::any_of(image->image.libraries, is_it) ||
                      (admitted && std::ranges::any_of(*admitted, is_it));
  return is_one && identity != format::FileIdentity{} ? 0 : -1;
}

void refuse(sartor_prelink_image *image, const char *why) {
  if (!image->refusal)
    image->refusal = why;
}

void report(sartor_prelink_image *image, const char *line) {
  image->reports.push_back(image->pass + ": " + line);
}

std::uint64_t random(sartor_prelink_image * /*image*/) {
  std::uint64_t bits = 0;
  static_cast<void>(getrandom(&bits, sizeof bits, 0));
  return bits;
}

const char *option(const sartor_prelink_image *image, const char *name) {
  const auto options = image->options.find(image->pass);
  if (options == image->options.end())
    return nullptr;
  const auto found = options->second.find(name);
  return found == options->second.end() ? nullptr : found->second.c_str();
}

const char *option_name(const sartor_prelink_image *image, std::size_t index) {
  const auto options = image->options.find(image->pass);
  if (options == image->options.end() || index >= options->second.size())
    return nullptr;
  return std::next(options->second.begin(), static_cast<std::ptrdiff_t>(index))->first.c_str();
}

} // namespace

PassImage::PassImage(PrelinkImage image, const Settings &settings)
    : image_{std::move(image), {}, {}, {}, {}, {}} {
  for (const PassSettings &pass : settings.passes)
    image_.options[pass.name] = pass.options;
  image_.image.changes.is_observable = settings.observable;
}

const sartor_prelink_operations &PassImage::operations() {
  static constexpr sartor_prelink_operations all = {.libraries = count_libraries,
                                                    .library = get_library,
                                                    .program_header = get_program_header,
                                                    .tag = get_tag,
                                                    .segment = get_segment,
                                                    .symbol = get_symbol,
                                                    .relocation = get_relocation,
                                                    .call_site = get_call_site,
                                                    .function = get_function,
                                                    .read = read,
                                                    .bind = bind,
                                                    .write = write,
                                                    .pack = pack,
                                                    .set_domain = set_domain,
                                                    .set_environment = set_environment,
                                                    .preload = preload,
                                                    .keep = keep,
                                                    .depend_on = depend_on,
                                                    .refuse = refuse,
                                                    .report = report,
                                                    .random = random,
                                                    .option = option,
                                                    .option_name = option_name,
                                                    .admit = admit,
                                                    .settle = settle,
                                                    .copy = copy_function,
                                                    .is_planned = is_planned};
  return all;
}

void PassImage::begin(const std::string &pass) {
  image_.pass = pass;
  before_ = image_.image.changes;
  reports_before_ = image_.reports.size();
}

void PassImage::undo() {
  image_.image.changes = std::move(before_);
  image_.reports.resize(reports_before_);
}

} // namespace sartor::loader
