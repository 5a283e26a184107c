// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/image/image_file.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <random>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "front/plan.h"
#include "fuzz/plan_input.h"
#include "loader/lib/format/image_format.h"
#include "loader/lib/image/written_image.h"
#include "paths.h"

namespace sartor::loader {
namespace {

namespace fs = std::filesystem;
using format::plan_offset;
using front::look_at_plan;
using testing::StrEq;

constexpr std::uint64_t key = 0x5a1702;

/// An open file.
class Open {
public:
  explicit Open(const fs::path &path) : file_(open(path.c_str(), O_RDWR | O_CLOEXEC)) {
    EXPECT_GE(file_, 0) << path;
  }
  Open(const Open &) = delete;
  Open &operator=(const Open &) = delete;
  ~Open() { close(file_); }
  [[nodiscard]] int get() const { return file_; }

private:
  int file_;
};

TEST(BoundImage, HasTargetsOfTheCLibrarysIndirectFunctions) {
  const auto image = bound_image_of(paths::load_program());
  ASSERT_TRUE(image) << image.error().text();
  const auto library = std::ranges::find_if(image->libraries, [](const Library &each) {
    return each.file.dynamic() && each.file.dynamic()->name == "libc.so.6";
  });
  ASSERT_NE(library, image->libraries.end());
  const auto index = static_cast<std::size_t>(library - image->libraries.begin());
  std::size_t found = 0;
  for (const auto &[relocation, target] : library->targets)
    if (library->file.relocations()[relocation].type == R_X86_64_IRELATIVE) {
      EXPECT_EQ(target.library, index);
      ++found;
    }
  EXPECT_GT(found, 0U) << "as memcpy()";
}

bool is_accepted(int file, std::uint64_t by = key) {
  front::Plan plan;
  const bool accepted = plan.read(file, by);
  if (accepted)
    front::look_at(plan);
  plan.forget();
  return accepted;
}

bool is_accepted(const fs::path &path, std::uint64_t by = key) {
  return is_accepted(Open(path).get(), by);
}

PrelinkImage packed_image() {
  auto image = bound_image_of(paths::load_program());
  EXPECT_TRUE(image) << image.error().text();
  for (std::size_t i = 1; i < image->libraries.size(); ++i)
    if (image->libraries[i].unmovable.empty())
      image->changes.packed.push_back(i);
  EXPECT_GE(image->changes.packed.size(), 2U);
  return std::move(*image);
}

/// The image files of the tests, written once.
class ImageFile : public testing::Test {
protected:
  static void SetUpTestSuite() {
    folder = new Folder;
    plain = folder->path() / "plain";
    packed = folder->path() / "packed";
    auto image = bound_image_of(paths::load_program());
    ASSERT_TRUE(image) << image.error().text();
    image->changes.environment.emplace_back("NAME", "value");
    image->changes.preloaded.emplace_back("/lib/agent.so");
    image->changes.admitted = {{paths::subject_no_plt(), identity_of(paths::subject_no_plt())}};
    const auto written = write_image(std::move(*image), planned(), plain);
    ASSERT_TRUE(written) << written.error().text();
    const auto other = write_image(packed_image(), planned(), packed);
    ASSERT_TRUE(other) << other.error().text();
  }
  static void TearDownTestSuite() {
    delete folder;
    folder = nullptr;
  }
  static Planned planned() { return {key, {"/nowhere/settings"}, false, {"/bin/sartor-ld"}}; }
  /// The plan of an image file, with all tables.
  static std::vector<std::byte> plan_of(const fs::path &path) {
    const Open file(path);
    format::Header header;
    EXPECT_EQ(pread(file.get(), &header, sizeof header, plan_offset), sizeof header);
    std::vector<std::byte> plan(header.size);
    EXPECT_EQ(pread(file.get(), plan.data(), plan.size(), plan_offset),
              static_cast<ssize_t>(plan.size()));
    return plan;
  }
  /// A copy that may be changed.
  static fs::path copy_of(const fs::path &path, const char *name) {
    fs::path copy = folder->path() / name;
    fs::copy_file(path, copy, fs::copy_options::overwrite_existing);
    fs::permissions(copy, fs::perms::owner_read | fs::perms::owner_write);
    return copy;
  }

