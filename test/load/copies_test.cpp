// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/image/copies.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

#include "loader/lib/decode/function_code.h"
#include "loader/lib/format/image_format.h"
#include "loader/lib/image/copyable.h"
#include "paths.h"

namespace sartor::loader {
namespace {

using format::page;

/// load_program with its libraries, of which all that can be are packed, with copies of all
/// functions that can have one.
class CopiesTest : public testing::Test {
protected:
  void SetUp() override {
    auto bound = bound_image_of(paths::load_program());
    ASSERT_TRUE(bound) << bound.error().text();
    image = std::move(*bound);
    std::size_t loader = 0;
    for (std::size_t i = 1; i < image.libraries.size(); ++i)
      if (image.libraries[i].is_stock_loader)
        loader = i;
      else if (image.libraries[i].unmovable.empty())
        image.changes.packed.push_back(i);
    Copyable copyable(image);
    for (std::size_t i = 0; i < image.libraries.size(); ++i)
      for (const CodeRange &function : image.libraries[i].code.functions())
        if (const char *why = copyable.why_not({i, function.begin}); why != nullptr)
          ++reasons[why];
        else
          image.changes.copied.push_back({i, function.begin});
    auto planned = Copies::of(image);
    ASSERT_TRUE(planned) << planned.error().text();
    copies = std::move(*planned);
    auto laid_out = lay_out(image, loader, 0, copies.room());
    ASSERT_TRUE(laid_out) << laid_out.error().text();
    layout = std::move(*laid_out);
    auto made = copies.make(image, layout);
    ASSERT_TRUE(made) << made.error().text();
    room = std::move(*made);
  }

  /// The bytes at an address of the arena.
  std::span<const std::byte> at(std::uint64_t address) {
    if (address >= layout.copies && address - layout.copies < room.size())
      return std::span(room).subspan(address - layout.copies);
    for (std::size_t i = 0; i < image.libraries.size(); ++i) {
      if (!layout.places[i].is_known)
        continue;
      LibraryMemory &memory = *image.libraries[i].memory;
      const std::uint64_t there = address - layout.base_of(i);
      if (there >= memory.begin && there < memory.readonly_end())
        return memory.at(there, memory.readonly_end() - there);
    }
    return {};
  }

