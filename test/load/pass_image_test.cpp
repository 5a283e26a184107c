// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/pass/pass_image.h"

#include <algorithm>
#include <fcntl.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file/file_handle.h"
#include "folder.h"
#include "loader/lib/pass/fit.h"
#include "paths.h"

namespace sartor::loader {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// The pass operations on load_program, which calls subject_call() of its library.
class PassImageTest : public testing::Test {
protected:
  void SetUp() override {
    auto image = bound_image_of(paths::load_program());
    ASSERT_TRUE(image) << image.error().text();
    target.emplace(std::move(*image), Settings{});
  }
  sartor_prelink_image *image() { return target->image(); }
  const sartor_prelink_operations &operations() { return target->operations(); }
  /// The program's call of subject_call().
  std::pair<std::size_t, sartor_call_site> call() {
    sartor_library program;
    EXPECT_EQ(operations().library(image(), 0, &program), 0);
    for (std::size_t i = 0; i < program.call_sites; ++i) {
      sartor_call_site site;
      EXPECT_EQ(operations().call_site(image(), 0, i, &site), 0);
      sartor_relocation relocation;
      EXPECT_EQ(operations().relocation(image(), 0, site.relocation, &relocation), 0);
      sartor_library_symbol symbol;
      EXPECT_EQ(operations().symbol(image(), 0, relocation.symbol, &symbol), 0);
      if (symbol.name == std::string("subject_call"))
        return {i, site};
    }
    ADD_FAILURE() << "the program does not call subject_call()";
    return {};
  }

