// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "xdp_service.h"

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include <bpf/bpf.h>
#include <linux/membarrier.h>
#include <net/if.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel_map.h"
#include "settings.h"

namespace nf {

namespace {

std::uint32_t number_of(const std::string &interface) {
  const std::uint32_t number = if_nametoindex(interface.c_str());
  if (number == 0)
    throw std::runtime_error("there is no interface \"" + interface + '"');
  return number;
}

/// Waits until all programs that are running now have ended.
void wait_for_programs() { syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0); }

} // namespace

XdpService::XdpService(const XdpFunction &function, std::string_view object,
                       const toml::table &file)
    : function_(function), runtime_(sartor::BpfRuntime::open(object)) {
  configure(file);
}

void XdpService::configure(const toml::table &file) {
  function_.function.configure(table_of(file, function_.function.name));
  write();
}

void XdpService::write() {
  const std::uint32_t other = 1 - half_;
  wait_for_programs(); // programs that read the index before the last change
  if (function_.write_more)
    function_.write_more(runtime_, other);
  const std::span<const std::byte> bytes = function_.function.configuration();
  const std::string_view key(reinterpret_cast<const char *>(&other), sizeof other);
  runtime_.update("configurations", key,
                  std::string_view(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
  runtime_.update("active", std::uint32_t{0}, other);
  half_ = other;
}

void XdpService::specialize() {
  if (is_invariant_) {
    runtime_.refresh();
    return;
  }
  for (const char *map : {"configurations", "active"})
    runtime_.declare_invariant(map, sartor::BpfWriters::ours);
  runtime_.specialize({});
  is_invariant_ = true;
}

void XdpService::attach(const std::string &external, const std::string &internal) {
  runtime_.update("ports", static_cast<std::uint32_t>(nf_external), number_of(external));
  runtime_.update("ports", static_cast<std::uint32_t>(nf_internal), number_of(internal));
  runtime_.attach_xdp(handler(nf_external), external);
  runtime_.attach_xdp(handler(nf_internal), internal);
}

void XdpService::detach() {
  for (const NfSide side : {nf_external, nf_internal})
    runtime_.detach(handler(side));
}

std::size_t XdpService::sweep(std::uint64_t now) {
  const int map = runtime_.map(function_.flows);
  std::size_t gone = 0;
  for (const auto &[key, value] : xdp::KernelMap(map).content())
    if (function_.is_over(key, value, now))
      gone += bpf_map_delete_elem(map, key.data()) == 0;
  return gone;
}

std::vector<std::uint64_t> XdpService::counts() const {
  const xdp::KernelMap map(runtime_.map("counts"));
  std::vector<std::uint64_t> counts;
  for (std::uint32_t i = 0; i < function_.function.outcomes.size(); ++i)
    counts.push_back(map.sums(i).at(0));
  return counts;
}

std::string XdpService::handler(NfSide side) const {
  return std::string(function_.function.name) +
         (side == nf_external ? "_from_external" : "_from_internal");
}

} // namespace nf