  PrelinkImage image;
  std::map<std::string, std::size_t> reasons;
  Copies copies;
  Layout layout;
  std::vector<std::byte> room;
};

TEST_F(CopiesTest, AreOfNearlyAllFunctions) {
  EXPECT_GT(copies.all().size(), 3000U);
  std::size_t left_out = 0;
  for (const auto &[why, count] : reasons)
    left_out += why == "of the stock loader" ? 0 : count;
  EXPECT_LT(left_out, copies.all().size() / 10);
}

TEST_F(CopiesTest, LieTogetherAndDoNotOverlap) {
  EXPECT_EQ(layout.copies % page, 0U);
  EXPECT_EQ(room.size(), copies.room().size);
  std::uint64_t end = 0;
  for (const Copy &copy : copies.all()) {
    EXPECT_GE(copy.offset, end);
    EXPECT_LT(copy.offset - end, 16U);
    end = copy.offset + copy.size;
  }
  EXPECT_LE(end, copies.code_size());
  for (std::size_t i = 0; i < image.libraries.size(); ++i) {
    if (!layout.places[i].is_known)
      continue;
    const LibraryMemory &memory = *image.libraries[i].memory;
    const std::uint64_t begin = layout.base_of(i) + memory.begin;
    const bool is_apart = begin >= layout.copies + room.size() ||
                          layout.base_of(i) + memory.data_end <= layout.copies ||
                          begin + memory.readonly.size() <= layout.copies;
    EXPECT_TRUE(is_apart) << image.libraries[i].path;
  }
}

TEST_F(CopiesTest, DoWhatTheOriginalsDo) {
  std::map<std::uint64_t, std::uint64_t> by_original;
  for (const Copy &copy : copies.all())
    by_original[layout.base_of(copy.library) + copy.function.begin] = layout.copies + copy.offset;
  std::size_t direct = 0, tables = 0;
  for (const Copy &copy : copies.all()) {
    const Library &library = image.libraries[copy.library];
    const auto original = at(layout.base_of(copy.library) + copy.function.begin)
                              .first(copy.function.end - copy.function.begin);
    const auto copied = std::span(room).subspan(copy.offset, copy.size);
    const auto in_file = *library.file.at(copy.function.begin, original.size());
    const auto pads = landing_pads_of(
        [&](std::uint64_t address) { return library.file.from(address); }, copy.frame);
    ASSERT_TRUE(pads);
    const TableReader read = [&](std::int64_t offset, std::uint32_t count) {
      std::vector<std::int32_t> entries(count);
      const auto bytes = library.file.at(copy.function.begin + static_cast<std::uint64_t>(offset),
                                         count * sizeof(std::int32_t));
      std::memcpy(entries.data(), bytes->data(), bytes->size());
      return std::optional(entries);
    };
    const auto code = follow_function(in_file, *pads, read);
    ASSERT_TRUE(code) << code.error();
    std::vector<bool> is_same = code->is_reached;
    for (const Displacement &each : code->displacements) {
      std::fill_n(is_same.begin() + each.place, 4, false);
      const std::uint64_t begin = layout.base_of(copy.library) + copy.function.begin;
      const std::uint64_t begin_of_copy = layout.copies + copy.offset;
      const std::uint64_t leads_to =
          begin_of_copy + static_cast<std::uint64_t>(target_of(copied, each));
      EXPECT_EQ(leads_to, begin + static_cast<std::uint64_t>(target_of(original, each)));
      const auto other = by_original.find(layout.base_of(copy.library) + copy.function.begin +
                                          static_cast<std::uint64_t>(target_of(in_file, each)));
      if (each.kind != Displacement::Kind::operand && other != by_original.end()) {
        EXPECT_EQ(leads_to, other->second);
        ++direct;
      }
    }
    for (const JumpTable &table : code->tables) {
      ++tables;
      std::fill_n(is_same.begin() + table.displacement.place, 4, false);
      const std::uint64_t begin_of_copy = layout.copies + copy.offset;
      const std::uint64_t address =
          begin_of_copy + static_cast<std::uint64_t>(target_of(copied, table.displacement));
      EXPECT_GE(address, layout.copies + copies.code_size());
      for (std::size_t i = 0; i < table.entries.size(); ++i) {
        const std::int64_t target = table.offset + table.entries[i];
        const bool is_inside = target >= 0 && static_cast<std::uint64_t>(target) < original.size();
        std::int32_t distance;
        std::memcpy(&distance, at(address + i * sizeof distance).data(), sizeof distance);
        EXPECT_EQ(address + static_cast<std::uint64_t>(std::int64_t{distance}),
                  (is_inside ? begin_of_copy : layout.base_of(copy.library) + copy.function.begin) +
                      static_cast<std::uint64_t>(target));
        if (is_inside)
          EXPECT_TRUE(code->is_reached[static_cast<std::size_t>(target)]);
      }
    }
    for (std::size_t i = 0; i < original.size(); ++i)
      if (is_same[i])
        ASSERT_EQ(copied[i], in_file[i]) << copy.function.begin << " + " << i;
      else if (!code->is_reached[i])
        ASSERT_EQ(copied[i], std::byte{0xcc});
  }
  EXPECT_GT(direct, 5000U);
  EXPECT_GT(tables, 50U);
}

TEST_F(CopiesTest, AreUnwoundAsTheOriginals) {
  const std::size_t owner = copies.room().owner;
  const Library &library = image.libraries[owner];
  const auto &headers = library.file.program_headers();
  std::uint64_t table = 0, covered = 0;
  for (std::size_t i = 0; i < headers.size(); ++i) {
    Elf64_Phdr header;
    std::memcpy(&header,
                at(layout.base_of(owner) + library.memory->begin +
                   library.file.program_headers_offset() + i * sizeof header)
                    .data(),
                sizeof header);
    if (header.p_type == PT_GNU_EH_FRAME)
      table = layout.base_of(owner) + header.p_vaddr;
    else if (header.p_type == PT_LOAD && (header.p_flags & PF_W) == 0)
      covered = layout.base_of(owner) + header.p_vaddr + header.p_memsz;
  }
  EXPECT_EQ(covered, layout.copies + room.size());
  const FunctionFrames frames([&](std::uint64_t address) { return at(address); }, table);
  for (const CodeRange &function : library.code.functions()) {
    const std::uint64_t base = layout.base_of(owner);
    EXPECT_NE(frames.of({base + function.begin, base + function.end}), nullptr);
  }
  std::size_t with_personality = 0;
  for (const Copy &copy : copies.all()) {
    const std::uint64_t base = layout.base_of(copy.library);
    const std::uint64_t begin = layout.copies + copy.offset;
    const unwind::Frame *frame = frames.of({begin, begin + copy.size});
    ASSERT_NE(frame, nullptr);
    EXPECT_EQ(frame->language_data,
              copy.frame.language_data == 0 ? 0 : base + copy.frame.language_data);
    const unwind::Common &common = frames.common_of(*frame);
    ASSERT_EQ(common.personality.has_value(), copy.common.personality.has_value());
    if (common.personality) {
      // The originals', in memory: data may have moved.
      const unwind::Pointer &pointer = *copy.common.personality;
      unwind::Cursor at_pointer(at(base + pointer.place), base + pointer.place);
      EXPECT_EQ(common.personality->target, at_pointer.read_pointer(pointer.encoding));
      ++with_personality;
    }
    const auto size = copy.frame.place.end - copy.frame.instructions;
    EXPECT_TRUE(std::ranges::equal(at(frame->instructions).first(size),
                                   at(base + copy.frame.instructions).first(size)));
  }
  EXPECT_GT(with_personality, 0U);
}

} // namespace
} // namespace sartor::loader
