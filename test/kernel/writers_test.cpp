// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs of an object that change one of its invariant maps: each change is detected, or the
// program is reported.
#include <cstdint>
#include <memory>
#include <string>

#include <gmock/gmock.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <sartor/bpf/object.h>

#include "kernel.h"

SARTOR_BPF_OBJECT(writers)

namespace sartor::test {

namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint32_t kKey = 7;

class WritersTest : public Kernel {
protected:
  void SetUp() override {
    Kernel::SetUp();
    if (IsSkipped())
      return;
    bpf_object_open_opts options{};
    options.sz = sizeof options;
    object_.reset(bpf_object__open_mem(writers_object().data(), writers_object().size(), &options));
    ASSERT_TRUE(object_);
    ASSERT_EQ(bpf_object__load(object_.get()), 0);
  }

  void run_own(const char *name) const {
    const bpf_program *program = bpf_object__find_program_by_name(object_.get(), name);
    EXPECT_TRUE(program) << name;
    if (program)
      run(bpf_program__fd(program), packet_);
  }

  struct Close {
    void operator()(bpf_object *object) const { bpf_object__close(object); }
  };
  std::unique_ptr<bpf_object, Close> object_;
  const std::string packet_ = std::string(64, '\0');
};

} // namespace

TEST_F(WritersTest, AreSeenHoweverTheyReachTheMap) {
  BpfRuntime runtime = BpfRuntime::adopt(object_.get(), writers_object());
  const auto generic = [&] { return run(runtime.generic_program("reader"), packet_).verdict; };
  const auto active = [&] { return run(runtime.program("reader"), packet_).verdict; };
  for (const BpfWriters writers : {BpfWriters::ours, BpfWriters::watched})
    for (const char *writer :
         {"write_inline", "write_by_call", "write_by_calls", "write_to_chosen", "write_in_place",
          "write_to_chosen_in_place", "write_in_function", "write_each", "delete_in_callback",
          "write_in_loop", "delete_by_pointer", "copy_into"}) {
      runtime.update("rules", kKey, 11U);
      runtime.update("others", kKey, 12U);
      if (writers == BpfWriters::watched) {
        try {
          runtime.declare_invariant("rules", writers);
        } catch (const Error &error) {
          ASSERT_EQ(error.code(), ErrorCode::kernel_lacks); // no report of other writers
          return;
        }
      } else {
        runtime.declare_invariant("rules", writers);
      }
      runtime.specialize({});
      EXPECT_THAT(runtime.active("reader").remarks, IsEmpty()) << writer;
      EXPECT_EQ(active(), 11U) << writer;
      run_own(writer);
      EXPECT_NE(generic(), 11U) << writer;
      EXPECT_EQ(active(), generic()) << writer;
      runtime.refresh();
      EXPECT_EQ(active(), generic()) << writer << ", after refresh()";
      runtime.revoke("rules");
    }
}

TEST_F(WritersTest, OutOfSightAreSaidToBe) {
  BpfRuntime runtime = BpfRuntime::adopt(object_.get(), writers_object());
  runtime.update("hidden", kKey, 11U);
  runtime.declare_invariant("hidden", BpfWriters::ours);
  runtime.specialize({});
  EXPECT_THAT(
      runtime.active("reader_of_hidden").remarks,
      Contains(Field(&Remark::message, HasSubstr("goes out of sight in write_out_of_sight()"))));
  run_own("write_out_of_sight");
  EXPECT_EQ(run(runtime.program("reader_of_hidden"), packet_).verdict,
            run(runtime.generic_program("reader_of_hidden"), packet_).verdict);
}

} // namespace sartor::test
