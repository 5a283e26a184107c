// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/image/settled_tables.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <optional>

#include "loader/lib/file/relocation_tables.h"
#include "loader/lib/pass/pass_image.h"
#include "paths.h"

namespace sartor::loader {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

/// The client library of a program; settles every relocation that can be settled.
class SettledClient : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    auto bound = bound_image_of(GetParam());
    ASSERT_TRUE(bound) << bound.error().text();
    target.emplace(std::move(*bound), Settings{});
    const auto found = std::ranges::find_if(image().libraries, [](const Library &library) {
      return library.path.filename().string().starts_with("libload_settled_") &&
             library.path.filename() != "libload_settled_target.so";
    });
    ASSERT_NE(found, image().libraries.end());
    index = static_cast<std::size_t>(found - image().libraries.begin());
  }
  PrelinkImage &image() { return target->image()->image; }
  Library &client() { return image().libraries[index]; }
  LibraryChanges &changes() { return image().changes.libraries[index]; }
  const char *settle(std::size_t relocation) {
    return target->operations().settle(target->image(), index, relocation);
  }
  /// Settles all relocations; returns by symbol the reason for which it cannot be settled, "" if it
  /// is.
  std::multimap<std::string, std::string> settle_all() {
    std::multimap<std::string, std::string> all;
    const auto &relocations = client().file.relocations();
    for (std::size_t i = 0; i < relocations.size(); ++i)
      if (const char *why = settle(i); relocations[i].symbol != 0)
        all.emplace(client().file.symbols()[relocations[i].symbol].name, why ? why : "");
    return all;
  }
  std::vector<std::string> whys(const std::string &symbol) {
    std::vector<std::string> found;
    for (const auto &[name, why] : settle_all())
      if (name == symbol)
        found.push_back(why);
    return found;
  }

  std::optional<PassImage> target;
  std::size_t index = 0;
};

INSTANTIATE_TEST_SUITE_P(InTables, SettledClient,
                         testing::Values(paths::settled_lazy(), paths::settled_now(),
                                         paths::settled_apart()));

/// The first relocation is that of the word of data.
TEST_P(SettledClient, LeadsWhereASymbolIs) {
  for (const char *name : {"settled_data", "settled_function", "settled_protected",
                           "settled_interposed", "settled_versioned", "settled_own"})
    EXPECT_THAT(whys(name), Contains("")) << name;
  EXPECT_THAT(whys("settled_begin"), UnorderedElementsAre("")) << "what starts the library";
}

TEST_P(SettledClient, IsLeftAsItIsWhereNobodyKnows) {
  EXPECT_THAT(whys("settled_indirect"), AllOf(Not(IsEmpty()), Not(Contains(""))));
  EXPECT_THAT(whys("settled_indirect"), Contains("indirect"));
  EXPECT_THAT(whys("settled_unique"), AllOf(Not(IsEmpty()), Each("unique")));
  EXPECT_THAT(whys("settled_thread"), AllOf(Not(IsEmpty()), Each("thread-local")));
  EXPECT_THAT(whys("settled_missing"), AllOf(Not(IsEmpty()), Not(Contains(""))));
  EXPECT_THAT(whys("settled_missing"), Contains("weak and missing"));
  EXPECT_THAT(whys("settled_data"), Contains("outside of its segment")) << "16 MiB further";
}

TEST_P(SettledClient, GoesByTheStockLoadersAnswer) {
  settle_all();
  std::vector<Target> targets;
  for (const std::uint32_t relocation : changes().settled) {
    const Relocation &each = client().file.relocations()[relocation];
    if (client().file.symbols()[each.symbol].name == "settled_interposed")
      targets.push_back(*client().proofs.at(relocation));
  }
  ASSERT_THAT(targets, Not(IsEmpty()));
  for (const Target &each : targets)
    EXPECT_EQ(each.library, 0U) << "the program comes before the library that has it, too";
}

TEST_P(SettledClient, SettlesNothingWithoutASymbolOrWhatIsNotThere) {
  const auto &relocations = client().file.relocations();
  const auto relative = std::ranges::find(relocations, R_X86_64_RELATIVE, &Relocation::type);
  ASSERT_NE(relative, relocations.end());
  EXPECT_STREQ(settle(static_cast<std::size_t>(relative - relocations.begin())),
               "without a symbol");
  EXPECT_STREQ(settle(relocations.size()), "not there");
  EXPECT_STREQ(target->operations().settle(target->image(), 1000, 0), "not there");
}