  static Folder *folder;
  static fs::path plain, packed;
};

Folder *ImageFile::folder = nullptr;
fs::path ImageFile::plain, ImageFile::packed;

TEST_F(ImageFile, IsAcceptedByTheFrontForItsKeyOnly) {
  for (const fs::path &path : {plain, packed}) {
    EXPECT_TRUE(is_accepted(path));
    EXPECT_TRUE(is_accepted(path, 0)) << "any key";
    EXPECT_FALSE(is_accepted(path, key + 1));
  }
}

TEST_F(ImageFile, ReportsTheFrontItsFilesAndEnvironment) {
  const Open file(plain);
  front::Plan plan;
  ASSERT_TRUE(plan.read(file.get(), key));
  const format::Header &header = plan.header();
  ASSERT_EQ(header.environment.count, 1U);
  EXPECT_THAT(plan.string(*plan.table<std::uint64_t>(header.environment)), StrEq("NAME=value"));
  ASSERT_EQ(header.preloaded.count, 1U);
  EXPECT_THAT(plan.string(*plan.table<std::uint64_t>(header.preloaded)), StrEq("/lib/agent.so"));
  const auto *files = plan.table<format::File>(header.files);
  EXPECT_THAT(plan.string(files[0].path), StrEq(paths::load_program()));
  EXPECT_THAT(plan.string(files[header.files.count - 2].path), StrEq("/nowhere/settings"));
  EXPECT_EQ(header.flags, format::is_closed);
  ASSERT_EQ(header.admitted.count, 1U);
  const auto admitted = plan.table<std::uint64_t>(header.admitted)[0];
  EXPECT_THAT(plan.string(files[admitted].path), StrEq(paths::subject_no_plt()));
  ASSERT_GT(header.libraries.count, 0U);
  const auto *libraries = plan.table<format::Library>(header.libraries);
  EXPECT_THAT(plan.string(files[libraries[0].file].path), StrEq(paths::subject_plt()));
  EXPECT_EQ(plan.changed_file(), nullptr);
  plan.forget();
}

TEST_F(ImageFile, HasABuildIdOfItsOwn) {
  const auto one = ElfFile::open(plain);
  const auto other = ElfFile::open(packed);
  ASSERT_TRUE(one) << one.error().text();
  ASSERT_TRUE(other) << other.error().text();
  EXPECT_EQ(one->build_id().size(), 32U);
  EXPECT_EQ(other->build_id().size(), 32U);
  EXPECT_NE(one->build_id(), other->build_id());
}

TEST_F(ImageFile, HasMappingsThatDoNotOverlap) {
  for (const fs::path &path : {plain, packed}) {
    const Open file(path);
    front::Plan plan;
    ASSERT_TRUE(plan.read(file.get(), key));
    const format::Header &header = plan.header();
    const auto *begin = plan.table<format::Mapping>(header.mappings);
    std::vector<format::Mapping> mappings(begin, begin + header.mappings.count);
    std::ranges::sort(mappings, {}, &format::Mapping::address);
    ASSERT_GT(mappings.size(), 3U);
    for (std::size_t i = 1; i < mappings.size(); ++i)
      EXPECT_LE(mappings[i - 1].address + mappings[i - 1].size, mappings[i].address);
    EXPECT_LE(mappings.back().address + mappings.back().size, header.arena_size);
    plan.forget();
  }
}

TEST_F(ImageFile, OfAnObservableProgramMapsUnchangedCodeFromItsFiles) {
  auto image = bound_image_of(paths::load_program());
  ASSERT_TRUE(image) << image.error().text();
  image->changes.is_observable = true;
  const fs::path path = folder->path() / "observable";
  const auto written = write_image(std::move(*image), planned(), path);
  ASSERT_TRUE(written) << written.error().text();
  const Open file(path);
  front::Plan plan;
  ASSERT_TRUE(plan.read(file.get(), key));
  const auto *begin = plan.table<format::Mapping>(plan.header().mappings);
  const auto *files = plan.table<format::File>(plan.header().files);
  std::size_t code = 0;
  for (std::uint64_t i = 0; i < plan.header().mappings.count; ++i) {
    const bool is_code = (begin[i].protection & PROT_EXEC) != 0;
    const bool is_of_file = (begin[i].flags & format::of_file) != 0;
    code += is_code && is_of_file &&
                    plan.string(files[begin[i].file].path) == fs::path(paths::load_program())
                ? 1
                : 0;
    EXPECT_EQ(begin[i].flags & format::on_huge_pages, 0U);
  }
  EXPECT_EQ(code, 1U) << "all code of the program";
  plan.forget();
}

TEST_F(ImageFile, HasTrapsBetweenPackedLibraries) {
  const Open file(packed);
  front::Plan plan;
  ASSERT_TRUE(plan.read(file.get(), key));
  const auto *begin = plan.table<format::Mapping>(plan.header().mappings);
  const auto *end = begin + plan.header().mappings.count;
  const auto *zone = std::find_if(begin, end, [](const format::Mapping &mapping) {
    return (mapping.flags & format::on_huge_pages) != 0;
  });
  ASSERT_NE(zone, end);
  std::vector<unsigned char> page(format::page);
  std::size_t pages = 0;
  for (std::uint64_t at = 0; at < zone->size; at += page.size()) {
    ASSERT_EQ(pread(file.get(), page.data(), page.size(), static_cast<off_t>(zone->offset + at)),
              static_cast<ssize_t>(page.size()));
    pages += std::ranges::all_of(page, [](unsigned char byte) { return byte == 0xcc; }) ? 1 : 0;
  }
  EXPECT_GE(pages, 2U) << "at least where the libraries' data was";
  plan.forget();
}

TEST_F(ImageFile, OfAProgramThatTheStockLoaderStartsIsAccepted) {
  const fs::path path = folder->path() / "stock";
  const std::vector<KnownFile> files = {
      {paths::load_program(), identity_of(paths::load_program())}};
  ASSERT_TRUE(write_stock_image(files, planned(), {.why = "since"}, path));
  EXPECT_TRUE(is_accepted(path));
  const Open file(path);
  front::Plan plan;
  ASSERT_TRUE(plan.read(file.get(), key));
  EXPECT_THAT(plan.string(plan.header().reason), StrEq("since"));
  EXPECT_EQ(plan.header().until, 0U);
  EXPECT_EQ(plan.header().flags, 0U);
  plan.forget();
}

TEST_F(ImageFile, OfAProgramThatTheStockLoaderStartsSaysUntilWhenAndWhetherThatWasReported) {
  const fs::path path = folder->path() / "for some time";
  Planned required = planned();
  required.is_required = true;
  const auto before = static_cast<std::uint64_t>(time(nullptr));
  ASSERT_TRUE(
      write_stock_image({}, required, {.why = "", .is_reported = false, .lasts = 100}, path));
  const Open file(path);
  front::Plan plan;
  ASSERT_TRUE(plan.read(file.get(), key));
  EXPECT_GE(plan.header().until, before + 100);
  EXPECT_LE(plan.header().until, before + 1000);
  EXPECT_EQ(plan.header().flags, format::is_required);
  plan.forget();
  EXPECT_NE(fs::status(path).permissions() & fs::perms::owner_exec, fs::perms::none);
}

TEST_F(ImageFile, CutOffAnywhereIsRefused) {
  std::mt19937_64 random(1);
  const fs::path path = copy_of(packed, "cut");
  const Open file(path);
  const std::uint64_t whole = fs::file_size(path);
  std::vector<std::uint64_t> sizes = {whole - 1, plan_offset, plan_offset + 1, 0};
  for (int i = 0; i < 200; ++i) {
    sizes.push_back(random() % whole);
    sizes.push_back(random() % (2 * plan_offset));
  }
  std::ranges::sort(sizes, std::greater());
  for (const std::uint64_t size : sizes) {
    ASSERT_EQ(ftruncate(file.get(), static_cast<off_t>(size)), 0);
    EXPECT_FALSE(is_accepted(file.get())) << size;
  }
}

TEST_F(ImageFile, WithAnyByteOfThePlanChangedIsRefused) {
  std::mt19937_64 random(1);
  for (const fs::path &original : {plain, packed}) {
    const fs::path path = copy_of(original, "changed");
    const auto plan = plan_of(path);
    const Open file(path);
    for (int round = 0; round < 1'000; ++round) {
      const std::size_t at =
          round % 2 == 0 ? random() % plan.size() : random() % sizeof(format::Header);
      const auto put = [&](std::byte value) {
        ASSERT_EQ(pwrite(file.get(), &value, 1, static_cast<off_t>(plan_offset + at)), 1);
      };
      put(plan[at] ^ static_cast<std::byte>(1 + random() % 255));
      EXPECT_FALSE(is_accepted(file.get())) << at;
      put(plan[at]);
    }
    EXPECT_TRUE(is_accepted(file.get()));
  }
}

class ForgedPlan : public ImageFile {
protected:
  using Change = std::function<void(format::Header &)>;
  /// True if a plan is accepted with another header and a correct checksum.
  static bool is_accepted_with(const Change &change) {
    auto plan = plan_of(plain);
    format::Header header;
    std::memcpy(&header, plan.data(), sizeof header);
    change(header);
    std::memcpy(plan.data(), &header, sizeof header);
    return look_at_plan(plan);
  }
  template <class T>
  static bool
  is_accepted_with_entry(format::Table format::Header::*table,
                         const std::function<void(T &, const format::Header &)> &change) {
    auto plan = plan_of(plain);
    format::Header header;
    std::memcpy(&header, plan.data(), sizeof header);
    T entry;
    std::byte *at = plan.data() + (header.*table).offset;
    std::memcpy(&entry, at, sizeof entry);
    change(entry, header);
    std::memcpy(at, &entry, sizeof entry);
    return look_at_plan(plan);
  }
};

TEST_F(ForgedPlan, ThatIsNotChangedIsAccepted) {
  EXPECT_TRUE(is_accepted_with([](format::Header &) {}));
}

TEST_F(ForgedPlan, WithTablesThatLeadOutsideIsRefused) {
  using Header = format::Header;
  for (format::Table Header::*table :
       {&Header::files, &Header::mappings, &Header::libraries, &Header::environment,
        &Header::preloaded, &Header::strings}) {
    for (const std::uint64_t count :
         {std::numeric_limits<std::uint64_t>::max(), std::uint64_t{1} << 61, std::uint64_t{1} << 32,
          std::uint64_t{100'000}})
      EXPECT_FALSE(is_accepted_with([&](Header &header) { (header.*table).count = count; }));
    for (const std::uint64_t offset :
         {~std::uint64_t{7}, std::uint64_t{1} << 63, std::uint64_t{1} << 21, std::uint64_t{1}})
      EXPECT_FALSE(is_accepted_with([&](Header &header) { (header.*table).offset = offset; }));
    EXPECT_FALSE(is_accepted_with([&](Header &header) { (header.*table).offset = header.size; }));
  }
}

TEST_F(ForgedPlan, WithStringsWithoutEndIsRefused) {
  EXPECT_FALSE(is_accepted_with([](format::Header &header) { header.strings.count = 0; }));
  EXPECT_FALSE(is_accepted_with([](format::Header &header) { --header.strings.count; }));
}

TEST_F(ForgedPlan, WithAnOddArenaIsRefused) {
  using Header = format::Header;
  EXPECT_FALSE(is_accepted_with([](Header &header) { header.arena_size += format::page; }));
  EXPECT_FALSE(is_accepted_with([](Header &header) { header.arena_size <<= 20; }));
  EXPECT_FALSE(is_accepted_with([](Header &header) { header.arena_size = 0; }));
  EXPECT_FALSE(is_accepted_with([](Header &header) { header.arena = header.alignment; }));
  EXPECT_FALSE(is_accepted_with([](Header &header) {
    header.flags |= format::is_fixed;
    header.arena = header.alignment / 2;
  }));
  EXPECT_FALSE(is_accepted_with([](Header &header) {
    header.flags |= format::is_fixed;
    header.arena = format::greatest_arena;
  }));
  for (const std::uint64_t alignment : {std::uint64_t{0}, format::page / 2, 3 * format::page,
                                        2 * format::greatest_arena, ~std::uint64_t{0}})
    EXPECT_FALSE(is_accepted_with([&](Header &header) { header.alignment = alignment; }));
  EXPECT_FALSE(is_accepted_with([](Header &header) { header.loader = header.arena_size; }));
  EXPECT_FALSE(is_accepted_with([](Header &header) { header.loader_entry = ~header.loader; }));
  EXPECT_FALSE(is_accepted_with([](Header &header) { header.hook_page = header.arena_size; }));
  EXPECT_FALSE(is_accepted_with([](Header &header) { header.hook_page += 8; }));
  EXPECT_FALSE(is_accepted_with([](Header &header) { header.plain_calls = header.arena_size; }));
  EXPECT_FALSE(is_accepted_with([](Header &header) { header.entry = header.arena_size; }));
  EXPECT_FALSE(is_accepted_with([](Header &header) { header.program_headers = ~0ULL; }));
  EXPECT_FALSE(is_accepted_with([](Header &header) { header.program_header_count = 1ULL << 40; }));
  EXPECT_FALSE(is_accepted_with([](Header &header) { header.plain_event = header.arena_size; }));
  EXPECT_FALSE(is_accepted_with([](Header &header) { header.debug = header.arena_size; }));
  EXPECT_FALSE(is_accepted_with([](Header &header) { header.reason = header.strings.count; }));
  EXPECT_FALSE(is_accepted_with([](Header &header) { header.environment.count = 1000; }));
}

TEST_F(ForgedPlan, WithMappingsThatLeadOutsideIsRefused) {
  using format::Header;
  using format::Mapping;
  const auto is_accepted_with_mapping =
      [](const std::function<void(Mapping &, const Header &)> &change) {
        return is_accepted_with_entry<Mapping>(&Header::mappings, change);
      };
  EXPECT_TRUE(is_accepted_with_mapping([](Mapping &, const Header &) {}));
  EXPECT_FALSE(is_accepted_with_mapping([](Mapping &mapping, const Header &header) {
    mapping.flags = format::of_file;
    mapping.file = header.files.count;
  }));
  EXPECT_FALSE(is_accepted_with_mapping([](Mapping &mapping, const Header &) {
    mapping.flags = format::of_file;
    mapping.file = 0;
    mapping.offset = std::uint64_t{1} << 40;
  }));
  EXPECT_FALSE(is_accepted_with_mapping(
      [](Mapping &mapping, const Header &header) { mapping.address = header.arena_size; }));
  EXPECT_FALSE(is_accepted_with_mapping(
      [](Mapping &mapping, const Header &) { mapping.address = ~(format::page - 1); }));
  EXPECT_FALSE(
      is_accepted_with_mapping([](Mapping &mapping, const Header &) { ++mapping.address; }));
  EXPECT_FALSE(is_accepted_with_mapping(
      [](Mapping &mapping, const Header &) { mapping.size = ~(format::page - 1); }));
  EXPECT_FALSE(
      is_accepted_with_mapping([](Mapping &mapping, const Header &) { mapping.size += 8; }));
  EXPECT_FALSE(is_accepted_with_mapping([](Mapping &mapping, const Header &header) {
    mapping.offset = header.image_size / format::page * format::page;
  }));
  EXPECT_FALSE(is_accepted_with_mapping(
      [](Mapping &mapping, const Header &) { mapping.protection = PROT_WRITE | PROT_EXEC; }));
  EXPECT_FALSE(is_accepted_with_mapping([](Mapping &mapping, const Header &) {
    mapping.flags |= format::absolute; // though the arena has no fixed address
  }));
}

TEST_F(ForgedPlan, WithEntriesThatLeadOutsideIsRefused) {
  using format::Header;
  EXPECT_FALSE((is_accepted_with_entry<format::File>(
      &Header::files,
      [](format::File &file, const Header &header) { file.path = header.strings.count; })));
  EXPECT_FALSE((is_accepted_with_entry<std::uint64_t>(
      &Header::environment,
      [](std::uint64_t &entry, const Header &header) { entry = header.strings.count; })));
  EXPECT_FALSE((is_accepted_with_entry<std::uint64_t>(
      &Header::preloaded,
      [](std::uint64_t &entry, const Header &header) { entry = header.strings.count; })));
  EXPECT_FALSE((is_accepted_with_entry<std::uint64_t>(
      &Header::again,
      [](std::uint64_t &entry, const Header &header) { entry = header.strings.count; })));
  EXPECT_FALSE((is_accepted_with([](Header &header) {
    header.admitted = {.offset = 0, .count = 1}; // the index 0 is no valid entry
  })));
  EXPECT_FALSE((is_accepted_with_entry<format::Library>(
      &Header::libraries,
      [](format::Library &library, const Header &header) { library.file = header.files.count; })));
  EXPECT_FALSE((is_accepted_with_entry<format::Library>(
      &Header::libraries,
      [](format::Library &library, const Header &header) { library.begin = header.arena_size; })));
  EXPECT_FALSE((is_accepted_with_entry<format::Library>(
      &Header::libraries,
      [](format::Library &library, const Header &) { library.header = ~std::uint64_t{0}; })));
}

TEST_F(ForgedPlan, IsRefusedOrHarmlessWhateverItSays) {
  std::mt19937_64 random(1);
  const auto whole = plan_of(packed);
  std::size_t refused = 0;
  constexpr int rounds = 4'000;
  for (int round = 0; round < rounds; ++round) {
    auto plan = whole;
    for (int i = 0; i < 1 + round % 3; ++i) {
      const std::size_t reach = round % 2 == 0 ? sizeof(format::Header) : plan.size();
      const std::size_t at = random() % (reach / 8) * 8;
      std::uint64_t word = 0;
      std::memcpy(&word, &plan[at], sizeof word);
      switch (random() % 4) {
      case 0:
        word = random() >> random() % 64;
        break;
      case 1:
        word += random() % 65 - 32;
        break;
      case 2:
        word ^= std::uint64_t{1} << random() % 64;
        break;
      default:
        word = ~word;
      }
      std::memcpy(&plan[at], &word, sizeof word);
    }
    refused += look_at_plan(plan) ? 0 : 1;
  }
  EXPECT_GT(refused, 100U);
  EXPECT_LT(refused, rounds);
}

TEST_F(ImageFile, IsCheckedAsAWhole) {
  for (const fs::path &path : {plain, packed}) {
    const auto image = WrittenImage::read(path);
    ASSERT_TRUE(image) << image.error().text();
    EXPECT_EQ(image->files().front().path, paths::load_program());
    EXPECT_TRUE(image->check());
  }
  const auto none = WrittenImage::read(folder->path());
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::file_error);
}

TEST_F(ImageFile, ThatIsDamagedAnywhereIsFound) {
  std::mt19937_64 random(1);
  const fs::path path = copy_of(packed, "damaged");
  const Open file(path);
  front::Plan plan;
  ASSERT_TRUE(plan.read(file.get(), key));
  const auto &table = plan.header().mappings;
  const auto *begin = plan.table<format::Mapping>(table);
  const std::vector<format::Mapping> mappings(begin, begin + table.count);
  plan.forget();
  int changed = 0;
  for (const format::Mapping &mapping : mappings) {
    if ((mapping.flags & format::zeros) != 0)
      continue;
    for (int i = 0; i < 8; ++i) {
      const auto at = static_cast<off_t>(mapping.offset + random() % mapping.size);
      char byte = 0;
      ASSERT_EQ(pread(file.get(), &byte, 1, at), 1);
      const char other = static_cast<char>(byte ^ 1);
      ASSERT_EQ(pwrite(file.get(), &other, 1, at), 1);
      const auto image = WrittenImage::read(path);
      ASSERT_TRUE(image);
      const auto checked = image->check();
      ASSERT_FALSE(checked) << at;
      EXPECT_EQ(checked.error().code, ErrorCode::bad_plan);
      ASSERT_EQ(pwrite(file.get(), &byte, 1, at), 1);
      ++changed;
    }
  }
  EXPECT_GT(changed, 16);
  EXPECT_TRUE(WrittenImage::read(path)->check());
  const char byte = 'x';
  ASSERT_EQ(pwrite(file.get(), &byte, 1, plan_offset + sizeof(format::Header)), 1);
  EXPECT_FALSE(WrittenImage::read(path)) << "its plan";
}

TEST_F(ImageFile, ThatOthersMayWriteIsRefused) {
  const fs::path path = copy_of(plain, "others");
  EXPECT_TRUE(is_accepted(path));
  for (const fs::perms who : {fs::perms::group_write, fs::perms::others_write}) {
    fs::permissions(path, who, fs::perm_options::add);
    EXPECT_FALSE(is_accepted(path));
    fs::permissions(path, who, fs::perm_options::remove);
  }
  EXPECT_TRUE(is_accepted(path));
}

TEST_F(ImageFile, OfSomebodyElseIsRefused) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root gives files away";
  const fs::path path = copy_of(plain, "theirs");
  constexpr uid_t somebody = 65534;
  ASSERT_EQ(chown(path.c_str(), somebody, static_cast<gid_t>(-1)), 0);
  EXPECT_FALSE(is_accepted(path));
}

TEST_F(ImageFile, ThatIsNoFileIsRefused) {
  const int directory = open(folder->path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  EXPECT_FALSE(is_accepted(directory));
  close(directory);
  EXPECT_FALSE(is_accepted(-1));
}

TEST_F(ImageFile, ReportsWhichFileHasChanged) {
  const fs::path library = folder->write("library", "one");
  const fs::path settings = folder->path() / "settings";
  const fs::path path = folder->path() / "depends";
  const std::vector<KnownFile> files = {{library, identity_of(library)}};
  ASSERT_TRUE(write_stock_image(files, {key, {settings}}, {}, path));
  const Open file(path);
  front::Plan plan;
  ASSERT_TRUE(plan.read(file.get(), key));
  EXPECT_EQ(plan.changed_file(), nullptr);
  const fs::path appeared = folder->write("settings", "");
  EXPECT_THAT(plan.changed_file(), StrEq(settings.string()));
  fs::remove(appeared);
  EXPECT_EQ(plan.changed_file(), nullptr);
  const fs::path changed = folder->write("library", "another");
  EXPECT_THAT(plan.changed_file(), StrEq(library.string()));
  fs::remove(changed);
  EXPECT_THAT(plan.changed_file(), StrEq(library.string()));
  plan.forget();
}

TEST_F(ImageFile, OfAProgramWithoutALoaderFails) {
  auto image = image_of(paths::load_program_static());
  ASSERT_TRUE(image) << image.error().text();
  image->changes.libraries.resize(image->libraries.size());
  const auto written = write_image(std::move(*image), planned(), folder->path() / "none");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::bad_plan);
  EXPECT_FALSE(fs::exists(folder->path() / "none"));
}

TEST_F(ImageFile, ThatCannotBeWrittenIsAnErrorByName) {
  const auto written = write_stock_image({}, planned(), {}, "/nowhere/image");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::file_error);
  EXPECT_EQ(written.error().subject, "/nowhere/image");
}

} // namespace
} // namespace sartor::loader
