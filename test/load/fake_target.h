// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_LOAD_FAKE_TARGET_H
#define SARTOR_TEST_LOAD_FAKE_TARGET_H

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "loader/lib/pass/pass_manager.h"

namespace sartor::loader {

/// One library with one segment; records the settings that passes make.
struct FakeImage {
  std::uint32_t protection = SARTOR_READ;
  std::vector<std::string> reports;
  std::map<std::string, std::string> environment;
  std::optional<std::string> refusal;
  std::map<std::string, std::string> options;
};

class FakeTarget : public PassTarget {
public:
  FakeTarget() {
    operations_.libraries = [](const sartor_prelink_image *) -> std::size_t { return 1; };
    operations_.library = library;
    operations_.segment = segment;
    operations_.set_environment = set_environment;
    operations_.refuse = [](sartor_prelink_image *image, const char *why) {
      fake(image).refusal = why;
    };
    operations_.report = [](sartor_prelink_image *image, const char *line) {
      fake(image).reports.emplace_back(line);
    };
    operations_.option = option;
  }

  sartor_prelink_image *image() override { return reinterpret_cast<sartor_prelink_image *>(&now); }
  const sartor_prelink_operations &operations() override { return operations_; }
  void begin(const std::string &pass) override {
    begun.push_back(pass);
    before_ = now;
  }
  void undo() override { now = before_; }
  [[nodiscard]] std::optional<std::string> refusal() const override { return now.refusal; }

  FakeImage now;
  std::vector<std::string> begun;

private:
  // Passes know an image only by its address.
  static FakeImage &fake(sartor_prelink_image *image) {
    return *reinterpret_cast<FakeImage *>(image);
  }
  static const FakeImage &fake(const sartor_prelink_image *image) {
    return *reinterpret_cast<const FakeImage *>(image);
  }
  static int library(const sartor_prelink_image *, std::size_t index, sartor_library *to) {
    *to = {};
    to->path = "/lib/one.so";
    to->segments = 1;
    return index == 0 ? 0 : -1;
  }
  static int segment(const sartor_prelink_image *image, std::size_t, std::size_t index,
                     sartor_segment *to) {
    *to = {.address = 0, .size = 4096, .size_in_file = 4096, .protection = fake(image).protection};
    return index == 0 ? 0 : -1;
  }
  static int set_environment(sartor_prelink_image *image, const char *name, const char *value) {
    fake(image).environment[name] = value;
    return 0;
  }
  static const char *option(const sartor_prelink_image *image, const char *name) {
    const auto &options = fake(image).options;
    const auto found = options.find(name);
    return found == options.end() ? nullptr : found->second.c_str();
  }

  FakeImage before_;
  sartor_prelink_operations operations_{};
};

} // namespace sartor::loader

#endif
