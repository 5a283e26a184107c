// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C interface: handlers in the kernel.
#include <sartor/bpf/bpf.h>

#include <string_view>
#include <vector>

#include <sartor/bpf/runtime.hpp>

#include "bpf/report_json.h"
#include "capi/c_api.h"
#include "tuner/options.h"

using sartor::copy_for_c;
using sartor::guarded;
using sartor::need;

struct sartor_bpf_runtime {
  sartor::BpfRuntime runtime;
};

namespace {

sartor::BpfOptions options_of(const char *json) {
  return json ? or_throw(sartor::bpf::options_from_json(json)) : sartor::BpfOptions{};
}

sartor::BpfWriters writers_of(sartor_bpf_writers writers) {
  switch (writers) {
  case SARTOR_BPF_OURS:
    return sartor::BpfWriters::ours;
  case SARTOR_BPF_WATCHED:
    return sartor::BpfWriters::watched;
  case SARTOR_BPF_POLLED:
    return sartor::BpfWriters::polled;
  }
  throw sartor::Error(
      {sartor::ErrorCode::bad_argument, "writers", "is none of sartor_bpf_writers", "see bpf.h"});
}

std::string_view bytes(const void *at, std::size_t count) {
  return {static_cast<const char *>(at), count};
}

/// Passes a function's report to C.
template <class Runtime, class Report>
sartor_status give(Runtime *runtime, char **json, const Report &report) {
  return guarded([&] {
    need(runtime, "runtime", json, "json");
    *json = copy_for_c(report(runtime->runtime));
  });
}

/// Passes the number of a named item to C.
template <class Number, class Find>
sartor_status give(const sartor_bpf_runtime *runtime, const char *name, Number *out,
                   const Find &find) {
  return guarded([&] {
    need(runtime, "runtime", name, "name", out, "out");
    *out = find(runtime->runtime, name);
  });
}

/// Attaches a handler to a named place.
template <class Attach>
sartor_status attach(sartor_bpf_runtime *runtime, const char *handler, const char *place,
                     const Attach &attach_to) {
  return guarded([&] {
    need(runtime, "runtime", handler, "handler", place, "place");
    attach_to(runtime->runtime);
  });
}

} // namespace