TEST_P(SettledClient, SettlesNothingOfTheStockLoader) {
  for (std::size_t i = 0; i < image().libraries.size(); ++i)
    if (image().libraries[i].is_stock_loader)
      EXPECT_STREQ(target->operations().settle(target->image(), i, 0), "the stock loader's own");
}

TEST_P(SettledClient, SettlesNothingOfOrToADomain) {
  for (const bool is_own : {true, false}) {
    SetUp();
    const auto found = std::ranges::find_if(image().libraries, [&](const Library &library) {
      return is_own ? &library == &client()
                    : library.path.filename() == "libload_settled_target.so";
    });
    const auto other = static_cast<std::size_t>(found - image().libraries.begin());
    ASSERT_EQ(target->operations().set_domain(target->image(), other, "a"), 0);
    settle_all();
    for (const std::uint32_t relocation : changes().settled)
      EXPECT_NE(client().proofs.at(relocation)->library, other);
    if (is_own)
      EXPECT_THAT(changes().settled, IsEmpty());
    else
      EXPECT_THAT(changes().settled, Not(IsEmpty()));
    EXPECT_THAT(whys("settled_function"), Contains("of a domain"));
  }
}

TEST_P(SettledClient, MakesNoDomainOfWhatIsSettled) {
  settle_all();
  EXPECT_EQ(target->operations().set_domain(target->image(), index, "a"), -1);
  for (std::size_t i = 0; i < image().libraries.size(); ++i)
    if (image().libraries[i].path.filename() == "libload_settled_target.so")
      EXPECT_EQ(target->operations().set_domain(target->image(), i, "a"), -1);
}

TEST_P(SettledClient, SettlesNothingToAFunctionThatIsKeptAndKeepsNoneThatIsSettled) {
  settle_all();
  std::optional<Target> function;
  for (const std::uint32_t relocation : changes().settled)
    if (const Relocation &each = client().file.relocations()[relocation];
        client().file.symbols()[each.symbol].name == "settled_function")
      function = *client().proofs.at(relocation);
  ASSERT_TRUE(function);
  const auto keep = [&] {
    return target->operations().keep(target->image(), function->library, function->address);
  };
  EXPECT_EQ(keep(), -1);
  SetUp();
  ASSERT_EQ(keep(), 0);
  EXPECT_THAT(whys("settled_function"), AllOf(Not(Contains("")), Contains("kept")));
}

/// The stock loader's relocation of tables in memory, reimplemented.
class Relocated {
public:
  Relocated(Library &library, bool is_lazy) : library_(library) {
    const Elf64_Phdr &dynamic = *library.file.program_header(PT_DYNAMIC);
    for (std::uint64_t at = 0; at < dynamic.p_filesz; at += sizeof(Elf64_Dyn)) {
      const auto entry = read<Elf64_Dyn>(dynamic.p_vaddr + at);
      tags_.emplace(entry.d_tag, entry.d_un.d_val);
    }
    const std::uint64_t count = tags_[DT_RELACOUNT];
    make(tags_[DT_RELA], tags_[DT_RELASZ], count, false);
    make(tags_[DT_JMPREL], tags_[DT_PLTRELSZ], 0, is_lazy);
  }
  /// By the address of the place: the value that is added to the base; nothing if a symbol is
  /// looked up.
  std::map<std::uint64_t, std::optional<std::uint64_t>> places;

private:
  template <class T> T read(std::uint64_t address) {
    T value{};
    const auto bytes = library_.memory->at(address, sizeof value);
    EXPECT_EQ(bytes.size(), sizeof value);
    std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
    return value;
  }
  void make(std::uint64_t table, std::uint64_t size, std::uint64_t relative, bool is_lazy) {
    for (std::uint64_t i = 0; i < size / sizeof(Elf64_Rela); ++i) {
      const auto entry = read<Elf64_Rela>(table + i * sizeof(Elf64_Rela));
      const bool is_relative = ELF64_R_TYPE(entry.r_info) == R_X86_64_RELATIVE;
      if (i < relative)
        EXPECT_TRUE(is_relative) << i;
      std::optional<std::uint64_t> value;
      if (is_lazy) {
        EXPECT_EQ(ELF64_R_TYPE(entry.r_info), unsigned{R_X86_64_JUMP_SLOT});
        value = read<std::uint64_t>(entry.r_offset);
      } else if (is_relative) {
        value = static_cast<std::uint64_t>(entry.r_addend);
      }
      EXPECT_TRUE(places.emplace(entry.r_offset, value).second) << "written twice";
    }
  }

  Library &library_;
  std::map<std::int64_t, std::uint64_t> tags_;
};

