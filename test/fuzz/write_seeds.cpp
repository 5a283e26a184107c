// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// write_seeds DIRECTORY OBJECT_FILE: writes the fuzzers' seeds as DIRECTORY/<fuzzer>/<name>.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <sartor/configuration.hpp>
#include <sartor/constraints.hpp>
#include <sartor/profile.hpp>

#include "compiler/frontend/section.h"
#include "core/cache/stored_image.h"
#include "core/difference/difference.h"
#include "core/image/pack.h"
#include "fuzz/image_input.h"
#include "fuzz/message_input.h"
#include "remote/protocol/device_message.h"
#include "remote/protocol/message.h"

using namespace sartor;

int main(int argc, char **argv) {
  if (argc != 3)
    return std::puts("usage: write_seeds DIRECTORY OBJECT_FILE"), 2;
  const std::filesystem::path directory = argv[1];
  const auto write = [&](const char *fuzzer, const char *name, const std::string &bytes) {
    std::filesystem::create_directories(directory / fuzzer);
    std::ofstream(directory / fuzzer / name) << bytes;
  };
  std::ifstream file(argv[2]);
  const std::string object{std::istreambuf_iterator<char>(file), {}};

  write("configuration", "configuration",
        Configuration{{"B", 16},
                      {"N", any_of({64, 256})},
                      {"K", unguarded(3)},
                      {"f", 0.5},
                      {"s", "symbol"},
                      {"i", -HUGE_VAL}}
            .json());
  write("configuration", "constraints",
        Constraints{.relations = {"Ti * Tj <= 4096"},
                    .conditions = {{"depth", {"mode", {2, 3}}}},
                    .forbidden = {{{"B", 64}, {"N", 64}}}}
            .json());
  PointProfile point{.kind = PointKind::fast_path,
                     .type = {PointType::Class::integer, 32, true},
                     .arguments = {{PointType::Class::pointer, 64, false}},
                     .count = 3};
  point.entries.push_back({.inputs = {"table"}, .count = 2, .result = 7, .version = 1});
  point.other = 1;
  write("profile", "profile", Profile("0123", {{"lookup", point}, {"B", {}}}).json());
  write("image", "image", core::pack_image(core::some_image()));
  for (const std::string &message : remote::some_messages())
    write("message", std::to_string(message.front()).c_str(), message);
  write("device", "answer",
        char{0} + remote::to_bytes(remote::Customized{{0},
                                                      {{RemarkCode::point_generic, "a remark"}},
                                                      core::pack_image(core::some_image())}));
  core::Difference difference;
  difference.handler = "blend";
  difference.frame = std::string(24, '\1');
  difference.result_offset = 16;
  difference.result_bytes = 8;
  difference.result_mask = std::string(8, '\xff');
  difference.regions = {{0, 8, 4}};
  difference.addresses = {{"table", 0x1000}};
  difference.memory = {{0x1000, "before"}, {0x2000, "more"}};
  difference.native = {{}, std::string(8, '\2'), {{0x1000, "after"}}};
  difference.changed.outcome = {core::CallOutcome::Kind::crashed, 11};
  const core::DifferenceFiles files = core::files_of(difference);
  write("difference", "difference", files.description + '\0' + files.memory);
  write("stored", "image",
        core::pack_stored({1}, {"f{x=1}", "f", "f.cpp", "full", "cpu", "22", "0", 1}, object));
  write("stored", "empty", core::pack_stored({}, {}, ""));
  write("toml", "settings", R"(passes = ["bind", "concat"]  # which
enforce = ["verify"]
strict = true
directories = ["/opt/passes", '/opt/more']
[pass.verify]
keys = "/etc/\u0041\t\"keys\""
limit = -0x1F
"quick.er" = false
[application."/usr/bin/server"]
passes = [
  "bind",  # one
]
[application.name.pass.bind]
only = 'libc.so.6'
)");
  write("section", "one", compiler::framed(object));
  write("section", "two", compiler::framed("BC") + compiler::framed(object));
  return 0;
}