extern "C" {

sartor_status sartor_bpf_open(const void *object, size_t size, const char *options,
                              sartor_bpf_runtime **out) {
  return guarded([&] {
    need(object, "object", out, "out");
    *out =
        new sartor_bpf_runtime{sartor::BpfRuntime::open(bytes(object, size), options_of(options))};
  });
}

sartor_status sartor_bpf_open_file(const char *path, const char *options,
                                   sartor_bpf_runtime **out) {
  return guarded([&] {
    need(path, "path", out, "out");
    *out = new sartor_bpf_runtime{sartor::BpfRuntime::open_file(path, options_of(options))};
  });
}

sartor_status sartor_bpf_adopt(struct bpf_object *object, const void *of, size_t size,
                               const char *options, sartor_bpf_runtime **out) {
  return guarded([&] {
    need(of, "bytes", out, "out");
    *out = new sartor_bpf_runtime{
        sartor::BpfRuntime::adopt(object, bytes(of, size), options_of(options))};
  });
}

void sartor_bpf_close(sartor_bpf_runtime *runtime) { delete runtime; }

sartor_status sartor_bpf_space(const sartor_bpf_runtime *runtime, char **json) {
  return give(runtime, json, [](const auto &of) { return of.space().json(); });
}

sartor_status sartor_bpf_handlers(const sartor_bpf_runtime *runtime, char **json) {
  return give(runtime, json, [](const auto &of) { return sartor::bpf::text(of.handlers()); });
}

sartor_status sartor_bpf_specialize(sartor_bpf_runtime *runtime, const char *configuration) {
  return guarded([&] {
    need(runtime, "runtime", configuration, "configuration");
    runtime->runtime.specialize(sartor::Configuration::from_json(configuration));
  });
}

sartor_status sartor_bpf_specialize_with_report(sartor_bpf_runtime *runtime,
                                                const char *configuration, char **json) {
  return give(runtime, json, [&](auto &of) {
    need(configuration, "configuration");
    return sartor::bpf::text(of.specialize(sartor::Configuration::from_json(configuration)));
  });
}

sartor_status sartor_bpf_instrument(sartor_bpf_runtime *runtime, const char *labels,
                                    unsigned every) {
  return guarded([&] {
    need(runtime, "runtime", labels, "labels");
    runtime->runtime.instrument(or_throw(sartor::bpf::labels_from_json(labels)), every);
  });
}

sartor_status sartor_bpf_clear_profile(sartor_bpf_runtime *runtime) {
  return guarded([&] {
    need(runtime, "runtime");
    runtime->runtime.clear_profile();
  });
}

sartor_status sartor_bpf_profile(const sartor_bpf_runtime *runtime, char **json) {
  return give(runtime, json, [](const auto &of) { return of.profile().json(); });
}

sartor_status sartor_bpf_guard_failures(const sartor_bpf_runtime *runtime, const char *label,
                                        uint64_t *out) {
  return give(runtime, label, out,
              [](const auto &of, const char *name) { return of.guard_failures(name); });
}

sartor_status sartor_bpf_declare_invariant(sartor_bpf_runtime *runtime, const char *map,
                                           enum sartor_bpf_writers writers) {
  return guarded([&] {
    need(runtime, "runtime", map, "map");
    runtime->runtime.declare_invariant(map, writers_of(writers));
  });
}

sartor_status sartor_bpf_revoke(sartor_bpf_runtime *runtime, const char *map) {
  return guarded([&] {
    need(runtime, "runtime", map, "map");
    runtime->runtime.revoke(map);
  });
}

sartor_status sartor_bpf_update(sartor_bpf_runtime *runtime, const char *map, const void *key,
                                size_t key_bytes, const void *value, size_t value_bytes) {
  return guarded([&] {
    need(runtime, "runtime", map, "map", key, "key", value, "value");
    runtime->runtime.update(map, bytes(key, key_bytes), bytes(value, value_bytes));
  });
}

sartor_status sartor_bpf_erase(sartor_bpf_runtime *runtime, const char *map, const void *key,
                               size_t key_bytes) {
  return guarded([&] {
    need(runtime, "runtime", map, "map", key, "key");
    runtime->runtime.erase(map, bytes(key, key_bytes));
  });
}

sartor_status sartor_bpf_tie(sartor_bpf_runtime *runtime, const char *label, const char *map) {
  return guarded([&] {
    need(runtime, "runtime", label, "label", map, "map");
    runtime->runtime.tie(label, map);
  });
}

sartor_status sartor_bpf_add_custom(sartor_bpf_runtime *runtime, const char *kind,
                                    const char *choices, sartor_generator generator, void *user) {
  return guarded([&] {
    need(runtime, "runtime", kind, "kind");
    runtime->runtime.add_custom(kind, sartor::c_generator(generator, user),
                                choices ? sartor::c_choices(choices)
                                        : std::vector<sartor::Value>{1});
  });
}

sartor_status sartor_bpf_autotune(sartor_bpf_runtime *runtime, const char *candidates,
                                  double (*score)(void *user), void *user, const char *options,
                                  char **best) {
  return guarded([&] {
    need(runtime, "runtime", candidates, "candidates", score, "score");
    const sartor::Configuration found = runtime->runtime.autotune(
        sartor::c_configurations(candidates), [&] { return score(user); },
        or_throw(sartor::race_options_from_json(options ? options : "{}")));
    if (best)
      *best = copy_for_c(found.json());
  });
}

sartor_status sartor_bpf_refresh(sartor_bpf_runtime *runtime, int *changed) {
  return guarded([&] {
    need(runtime, "runtime");
    const bool any = runtime->runtime.refresh();
    if (changed)
      *changed = any ? 1 : 0;
  });
}

sartor_status sartor_bpf_maps(const sartor_bpf_runtime *runtime, char **json) {
  return give(runtime, json, [](const auto &of) { return sartor::bpf::text(of.maps()); });
}

sartor_status sartor_bpf_active(const sartor_bpf_runtime *runtime, const char *handler,
                                char **json) {
  return give(runtime, json, [&](const auto &of) {
    need(handler, "handler");
    return sartor::bpf::text(of.active(handler));
  });
}

sartor_status sartor_bpf_program(const sartor_bpf_runtime *runtime, const char *handler, int *out) {
  return give(runtime, handler, out,
              [](const auto &of, const char *name) { return of.program(name); });
}

sartor_status sartor_bpf_generic_program(const sartor_bpf_runtime *runtime, const char *handler,
                                         int *out) {
  return give(runtime, handler, out,
              [](const auto &of, const char *name) { return of.generic_program(name); });
}

sartor_status sartor_bpf_map(const sartor_bpf_runtime *runtime, const char *name, int *out) {
  return give(runtime, name, out, [](const auto &of, const char *map) { return of.map(map); });
}

sartor_status sartor_bpf_attach_xdp(sartor_bpf_runtime *runtime, const char *handler,
                                    const char *interface) {
  return attach(runtime, handler, interface, [&](auto &of) { of.attach_xdp(handler, interface); });
}

sartor_status sartor_bpf_attach_tc(sartor_bpf_runtime *runtime, const char *handler,
                                   const char *interface, int egress) {
  return attach(runtime, handler, interface,
                [&](auto &of) { of.attach_tc(handler, interface, egress != 0); });
}

sartor_status sartor_bpf_attach_cgroup(sartor_bpf_runtime *runtime, const char *handler,
                                       const char *group) {
  return attach(runtime, handler, group, [&](auto &of) { of.attach_cgroup(handler, group); });
}

sartor_status sartor_bpf_attach_socket(sartor_bpf_runtime *runtime, const char *handler,
                                       int socket) {
  return guarded([&] {
    need(runtime, "runtime", handler, "handler");
    runtime->runtime.attach_socket(handler, socket);
  });
}

sartor_status sartor_bpf_attach_link(sartor_bpf_runtime *runtime, const char *handler, int link) {
  return guarded([&] {
    need(runtime, "runtime", handler, "handler");
    runtime->runtime.attach_link(handler, link);
  });
}

sartor_status sartor_bpf_attach_slot(sartor_bpf_runtime *runtime, const char *handler,
                                     const char *map, uint32_t index) {
  return attach(runtime, handler, map, [&](auto &of) { of.attach_slot(handler, map, index); });
}

sartor_status sartor_bpf_detach(sartor_bpf_runtime *runtime, const char *handler) {
  return guarded([&] {
    need(runtime, "runtime", handler, "handler");
    runtime->runtime.detach(handler);
  });
}
}