TEST_P(SettledClient, IsWrittenByTheStockLoaderWithoutALookUp) {
  const bool is_lazy = GetParam() == paths::settled_lazy();
  Relocated before(client(), is_lazy);
  settle_all();
  std::vector<Settled> settled;
  std::uint64_t number = 0x1000000;
  for (const std::uint32_t relocation : changes().settled)
    settled.push_back({relocation, number += 16});
  ASSERT_FALSE(settled.empty());
  loader::settle(client().file, *client().memory, settled);
  Relocated after(client(), is_lazy);
  auto expected = before.places;
  for (const Settled &each : settled)
    expected[client().file.relocations()[each.relocation].address] = each.addend;
  EXPECT_EQ(after.places, expected);
}

/// Relocations of lazily bound slots are identified by their number.
TEST_P(SettledClient, LeavesTheTableOfSlotsThatAreFilledLater) {
  const RelocationTables tables(client().file);
  const auto &slots = tables.of_slots();
  const auto bytes = [&] {
    const auto table = client().memory->at(slots.address, slots.end() - slots.address);
    return std::vector(table.begin(), table.end());
  };
  const auto before = bytes();
  settle_all();
  std::vector<Settled> settled;
  for (const std::uint32_t relocation : changes().settled)
    settled.push_back({relocation, 0});
  loader::settle(client().file, *client().memory, settled);
  const bool is_apart = GetParam() == paths::settled_apart();
  EXPECT_EQ(tables.binds_at_once(), GetParam() != paths::settled_lazy());
  EXPECT_EQ(tables.are_adjacent(), !is_apart);
  EXPECT_EQ(bytes() == before, !tables.binds_at_once() || is_apart);
  EXPECT_EQ(std::ranges::any_of(changes().settled, [&](auto i) { return slots.has(i); }),
            !is_apart);
}

/// The client's file with changes that other linkers would make.
class ChangedTables : public testing::Test {
protected:
  ElfFile changed(const auto &change) {
    const PrelinkImage image = bound_image_of(paths::settled_now()).value();
    for (const Library &library : image.libraries) {
      if (library.path.filename() != "libload_settled_now.so")
        continue;
      std::vector<std::byte> bytes(library.file.bytes().begin(), library.file.bytes().end());
      const Elf64_Phdr &dynamic = *library.file.program_header(PT_DYNAMIC);
      for (std::uint64_t at = 0; at < dynamic.p_filesz; at += sizeof(Elf64_Dyn)) {
        Elf64_Dyn entry;
        std::memcpy(&entry, &bytes[dynamic.p_offset + at], sizeof entry);
        change(library.file, entry);
        std::memcpy(&bytes[dynamic.p_offset + at], &entry, sizeof entry);
      }
      return ElfFile::parse("changed", std::move(bytes)).value();
    }
    throw std::runtime_error("there is no client");
  }
};

TEST_F(ChangedTables, AreApartIfThereIsAGap) {
  const ElfFile file = changed([](const ElfFile &, Elf64_Dyn &entry) {
    if (entry.d_tag == DT_RELASZ)
      entry.d_un.d_val -= sizeof(Elf64_Rela);
  });
  const RelocationTables tables(file);
  EXPECT_TRUE(tables.are_in_order());
  EXPECT_FALSE(tables.are_adjacent());
  EXPECT_EQ(tables.of_slots().first, file.packed_relocations().size() + tables.at_once().count);
}

TEST_F(ChangedTables, AreInOrderIfOneIsTheOthersEnd) {
  const ElfFile file = changed([](const ElfFile &file, Elf64_Dyn &entry) {
    if (entry.d_tag == DT_RELASZ)
      entry.d_un.d_val += file.tag(DT_PLTRELSZ).value();
  });
  const RelocationTables tables(file);
  EXPECT_TRUE(tables.are_in_order());
  EXPECT_FALSE(tables.are_adjacent());
  EXPECT_EQ(tables.at_once().end(), tables.of_slots().address);
  EXPECT_EQ(tables.of_slots().first + tables.of_slots().count, file.relocations().size());
}

TEST_F(ChangedTables, AreNotInOrderIfTheyOverlapOtherwise) {
  const ElfFile file = changed([](const ElfFile &, Elf64_Dyn &entry) {
    if (entry.d_tag == DT_RELASZ)
      entry.d_un.d_val += sizeof(Elf64_Rela);
  });
  EXPECT_FALSE(RelocationTables(file).are_in_order());
}

} // namespace
} // namespace sartor::loader
