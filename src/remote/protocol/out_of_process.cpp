// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/protocol/out_of_process.h"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <utility>

#include "base/environment.h"
#include "base/own_library.h"
#include "base/reports.h"
#include "remote/protocol/remote_compiler.h"

namespace sartor::remote {

namespace {

using namespace std::chrono_literals;

constexpr const char *kProgram = "sartor-compiler";

/// A compiler that ends this often is not started again for a while.
constexpr std::size_t kMostEnds = 5;
constexpr auto kWhile = 60s;

std::string path_of_program() {
  const auto named = base::read_environment().compiler_program;
  return named && !named->empty() ? *named : base::path_beside_library(kProgram);
}

} // namespace

OutOfProcess &OutOfProcess::instance() {
  static auto &beside = []() -> OutOfProcess & {
    auto &made = *new OutOfProcess; // never destroyed: threads may be lost in it
    base::add(made);
    return made;
  }();
  return beside;
}

Result<Connection> OutOfProcess::connect(const Channel::GoOn & /*it takes no time*/) {
  const std::lock_guard lock(mutex_);
  if (child_ && child_->is_lost()) {
    base::report_descriptor_lost(ErrorCode::compiler_lost, "the compiler",
                                 "and another compiler is started");
    child_.reset();
  }
  auto socket = child_ ? child_->connect() : std::nullopt;
  if (!socket) {
    if (auto started = start(); !started)
      return std::unexpected(std::move(started.error()));
    socket = child_->connect();
  }
  if (!socket)
    return std::unexpected(lost("cannot be reached"));
  return Connection{
      std::make_unique<Channel>(std::make_unique<SocketStream>(*socket), kMostAnswer)};
}

Result<void> OutOfProcess::start() {
  const auto now = Clock::now();
  if (child_) {
    (void)child_->end(); // how it has ended may not be known yet
    if (child_->was_limited())
      ++ends_by_limits_;
    else
      ends_.push_back(now);
    child_.reset();
  }
  while (!ends_.empty() && now - ends_.front() > kWhile)
    ends_.pop_front();
  if (ends_.size() >= kMostEnds)
    return std::unexpected(lost("has ended " + std::to_string(ends_.size()) +
                                " times within a minute, and is not started for a while; at last "
                                "it " +
                                last_end_));
  // The code is the program's own, which it would otherwise compile in-process: if the kernel has
  // no Landlock, seccomp alone is more confinement than that.
  std::vector<std::string> arguments{"--allow-weak-confinement"};
  for (const std::string &plugin : plugins_)
    arguments.push_back("--may-read=" + plugin);
  auto child = Child::start(path_of_program(), arguments);
  if (!child)
    return std::unexpected(std::move(child.error()));
  child_ = std::move(*child);
  base::report("compiler_started", {{"where", "out-of-process"}});
  return {};
}

Failure OutOfProcess::why_lost() {
  std::string why = "has ended the conversation";
  {
    const std::lock_guard lock(mutex_);
    const auto end = child_ ? child_->end() : std::nullopt;
    if (child_ && child_->was_limited())
      ++ends_by_limits_;
    if (end)
      why = last_end_ = *end;
    else if (!child_ && !last_end_.empty())
      why = last_end_;
  }
  base::report("compiler_lost", {{"message", why}});
  return lost(why);
}

void OutOfProcess::give_up() {
  const std::lock_guard lock(mutex_);
  if (!child_)
    return;
  last_end_ = "has not come back in time, and was killed";
  child_->kill();
}

Result<void> OutOfProcess::prepare(const Pipeline &pipeline) {
  const std::lock_guard lock(mutex_);
  bool is_new = false;
  for (const auto &plugin : pipeline.plugins) {
    std::error_code error;
    const std::string path = std::filesystem::absolute(plugin, error).string();
    if (error || std::ranges::find(plugins_, path) != plugins_.end())
      continue;
    plugins_.push_back(path);
    is_new = true;
  }
  if (is_new)
    ++era_;
  if (is_new && child_) {
    child_->retire();
    retired_.push_back(std::move(child_));
  }
  return {};
}

// The parent's compiler process serves the parent alone.
void OutOfProcess::after_fork_in_child() {
  child_.reset();
  retired_.clear();
  ends_.clear();
}

core::Compiler &out_of_process_compiler() {
  // Never destroyed: threads may be lost in it.
  static auto *compiler = new RemoteCompiler(OutOfProcess::instance());
  return *compiler;
}

} // namespace sartor::remote
