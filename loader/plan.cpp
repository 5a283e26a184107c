// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sartor-ld-plan: makes the image file of a program. Started by sartor-ld.
#include <cstdio>
#include <string>
#include <utility>

#include "load/image_file.h"
int main(int argc, char **argv) {
  using namespace sartor::load;
  std::string out; std::uint64_t key = 0; std::string passes = "bind,concat"; std::string program;
  for (int i = 1; i < argc; ++i) {
    std::string a = argv[i];
    if (a == "--key") key = std::stoull(argv[++i], nullptr, 16);
    else if (a == "--output") out = argv[++i];
    else if (a.starts_with("--passes=")) passes = a.substr(9);
    else if (a == "--") program = argv[++i];
  }
  auto image = bound_image_of(program);
  if (!image) { std::fprintf(stderr, "%s\n", image.error().text().c_str()); return 1; }
  for (auto &l : image->libraries) {
    if (passes.find("bind") != std::string::npos) for (size_t i = 0; i < l.code.sites.size(); ++i) l.direct.push_back(i);
    if (!l.unmovable.empty()) std::fprintf(stderr, "unmovable %s: %s\n", l.path.c_str(), l.unmovable.c_str());
  }
  if (passes.find("concat") != std::string::npos)
    for (size_t i = 1; i < image->libraries.size(); ++i)
      if (image->libraries[i].unmovable.empty() && image->libraries[i].path.string().find("ld-linux") == std::string::npos) image->packed.push_back(i);
  auto w = write_image(std::move(*image), {key, {}}, out);
  if (!w) { std::fprintf(stderr, "%s\n", w.error().text().c_str()); return 1; }
}
