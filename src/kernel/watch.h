// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_KERNEL_WATCH_H
#define SARTOR_KERNEL_WATCH_H

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <bpf/libbpf.h>

#include "kernel/map_content.h"
#include "kernel/object.h"
#include "observe/result.h"

namespace sartor::kernel {

/// Programs at the kernel's functions that change maps (watch.bpf.c): whoever changes a watched
/// map, in whatever process or program, increments its version. Only a value that a program of
/// somebody else's writes to in place goes by unseen.
class Watch {
public:
  /// Fails with kernel_lacks where the kernel does not let this process watch.
  static Result<Watch> begin(const Versions &versions);

  /// Watches a map, too; its kind's functions are looked at from now on. With a directory, this
  /// outlives the process. Fails with kernel_lacks, also for maps that are memory of other
  /// processes.
  Result<void> add(const bpf_map &map, const Versions &versions, const std::filesystem::path &pins);

private:
  struct Detach {
    void operator()(bpf_link *link) const { bpf_link__destroy(link); }
  };

  explicit Watch(Object object) : object_(std::move(object)) {}
  Result<void> attach(const std::string &function, const std::filesystem::path &pins);

  Object object_;
  std::set<std::string> functions_;
  std::vector<std::unique_ptr<bpf_link, Detach>> links_;
};

/// Programs of other objects that use a map: names with numbers, for people.
std::vector<std::string> other_users_of(const bpf_map &map, const std::set<std::uint32_t> &ours);

} // namespace sartor::kernel

#endif
