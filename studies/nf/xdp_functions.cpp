// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "xdp_functions.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include <sartor/bpf/object.h>

#include "balancer_control.h"
#include "balancer_key.h"
#include "balancer_state.h"
#include "bridge_control.h"
#include "policer_control.h"

SARTOR_BPF_OBJECT(nf_balancer)
SARTOR_BPF_OBJECT(nf_bridge)
SARTOR_BPF_OBJECT(nf_policer)

namespace nf {

namespace {

template <class Key, class Value, int (*is_over)(const Key *, const Value *, void *)>
bool is_over_in(const std::string &key_bytes, const std::string &value_bytes, std::uint64_t now) {
  Key key;
  Value value;
  std::memcpy(&key, key_bytes.data(), sizeof key);
  std::memcpy(&value, value_bytes.data(), sizeof value);
  return is_over(&key, &value, &now) != 0;
}

void write_lookups(sartor::BpfRuntime &runtime, std::uint32_t half) {
  const auto row = std::make_unique<BalancerLookup>();
  const std::uint32_t size = balancer_config.lookup_size;
  for (std::uint32_t vip = 0; vip < balancer_config.vip_count; ++vip) {
    std::copy_n(balancer_state.lookup + std::size_t{vip} * size, size, row->numbers);
    runtime.update("lookups", half * balancer_most_vips + vip, *row);
  }
}

} // namespace

std::span<const XdpFunction> all_xdp_functions() {
  static const XdpFunction all[] = {
      {balancer_function, nf_balancer_object, "balancer_flows",
       is_over_in<BalancerKey, BalancerFlow, balancer_flow_is_over>, write_lookups},
      {bridge_function, nf_bridge_object, "bridge_stations",
       is_over_in<BridgeKey, BridgeStation, bridge_station_is_over>, nullptr},
      {policer_function, nf_policer_object, "policer_buckets",
       is_over_in<PolicerKey, PolicerBucket, policer_bucket_is_over>, nullptr},
  };
  return all;
}

const XdpFunction *xdp_function_named(std::string_view name) {
  for (const XdpFunction &one : all_xdp_functions())
    if (one.function.name == name)
      return &one;
  return nullptr;
}

} // namespace nf
