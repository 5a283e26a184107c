// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BPF_WATCH_H
#define SARTOR_BPF_WATCH_H

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <bpf/libbpf.h>

#include "base/result.h"
#include "bpf/map_content.h"
#include "bpf/object.h"

namespace sartor::bpf {

/// Programs that detect changes of watched maps, in any process, and increment the maps' versions.
/// They are attached to the kernel's own functions (watch.bpf.c), which detects changes by programs
/// as well; if the kernel does not permit that, to system calls (watch_calls.bpf.c). Only a value
/// that another program writes to in place goes undetected.
class Watch {
public:
  /// Fails with kernel_lacks if the kernel does not let this process watch.
  static Result<Watch> begin(const Versions &versions);

  /// Adds a map. With a directory for pins, the watch outlives the process. `others` are programs
  /// of other objects that use the map. Fails with kernel_lacks, also for maps that are memory of
  /// other processes, or that others use whose changes are not detected.
  Result<void> add(const bpf_map &map, const Versions &versions, const std::filesystem::path &pins,
                   const std::vector<std::string> &others);
  /// Counts the changes of a map by all functions that add() attaches to.
  Result<void> count(const bpf_map &map, const Versions &versions);
  [[nodiscard]] bool sees_programs() const { return sees_programs_; }

private:
  struct Detach {
    void operator()(bpf_link *link) const { bpf_link__destroy(link); }
  };

  Watch(Object object, bool sees_programs)
      : object_(std::move(object)), sees_programs_(sees_programs) {}
  /// Attaches the programs of that name, before and after.
  Result<void> attach(const std::string &what, const std::filesystem::path &pins);
  [[nodiscard]] bool is_loaded(const std::string &name) const;

  Object object_;
  bool sees_programs_;
  std::set<std::string> attached_;
  std::vector<std::unique_ptr<bpf_link, Detach>> links_;
};

/// Returns the programs of other objects that use a map: names with numbers, for people.
std::vector<std::string> other_users_of(const bpf_map &map, const std::set<std::uint32_t> &ours);

} // namespace sartor::bpf

#endif
