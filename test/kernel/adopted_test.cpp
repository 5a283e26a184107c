// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects that the program has loaded itself.
#include <memory>

#include <gmock/gmock.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <net/if.h>

#include <sartor/bpf/object.h>

#include "handlers/lookups.h"
#include "kernel.h"
#ifdef SARTOR_TEST_BPFTOOL
#include "points.skel.h"
#endif

SARTOR_BPF_OBJECT(maps)
SARTOR_BPF_OBJECT(points)

namespace sartor::test {

namespace {

using testing::Contains;
using testing::Not;

class AdoptedTest : public Kernel {};

struct Close {
  void operator()(bpf_object *object) const { bpf_object__close(object); }
  void operator()(bpf_link *link) const { bpf_link__destroy(link); }
};
using OwnObject = std::unique_ptr<bpf_object, Close>;
using OwnLink = std::unique_ptr<bpf_link, Close>;

OwnObject opened(std::string_view bytes) {
  bpf_object_open_opts options{};
  options.sz = sizeof options;
  options.object_name = "own";
  return OwnObject(bpf_object__open_mem(bytes.data(), bytes.size(), &options));
}

OwnObject loaded(std::string_view bytes) {
  OwnObject object = opened(bytes);
  EXPECT_EQ(bpf_object__load(object.get()), 0);
  return object;
}

bpf_program *program_in(const OwnObject &object, const char *name) {
  return bpf_object__find_program_by_name(object.get(), name);
}

std::string packet_with(std::uint8_t rounds) {
  Packet packet{};
  packet.rounds = rounds;
  packet.step = 1;
  return bytes_of(packet);
}

} // namespace

TEST_F(AdoptedTest, AnObjectThatIsLoadedIsSpecialized) {
  const OwnObject object = loaded(points_object());
  {
    BpfRuntime runtime = BpfRuntime::adopt(object.get(), points_object());
    EXPECT_EQ(runtime.generic_program("points"), bpf_program__fd(program_in(object, "points")));
    runtime.specialize(Configuration().set("rounds", 3));
    EXPECT_EQ(runtime.active("points").name, "points._rounds_3_");
    const int counts = bpf_object__find_map_fd_by_name(object.get(), "counts");
    EXPECT_EQ(runtime.map("counts"), counts);
    const std::uint64_t before = element(counts, 1);
    run(runtime.program("points"), packet_with(3));
    EXPECT_EQ(element(counts, 1), before + 1) << "the map is one for both";
  }
  run(bpf_program__fd(program_in(object, "points")), packet_with(3)); // it is the caller's
}

TEST_F(AdoptedTest, ALinkOfTheCallersRunsTheActiveProgramAndTheGenericOneInTheEnd) {
  make_interfaces("one", "other");
  const OwnObject object = loaded(points_object());
  const OwnLink link(bpf_program__attach_xdp(program_in(object, "points"),
                                             static_cast<int>(if_nametoindex("one"))));
  const std::uint32_t generic = program_at("one");
  {
    BpfRuntime runtime = BpfRuntime::adopt(object.get(), points_object());
    runtime.attach_link("points", bpf_link__fd(link.get()));
    runtime.specialize(Configuration().set("rounds", 3));
    EXPECT_EQ(program_at("one"), runtime.active("points").program);
    EXPECT_NE(program_at("one"), generic);
    runtime.detach("points");
    EXPECT_EQ(program_at("one"), generic);
    runtime.attach_link("points", bpf_link__fd(link.get()));
    EXPECT_NE(program_at("one"), generic);
  }
  EXPECT_EQ(program_at("one"), generic);
}

TEST_F(AdoptedTest, ALinkThatTheCallerLeadsElsewhereIsLeftToHim) {
  make_interfaces("one", "other");
  const OwnObject object = loaded(points_object());
  const OwnLink link(bpf_program__attach_xdp(program_in(object, "points"),
                                             static_cast<int>(if_nametoindex("one"))));
  {
    BpfRuntime runtime = BpfRuntime::adopt(object.get(), points_object());
    runtime.attach_link("points", bpf_link__fd(link.get()));
    ASSERT_EQ(bpf_link__update_program(link.get(), program_in(object, "first")), 0);
    const std::uint32_t others = program_at("one");
    EXPECT_EQ(code_of([&] { runtime.specialize(Configuration().set("rounds", 3)); }),
              ErrorCode::bad_attachment);
    EXPECT_EQ(program_at("one"), others);
  }
  bpf_prog_info reported{};
  std::uint32_t size = sizeof reported;
  ASSERT_EQ(bpf_obj_get_info_by_fd(bpf_program__fd(program_in(object, "first")), &reported, &size),
            0);
  EXPECT_EQ(program_at("one"), reported.id);
}

TEST_F(AdoptedTest, AMapThatTheCallerHasMadeLargerFoldsAsItIs) {
  const OwnObject object = opened(maps_object());
  constexpr std::uint32_t kEntries = 20;
  ASSERT_EQ(bpf_map__set_max_entries(bpf_object__find_map_by_name(object.get(), "list"), kEntries),
            0);
  ASSERT_EQ(bpf_object__load(object.get()), 0);
  BpfRuntime runtime = BpfRuntime::adopt(object.get(), maps_object());
  for (std::uint32_t i = 0; i < kEntries; ++i)
    runtime.update("list", i, Found{i + 100, 1, {}});
  runtime.declare_invariant("list", BpfWriters::ours);
  runtime.specialize({});
  EXPECT_NE(runtime.program("look"), runtime.generic_program("look"));
  for (std::uint32_t i = 0; i < kEntries + 2; ++i) {
    Lookups lookups{};
    lookups.index = i;
    const std::string bytes(reinterpret_cast<const char *>(&lookups), sizeof lookups);
    EXPECT_EQ(run(runtime.program("look"), bytes), run(runtime.generic_program("look"), bytes))
        << i;
  }
}

// Where an interface's packets are too long for one page, it takes only programs that say that they
// can do with it.
TEST_F(AdoptedTest, VariantsAreLoadedWithTheFlagsThatTheCallerHasSet) {
  make_interfaces("one", "other");
  ASSERT_EQ(command("ip link set one mtu 9000 && ip link set other mtu 9000"), 0);
  const OwnObject plain = loaded(points_object());
  const auto attach = [](const OwnObject &object) {
    return OwnLink(bpf_program__attach_xdp(program_in(object, "points"),
                                           static_cast<int>(if_nametoindex("one"))));
  };
  EXPECT_EQ(attach(plain), nullptr);
  const OwnObject object = opened(points_object());
  ASSERT_EQ(bpf_program__set_flags(program_in(object, "points"), BPF_F_XDP_HAS_FRAGS), 0);
  ASSERT_EQ(bpf_object__load(object.get()), 0);
  const OwnLink link = attach(object);
  ASSERT_NE(link, nullptr);
  BpfRuntime runtime = BpfRuntime::adopt(object.get(), points_object());
  runtime.attach_link("points", bpf_link__fd(link.get()));
  runtime.specialize(Configuration().set("rounds", 3));
  EXPECT_EQ(program_at("one"), runtime.active("points").program);
}

TEST_F(AdoptedTest, WhatTheCallerHasNotLoadedIsNoHandler) {
  const OwnObject object = opened(points_object());
  ASSERT_EQ(bpf_program__set_autoload(program_in(object, "at_tc"), false), 0);
  ASSERT_EQ(bpf_object__load(object.get()), 0);
  BpfRuntime runtime = BpfRuntime::adopt(object.get(), points_object());
  EXPECT_THAT(runtime.handlers(), Not(Contains("at_tc")));
  runtime.specialize(Configuration().set("rounds", 3));
  EXPECT_EQ(code_of([&] { (void)runtime.program("at_tc"); }), ErrorCode::unknown_handler);
}

TEST_F(AdoptedTest, WhatCannotBeAdoptedIsReported) {
  const OwnObject object = loaded(points_object());
  const auto adopt = [](bpf_object *adopted, std::string_view bytes, BpfOptions options = {}) {
    return code_of([&] { BpfRuntime::adopt(adopted, bytes, std::move(options)); });
  };
  EXPECT_EQ(adopt(nullptr, points_object()), ErrorCode::bad_argument);
  EXPECT_EQ(adopt(object.get(), points_object(), {.pins = pins()}), ErrorCode::bad_argument);
  EXPECT_EQ(adopt(object.get(), "no object"), ErrorCode::bad_bpf_object);
  EXPECT_EQ(adopt(object.get(), maps_object()), ErrorCode::bad_bpf_object);
  EXPECT_EQ(adopt(opened(points_object()).get(), points_object()), ErrorCode::bad_bpf_object);
  BpfRuntime runtime = BpfRuntime::adopt(object.get(), points_object());
  EXPECT_EQ(code_of([&] { runtime.attach_link("points", -1); }), ErrorCode::bad_attachment);
  EXPECT_EQ(code_of([&] { runtime.attach_link("points", runtime.map("counts")); }),
            ErrorCode::bad_attachment);
}

#ifdef SARTOR_TEST_BPFTOOL
TEST_F(AdoptedTest, ASkeletonIsSpecialized) {
  make_interfaces("one", "other");
  points_skeleton *skeleton = points_skeleton::open_and_load(); // of bpftool gen skeleton
  ASSERT_NE(skeleton, nullptr);
  std::size_t size = 0;
  const auto *bytes = static_cast<const char *>(points_skeleton::elf_bytes(&size));
  {
    const OwnLink link(
        bpf_program__attach_xdp(skeleton->progs.points, static_cast<int>(if_nametoindex("one"))));
    BpfRuntime runtime = BpfRuntime::adopt(skeleton->obj, {bytes, size});
    runtime.attach_link("points", bpf_link__fd(link.get())); // runs the active variant
    runtime.specialize(Configuration().set("rounds", 3));
    EXPECT_EQ(program_at("one"), runtime.active("points").program);
    const std::uint64_t before = skeleton->bss->runs;
    run(runtime.program("points"), packet_with(3));
    EXPECT_EQ(skeleton->bss->runs, before + 1) << "the skeleton's variables are the variant's";
  }
  points_skeleton::destroy(skeleton);
}
#endif

} // namespace sartor::test
