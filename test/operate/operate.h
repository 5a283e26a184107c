// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Helpers of the tests of server operation. Needs paths::points().
#ifndef SARTOR_TEST_OPERATE_OPERATE_H
#define SARTOR_TEST_OPERATE_OPERATE_H

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "../server/directory.h"
#include "../server/line.h"
#include "../server/server_process.h"
#include "core/compiler/no_deadline.h"
#include "paths.h"
#include "remote/protocol/remote_compiler.h"
#include "remote/protocol/to_server.h"

namespace sartor::server {

namespace fs = std::filesystem;

inline void write(const fs::path &file, const std::string &text) { std::ofstream(file) << text; }

inline std::string content(const fs::path &file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Waits until the condition is true; the time limit allows for a loaded machine.
inline bool comes_true(const std::function<bool()> &condition) {
  for (int i = 0; i < 12'000 && !condition(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return condition();
}

/// A program that requests variants with a key.
class Program {
public:
  /// `server_key`: a file whose secret half the server has; by default, the server's first key.
  Program(const ServerProcess &server, const std::string &key, const std::string &server_key = {})
      : way_({server.tcp(), server_key.empty() ? server.file("server.pub").string() : server_key,
              server.file(key)}),
        compiler_(way_) {}

  /// Requests a variant that was not requested before. Returns the failure, or none on success.
  std::optional<Failure> ask() {
    if (!module_) {
      auto loaded = compiler_.load_file(paths::points(), content(paths::points()));
      if (!loaded)
        return loaded.error();
      module_ = std::make_shared<const core::HandlerModule>(std::move(*loaded));
      maker_ = compiler_.make_maker(module_); // which keeps its connection
    }
    core::Context context;
    context.handler = kinds_in(*module_);
    context.configuration = {{"generic", ++asked_}};
    const auto draft = maker_->draft(context, "kinds", {}, core::NoDeadline());
    const auto image = draft ? (*draft)->make(core::NoDeadline()) : std::unexpected(draft.error());
    return image ? std::nullopt : std::optional(image.error());
  }

private:
  remote::ToServer way_;
  remote::RemoteCompiler compiler_;
  std::shared_ptr<const core::HandlerModule> module_;
  decltype(compiler_.make_maker(module_)) maker_;
  int asked_ = 0;
};

/// Sends SIGHUP and waits until the log contains `said`.
inline void reread(const ServerProcess &server, const std::string &said) {
  server.signal(SIGHUP);
  EXPECT_TRUE(comes_true([&] { return server.log().contains(said); })) << server.log();
}

} // namespace sartor::server

#endif
