// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C interface: guest programs, which a handler interprets.
#include <sartor/c/guest_programs.h>

#include <memory>
#include <span>
#include <utility>

#include "capi/c_api.h"
#include "tuner/programs/guest_programs.h"

using sartor::guarded;
using sartor::HotGuest;
using sartor::need;
using sartor::need_list;

struct sartor_guest_programs {
  std::shared_ptr<sartor::GuestPrograms::Impl> impl;
};

namespace {

sartor::GuestLimits limits_of(const sartor_guest_limits &limits) {
  sartor::GuestLimits read{.most = limits.most > 0 ? limits.most : sartor::GuestLimits().most,
                           .waits = limits.waits != 0,
                           .in_part = limits.in_part != 0,
                           .measures = limits.measures != 0};
  if (limits.report)
    read.report = [report = limits.report](void *owner, sartor::GuestState state,
                                           const char *text) {
      report(owner, static_cast<sartor_guest_state>(state), text);
    };
  return read;
}

sartor::Invariant invariant_of(std::span<const sartor_part> parts) {
  sartor::Invariant invariant;
  for (const sartor_part &part : parts)
    invariant.add_part(part.object, part.object_size, part.part, part.size);
  return invariant;
}

} // namespace

extern "C" {

sartor_status sartor_guest_programs_open(sartor_runtime *runtime, const sartor_guest_limits *limits,
                                         sartor_guest_programs **out) {
  return guarded([&] {
    need(runtime, "runtime", out, "out");
    const sartor_guest_limits usual{};
    *out = new sartor_guest_programs{std::make_shared<sartor::GuestPrograms::Impl>(
        runtime->runtime, limits_of(limits ? *limits : usual))};
  });
}

void sartor_guest_programs_close(sartor_guest_programs *programs) {
  if (programs)
    programs->impl->release_all();
  delete programs;
}

sartor_status sartor_guest_programs_name_functions(sartor_guest_programs *programs,
                                                   const char *(*function_name)(void *owner)) {
  return guarded([&] {
    need(programs, "programs");
    std::function<std::string(void *)> name;
    if (function_name)
      name = [function_name](void *owner) {
        const char *text = function_name(owner);
        return std::string(text ? text : "");
      };
    const sartor::base::MutexLock lock(programs->impl->mutex);
    programs->impl->function_name = std::move(name);
  });
}

sartor_status sartor_guest_specialize(sartor_guest_programs *programs,
                                      sartor_guest_program *program,
                                      const sartor_guest_request *request) {
  return guarded([&] {
    need(programs, "programs", program, "program", request, "request");
    need(request->handler, "request->handler");
    need_list(request->arguments, request->arguments_count, "request->arguments");
    need_list(request->parts, request->parts_count, "request->parts");
    programs->impl->specialize(
        *program, request->handler,
        sartor::bound_arguments(std::span(request->arguments, request->arguments_count)),
        [&] { return invariant_of(std::span(request->parts, request->parts_count)); },
        request->owner);
  });
}

sartor_status sartor_guest_exclude(sartor_guest_programs *programs, sartor_guest_program *program,
                                   const char *why, void *owner) {
  return guarded([&] {
    need(programs, "programs", program, "program", why, "why");
    programs->impl->exclude(*program, why, owner);
  });
}

void sartor_guest_release(sartor_guest_program *program, void (*freed)(void *object),
                          void *object) {
  if (program)
    HotGuest::release(*program, freed ? [=] { freed(object); } : std::function<void()>());
}

const char *sartor_guest_why_not(const sartor_guest_program *program) {
  return program && sartor_guest_state_of(program) == SARTOR_GUEST_EXCLUDED
             ? HotGuest::of(*program)->reported.c_str()
             : nullptr;
}

void (*sartor_guest_find_function(sartor_guest_program *program))(void) {
  return HotGuest::find_function(*program);
}

void (*sartor_guest_measured_run_begin(sartor_guest_program *program,
                                       sartor_guest_run *run))(void) {
  return HotGuest::begin(*program, *run);
}

void sartor_guest_measured_run_end(const sartor_guest_run *run, uint64_t units) {
  HotGuest::end(*run, units);
}
}
