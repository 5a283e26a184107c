// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/image/proofs.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <elf.h>

#include "loader/lib/file/data_bounds.h"
#include "loader/lib/file/relocation_tables.h"

namespace sartor::loader {

namespace {

/// All definitions of all libraries, by name.
class Definitions {
public:
  struct Definition {
    std::size_t library;
    const Symbol *symbol;
  };

  explicit Definitions(const PrelinkImage &image) {
    for (std::size_t i = 0; i < image.libraries.size(); ++i)
      for (const Symbol &symbol : image.libraries[i].file.symbols())
        if (symbol.is_defined && symbol.binding != Binding::local && !symbol.name.empty())
          all_.emplace(symbol.name, Definition{i, &symbol});
  }
  [[nodiscard]] auto of(std::string_view name) const {
    const auto [begin, end] = all_.equal_range(name);
    return std::ranges::subrange(begin, end);
  }

private:
  std::unordered_multimap<std::string_view, Definition> all_;
};

/// Returns the number of bytes that a relocation writes.
std::uint64_t written_by(const Library &library, const Relocation &relocation) {
  constexpr std::uint64_t word = 8;
  if (relocation.type == R_X86_64_TLSDESC)
    return 2 * word;
  if (relocation.type != R_X86_64_COPY)
    return word; // upper bound
  const auto &symbols = library.file.symbols();
  return relocation.symbol < symbols.size() ? symbols[relocation.symbol].size : 0;
}

/// Marks the relocations that write where no other one does, so that the order of application does
/// not matter.
std::vector<bool> alone(const Library &library) {
  const auto &relocations = library.file.relocations();
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t i = 0; i < relocations.size(); ++i)
    order.emplace_back(relocations[i].address, i);
  std::ranges::sort(order);
  std::vector<bool> all(order.size(), true);
  std::uint64_t end = 0;
  std::size_t furthest = 0; // the relocation that ends at `end`
  for (const auto &[address, i] : order) {
    if (address < end)
      all[i] = all[furthest] = false;
    const std::uint64_t own = address + written_by(library, relocations[i]);
    if (own > end) {
      end = own;
      furthest = i;
    }
  }
  return all;
}

/// Proves the targets of one library's relocations.
class Prover {
public:
  Prover(const PrelinkImage &image, const std::vector<std::uint64_t> &bases,
         const StockProcess &process, const Definitions &definitions, std::size_t library)
      : image_(image), bases_(bases), process_(process), definitions_(definitions),
        library_(library), own_(image.libraries[library]), tables_(own_.file), alone_(alone(own_)) {
  }

  [[nodiscard]] Proof prove(std::size_t index) const {
    const Relocation &relocation = own_.file.relocations()[index];
    if (const char *why = why_not(relocation.type))
      return std::unexpected(why);
    if (const char *why = why_not(index, relocation))
      return std::unexpected(why);
    return target_of(relocation);
  }

private:
  static const char *why_not(std::uint32_t type) {
    switch (type) {
    case R_X86_64_64:
    case R_X86_64_GLOB_DAT:
    case R_X86_64_JUMP_SLOT:
      return nullptr;
    case R_X86_64_DTPMOD64:
    case R_X86_64_DTPOFF64:
    case R_X86_64_TPOFF64:
    case R_X86_64_TLSDESC:
      return "thread-local";
    case R_X86_64_COPY:
      return "copied";
    default:
      return "of another kind";
    }
  }

