// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/server/compilers/compilers.h"

#include <chrono>
#include <utility>

#include "remote/protocol/channel.h"

namespace sartor::server {

Compilers::Compilers(std::string program, bool may_be_weak) : program_(std::move(program)) {
  if (may_be_weak)
    arguments_.emplace_back("--allow-weak-confinement");
}

void Compilers::warm_up() {
  if (auto parent = remote::WarmParent::start(program_, arguments_))
    parent_ = std::move(*parent);
}

Result<std::unique_ptr<remote::Child>> Compilers::start() {
  auto child = parent_ ? parent_->fork() : nullptr;
  if (!child) {
    auto parent = remote::WarmParent::start(program_, arguments_);
    if (!parent)
      return std::unexpected(std::move(parent.error()));
    parent_ = std::move(*parent);
    child = parent_->fork();
  }
  if (!child)
    return std::unexpected(remote::lost("cannot be started"));
  ++starts_;
  return child;
}

std::optional<std::string> Compilers::why_ended() {
  return parent_ ? parent_->end(std::chrono::milliseconds(0)) : std::nullopt;
}

} // namespace sartor::server