  std::optional<PassImage> target;
};

TEST_F(PassImageTest, ShowsTheHeadersOfAFile) {
  sartor_library program;
  ASSERT_EQ(operations().library(image(), 0, &program), 0);
  const ElfFile &file = image()->image.libraries[0].file;
  EXPECT_EQ(program.entry, file.entry());
  EXPECT_EQ(program.program_headers, file.program_headers().size());
  Elf64_Phdr header;
  ASSERT_EQ(operations().program_header(image(), 0, 0, &header), 0);
  EXPECT_EQ(header.p_type, PT_PHDR);
  EXPECT_EQ(operations().program_header(image(), 0, program.program_headers, &header), -1);
  std::uint64_t strings = 0;
  ASSERT_EQ(operations().tag(image(), 0, DT_STRTAB, &strings), 0);
  EXPECT_EQ(strings, file.tag(DT_STRTAB));
  EXPECT_EQ(operations().tag(image(), 0, DT_AUDIT, &strings), -1);
  EXPECT_EQ(operations().tag(image(), SIZE_MAX, DT_STRTAB, &strings), -1);
}

TEST_F(PassImageTest, BindsACallOnceItsTargetIsKnown) {
  const auto [index, site] = call();
  EXPECT_EQ(operations().bind(image(), 0, index), 0);
  EXPECT_THAT(image()->image.changes.libraries[0].direct, ElementsAre(index));
}

TEST_F(PassImageTest, BindsNothingToAFunctionThatIsKept) {
  const auto [index, site] = call();
  ASSERT_EQ(operations().keep(image(), site.target_library, site.target), 0);
  EXPECT_EQ(operations().bind(image(), 0, index), -1);
  EXPECT_THAT(image()->image.changes.libraries[0].direct, IsEmpty());
}

TEST_F(PassImageTest, KeepsNoFunctionThatACallIsBoundTo) {
  const auto [index, site] = call();
  ASSERT_EQ(operations().bind(image(), 0, index), 0);
  EXPECT_EQ(operations().keep(image(), site.target_library, site.target), -1);
}

TEST_F(PassImageTest, KeepsNothingThatIsNotInALibrary) {
  EXPECT_EQ(operations().keep(image(), 1000, 0), -1);
  EXPECT_EQ(operations().keep(image(), 0, ~std::uint64_t{0}), -1);
}

TEST_F(PassImageTest, PreloadsFilesByTheirPaths) {
  EXPECT_EQ(operations().preload(image(), paths::subject_no_plt().c_str()), 0);
  EXPECT_EQ(operations().preload(image(), paths::subject_no_plt().c_str()), 0) << "once is enough";
  EXPECT_THAT(image()->image.changes.preloaded, ElementsAre(paths::subject_no_plt()));
  EXPECT_EQ(operations().preload(image(), "libc.so.6"), -1);
  EXPECT_EQ(operations().preload(image(), "/nowhere/agent.so"), -1);
  const Folder folder;
  const std::string spaced = folder.path() / "an agent.so";
  std::ofstream(spaced) << "x";
  EXPECT_EQ(operations().preload(image(), spaced.c_str()), -1);
}

TEST_F(PassImageTest, KnowsWhetherAnOpenedFileIsThePlannedOne) {
  sartor_library program;
  sartor_library other;
  ASSERT_EQ(operations().library(image(), 0, &program), 0);
  ASSERT_EQ(operations().library(image(), 1, &other), 0);
  const base::FileHandle file(open(program.path, O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(operations().is_planned(image(), program.path, file.get()), 0);
  // A path that leads to another file while that one is opened.
  EXPECT_EQ(operations().is_planned(image(), other.path, file.get()), -1);
  EXPECT_EQ(operations().is_planned(image(), program.path, -1), -1);

  const Folder folder;
  const std::string plugin = folder.write("plugin.so", "signed");
  const base::FileHandle opened(open(plugin.c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(operations().is_planned(image(), plugin.c_str(), opened.get()), -1);
  ASSERT_EQ(operations().admit(image(), plugin.c_str()), 0);
  EXPECT_EQ(operations().is_planned(image(), plugin.c_str(), opened.get()), 0);
  std::ofstream(plugin) << "another content";
  EXPECT_EQ(operations().is_planned(image(), plugin.c_str(), opened.get()), -1);
}

TEST_F(PassImageTest, PacksNoLibraryThatIsInADomain) {
  const std::size_t of_call = call().second.target_library;
  sartor_library library;
  ASSERT_EQ(operations().library(image(), of_call, &library), 0);
  EXPECT_EQ(library.unmovable, nullptr);
  ASSERT_EQ(operations().set_domain(image(), of_call, "a"), 0);
  EXPECT_EQ(operations().pack(image(), of_call, 0), -1);
  EXPECT_THAT(image()->image.changes.packed, IsEmpty());
  ASSERT_EQ(operations().library(image(), of_call, &library), 0);
  EXPECT_STREQ(library.unmovable, "it is in a domain");
  EXPECT_EQ(operations().set_domain(image(), 1000, "a"), -1);
}

TEST_F(PassImageTest, PutsNoLibraryIntoADomainThatIsPacked) {
  const std::size_t of_call = call().second.target_library;
  ASSERT_EQ(operations().pack(image(), of_call, 0), 0);
  EXPECT_EQ(operations().set_domain(image(), of_call, "a"), -1);
  EXPECT_THAT(image()->image.changes.libraries[of_call].domain, IsEmpty());
}

TEST_F(PassImageTest, CopiesFunctionsBesidePackedLibraries) {
  const auto [index, site] = call();
  const std::size_t library = site.target_library;
  EXPECT_STREQ(operations().copy(image(), library, site.target), "that no packed library can take");
  ASSERT_EQ(operations().pack(image(), library, 0), 0);
  EXPECT_EQ(operations().copy(image(), library, site.target), nullptr);
  EXPECT_THAT(image()->image.changes.copied, ElementsAre(Target{library, site.target}));
  EXPECT_STREQ(operations().copy(image(), library, site.target), "that are copied already");
  EXPECT_STREQ(operations().copy(image(), library, site.target + 1), "without unwind information");
  EXPECT_STREQ(operations().copy(image(), 1000, 0), "that are not there");
  const std::byte trap{0xcc};
  EXPECT_EQ(operations().write(image(), library, site.target, &trap, 1), -1);
  EXPECT_EQ(operations().keep(image(), library, site.target), -1);
  EXPECT_EQ(operations().set_domain(image(), library, "a"), -1);
}

TEST_F(PassImageTest, CopiesNoFunctionThatIsChangedOrKept) {
  const auto [index, site] = call();
  const std::size_t library = site.target_library;
  ASSERT_EQ(operations().pack(image(), library, 0), 0);
  ASSERT_EQ(operations().keep(image(), library, site.target), 0);
  EXPECT_STREQ(operations().copy(image(), library, site.target), "that are kept");
  for (const CodeRange &function : image()->image.libraries[library].code.functions()) {
    const std::byte trap{0xcc};
    if (function.begin == site.target ||
        operations().write(image(), library, function.end - 1, &trap, 1) != 0)
      continue;
    EXPECT_STREQ(operations().copy(image(), library, function.begin),
                 "that another pass has changed");
  }
}

TEST(Observable, ImagesAreNeitherBoundNorPacked) {
  auto bound = bound_image_of(paths::load_program());
  ASSERT_TRUE(bound) << bound.error().text();
  PassImage target(std::move(*bound),
                   Settings{.passes = {}, .directories = {}, .observable = true, .files = {}});
  sartor_library library;
  ASSERT_EQ(target.operations().library(target.image(), 0, &library), 0);
  for (std::size_t site = 0; site < library.call_sites; ++site)
    EXPECT_NE(target.operations().bind(target.image(), 0, site), 0);
  EXPECT_NE(target.operations().pack(target.image(), 1, 0), 0);
  ASSERT_EQ(target.operations().library(target.image(), 1, &library), 0);
  EXPECT_STREQ(library.unmovable, "it is observable");
}

TEST(PassOptions, AreThoseOfThePassThatRuns) {
  auto image = bound_image_of(paths::load_program());
  ASSERT_TRUE(image) << image.error().text();
  Settings settings;
  settings.passes = {{.name = "one", .options = {{"b", "2"}, {"a", "1"}}},
                     {.name = "two", .options = {}}};
  PassImage target(std::move(*image), settings);
  const sartor_prelink_operations &operations = target.operations();
  target.begin("one");
  EXPECT_STREQ(operations.option(target.image(), "b"), "2");
  EXPECT_EQ(operations.option(target.image(), "c"), nullptr);
  EXPECT_STREQ(operations.option_name(target.image(), 0), "a");
  EXPECT_STREQ(operations.option_name(target.image(), 1), "b");
  EXPECT_EQ(operations.option_name(target.image(), 2), nullptr);
  for (const char *pass : {"two", "three"}) {
    target.begin(pass);
    EXPECT_EQ(operations.option_name(target.image(), 0), nullptr);
  }
}

TEST(Fit, LooksAtTheProgramAgainWithWhatPassesPreload) {
  Settings settings;
  settings.passes = {{.name = "preloads", .options = {{"library", paths::subject_no_plt()}}}};
  const auto passes = load_passes(settings, paths::test_passes());
  ASSERT_TRUE(passes) << passes.error().text();
  const auto fitted = fit(paths::load_program(), settings, *passes);
  ASSERT_TRUE(fitted) << fitted.error().text();
  EXPECT_THAT(fitted->outcomes, ElementsAre(PassOutcome{"preloads", {}}));
  EXPECT_THAT(fitted->reports, ElementsAre("preloads: done")) << "of the last time only";
  const auto &libraries = fitted->image.libraries;
  const auto preloaded =
      std::ranges::find(libraries, std::filesystem::path(paths::subject_no_plt()), &Library::path);
  ASSERT_NE(preloaded, libraries.end());
  const auto index = static_cast<std::size_t>(preloaded - libraries.begin());
  std::vector<std::size_t> targets;
  for (const auto &[relocation, target] : libraries.front().targets)
    targets.push_back(target.library);
  EXPECT_THAT(targets, Contains(index)) << "it comes before the program's own";
}

TEST(Fit, FailsIfPassesPreloadSomethingElseEachTime) {
  Settings settings;
  settings.passes = {
      {.name = "preloads",
       .options = {{"library", paths::subject_no_plt()}, {"other", paths::subject_plt()}}}};
  const auto passes = load_passes(settings, paths::test_passes());
  ASSERT_TRUE(passes) << passes.error().text();
  const auto fitted = fit(paths::load_program(), settings, *passes);
  ASSERT_FALSE(fitted);
  EXPECT_EQ(fitted.error().code, ErrorCode::bad_plan);
  EXPECT_THAT(fitted.error().text(), HasSubstr("other libraries in it each time"));
}

} // namespace
} // namespace sartor::loader