  /// Returns why a relocation cannot be rewritten; nullptr if it can.
  [[nodiscard]] const char *why_not(std::size_t index, const Relocation &relocation) const {
    if (!tables_.are_in_order() || own_.file.tag(DT_GNU_PRELINKED) || !alone_[index])
      return "in odd tables";
    if (relocation.type != R_X86_64_64 && relocation.addend != 0)
      return "in odd tables"; // marks the position of the slot's stub
    if (!is_writable(relocation.address))
      return "in read-only memory";
    if (!tables_.of_slots().has(index))
      return nullptr;
    if (relocation.type != R_X86_64_JUMP_SLOT)
      return "in odd tables";
    if (tables_.binds_at_once())
      return tables_.are_adjacent() ? nullptr : "in a table apart";
    // A lazy slot is rewritten by changing its initial value, which must be in the file.
    return tables_.has_plain_slots() && own_.file.at(relocation.address, sizeof(std::uint64_t))
               ? nullptr
               : "in odd tables";
  }

  [[nodiscard]] bool is_writable(std::uint64_t address) const {
    return std::ranges::any_of(own_.file.segments(), [&](const Segment &segment) {
      return segment.protection.write && segment.holds(address) &&
             segment.holds(address + sizeof(std::uint64_t) - 1);
    });
  }

  [[nodiscard]] Proof target_of(const Relocation &relocation) const {
    const auto written = process_.word(bases_[library_] + relocation.address);
    if (!written || relocation.symbol >= own_.file.symbols().size())
      return std::unexpected("not bound");
    const std::uint64_t value = *written - static_cast<std::uint64_t>(relocation.addend);
    const Symbol &reference = own_.file.symbols()[relocation.symbol];
    if (reference.binding == Binding::local)
      return target_at({library_, &reference}, reference, value, relocation.addend);
    Proof found = std::unexpected(value == 0 ? "weak and missing" : "not bound");
    for (const auto &[name, definition] : definitions_.of(reference.name)) {
      if (definition.symbol->type == STT_GNU_IFUNC)
        return std::unexpected("indirect");
      if (definition.symbol->binding == Binding::unique)
        return std::unexpected("unique");
      if (auto target = target_at(definition, reference, value, relocation.addend);
          target || target.error() != not_there)
        found = std::move(target);
    }
    return found;
  }

  /// Checks that a value is the address of this definition.
  [[nodiscard]] Proof target_at(const Definitions::Definition &definition, const Symbol &reference,
                                std::uint64_t value, std::int64_t addend) const {
    const Symbol &symbol = *definition.symbol;
    const bool is_version =
        symbol.version == reference.version || symbol.version.empty() || reference.version.empty();
    if (!symbol.is_defined || symbol.type == STT_TLS || symbol.type == STT_GNU_IFUNC ||
        !is_version || bases_[definition.library] + symbol.address != value)
      return std::unexpected(not_there);
    const Library &library = image_.libraries[definition.library];
    const std::uint64_t address = symbol.address + static_cast<std::uint64_t>(addend);
    const bool is_within = std::ranges::any_of(library.file.segments(), [&](const Segment &each) {
      return each.holds(symbol.address) && each.holds(address);
    });
    const DataBounds bounds(library.file);
    if (!is_within || bounds.is_dynamic(symbol.address) || bounds.is_dynamic(address))
      return std::unexpected("outside of its segment");
    return Target{definition.library, address};
  }

  static constexpr const char *not_there = "not bound";

  const PrelinkImage &image_;
  const std::vector<std::uint64_t> &bases_;
  const StockProcess &process_;
  const Definitions &definitions_;
  const std::size_t library_;
  const Library &own_;
  const RelocationTables tables_;
  const std::vector<bool> alone_;
};

} // namespace

void find_proofs(PrelinkImage &image, const std::vector<std::uint64_t> &bases,
                 const StockProcess &process) {
  const Definitions definitions(image);
  for (std::size_t i = 0; i < image.libraries.size(); ++i) {
    Library &library = image.libraries[i];
    if (!library.memory || library.is_stock_loader)
      continue;
    const Prover prover(image, bases, process, definitions, i);
    const auto &relocations = library.file.relocations();
    for (std::uint32_t index = 0; index < relocations.size(); ++index)
      if (relocations[index].symbol != 0)
        library.proofs.emplace(index, prover.prove(index));
  }
}

} // namespace sartor::loader
