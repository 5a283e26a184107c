// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs that a handler interprets, for C.
#include <sartor/programs.h>

#include <memory>
#include <span>
#include <utility>

#include "capi/bound_c.h"
#include "capi/c_api.h"
#include "tuner/programs/programs.h"

using sartor::guarded;
using sartor::HotProgram;
using sartor::need;

struct sartor_programs {
  std::shared_ptr<sartor::Programs::Impl> impl;
};

namespace {

sartor::ProgramLimits limits_of(const sartor_program_limits &limits) {
  sartor::ProgramLimits read{.most = limits.most > 0 ? limits.most : sartor::ProgramLimits().most,
                             .waits = limits.waits != 0,
                             .in_part = limits.in_part != 0,
                             .measures = limits.measures != 0};
  if (limits.tell)
    read.tell = [tell = limits.tell](void *owner, sartor::ProgramState state, const char *text) {
      tell(owner, static_cast<sartor_program_state>(state), text);
    };
  return read;
}

sartor::Invariant promise_of(std::span<const sartor_part> parts) {
  sartor::Invariant promised;
  for (const sartor_part &part : parts)
    promised.add_part(part.object, part.object_size, part.part, part.size);
  return promised;
}

} // namespace

extern "C" {

sartor_status sartor_open_programs(sartor_runtime *runtime, const sartor_program_limits *limits,
                                   sartor_programs **out) {
  return guarded([&] {
    need(runtime, "runtime");
    need(out, "out");
    const sartor_program_limits usual{};
    *out = new sartor_programs{std::make_shared<sartor::Programs::Impl>(
        runtime->runtime, limits_of(limits ? *limits : usual))};
  });
}

void sartor_close_programs(sartor_programs *programs) {
  if (programs)
    programs->impl->give_back_all();
  delete programs;
}

sartor_status sartor_ask_for(sartor_programs *programs, sartor_program *program,
                             const sartor_program_request *request) {
  return guarded([&] {
    need(programs, "programs");
    need(program, "program");
    need(request, "request");
    need(request->handler, "request->handler");
    if (request->arguments_count > 0)
      need(request->arguments, "request->arguments");
    if (request->parts_count > 0)
      need(request->parts, "request->parts");
    programs->impl->ask_for(
        *program, request->handler,
        sartor::bound_arguments(std::span(request->arguments, request->arguments_count)),
        [&] { return promise_of(std::span(request->parts, request->parts_count)); },
        request->owner);
  });
}

sartor_status sartor_leave_alone(sartor_programs *programs, sartor_program *program,
                                 const char *why, void *owner) {
  return guarded([&] {
    need(programs, "programs");
    need(program, "program");
    need(why, "why");
    programs->impl->leave_alone(*program, why, owner);
  });
}

void sartor_give_back(sartor_program *program, void (*freed)(void *object), void *object) {
  if (program)
    HotProgram::give_back(*program, freed ? [=] { freed(object); } : std::function<void()>());
}

const char *sartor_why_not(const sartor_program *program) {
  return program && sartor_state_of(program) == SARTOR_PROGRAM_LEFT_ALONE
             ? HotProgram::of(*program)->told.c_str()
             : nullptr;
}

void (*sartor_look_for_function(sartor_program *program))(void) {
  if (HotProgram *const hot = HotProgram::of(*program))
    hot->look();
  return sartor_state_of(program) == SARTOR_PROGRAM_READY ? HotProgram::of(*program)->function
                                                          : nullptr;
}

void (*sartor_begin_measured_run(sartor_program *program, sartor_run *run))(void) {
  (void)sartor_look_for_function(program);
  HotProgram *const hot = HotProgram::of(*program);
  return hot ? hot->begin(*run) : nullptr;
}

void sartor_end_measured_run(const sartor_run *run, uint64_t units) {
  HotProgram::end(*run, units);
}
}
