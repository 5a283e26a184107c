// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "front/cache.h"

#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/stat.h>
#include <linux/time.h>

#include "front/planner.h"
#include "front/system.h"
#include "front/text.h"
#include "front/wary.h"
#include "loader/lib/format/key.h"

namespace sartor::front {

namespace {

/// Computes the path of a program's image. Returns false if there is no directory for it.
bool path_of(uint64_t key, const Stack &stack, Line &path) {
  if (const char *cache = stack.variable("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
    path.add(cache);
  else if (const char *home = stack.variable("HOME"); home != nullptr && *home == '/')
    path.add(home).add("/.cache");
  else if (call(__NR_geteuid) == 0) // services have no home directory
    path.add("/var/cache");
  else
    return false;
  path.add("/sartor/ld/").add_hexadecimal(key).add(".image");
  return !path.is_cut_off();
}

uint64_t now() {
  timespec time = {};
  call(__NR_clock_gettime, CLOCK_REALTIME, &time);
  return static_cast<uint64_t>(time.tv_sec);
}

/// Opens an image that is up to date; returns -1 if there is none. Opening does not block, whatever
/// kind of file is at the path.
int open_as_it_is(const Line &path, uint64_t key, Plan &plan) {
  const long file = call(__NR_open, path.text(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
  if (is_error(file))
    return -1;
  if (plan.read(static_cast<int>(file), key)) {
    const uint64_t until = plan.header().until;
    if ((until == 0 || now() < until) && plan.changed_file() == nullptr)
      return static_cast<int>(file);
    plan.forget();
  }
  close_file(file);
  return -1;
}

/// Records that the image's message has been reported, so that it is reported once: the file's
/// execute permission is removed.
void note_as_reported(int image) { call(__NR_fchmod, image, S_IRUSR | S_IWUSR); }

[[noreturn]] void give_to_stock_loader(int image, const Plan &plan, const Fallback &fallback) {
  Fallback judged = fallback;
  judged.is_required |= (plan.header().flags & loader::format::is_required) != 0;
  if (!plan.is_reported())
    note_as_reported(image);
  if (judged.is_required || !plan.is_reported())
    fall_back(judged, plan.string(plan.header().reason));
  execute(judged);
}

/// Returns false if the image cannot be mapped executable, for any reason.
bool may_be_executed(int image) {
  const void *mapped = map(0, loader::format::page, PROT_READ | PROT_EXEC, MAP_PRIVATE, image);
  if (is_error(mapped))
    return false;
  call(__NR_munmap, mapped, loader::format::page);
  return true;
}

const char *why_not_planned(Planned end) {
  if (end == Planned::no_files)
    return "cannot be planned: no file descriptor is left (ulimit -n)";
  if (end == Planned::no_proc)
    return "cannot be planned: /proc is not mounted";
  return "cannot be planned: sartor-ld-plan is missing from the folder of sartor-ld or has crashed";
}

/// Plans the program; returns if an image exists now.
void plan_it(const Request &request, const Stack &stack, const Fallback &fallback) {
  const Planned end = plan(request, stack);
  switch (end) {
  case Planned::image:
    return;
  case Planned::refused:
    leave(126);
  case Planned::stock:
    fall_back(fallback, nullptr);
  case Planned::later:
    execute(fallback);
  case Planned::no_files:
  case Planned::no_proc:
  case Planned::nothing:
  case Planned::lost:
    break;
  }
  Fallback judged = fallback;
  // Without a planner, it is unknown whether the program may start without a plan.
  judged.is_required |= request.is_patient || request.is_wary || end == Planned::lost;
  fall_back(judged, why_not_planned(end));
}

} // namespace

int open_image(const Run &run, const Stack &stack, const Fallback &fallback, Plan &plan,
               Line &path) {
  char directory[4096];
  if (is_error(call(__NR_getcwd, directory, sizeof directory)))
    directory[0] = 0;
  const auto key = loader::key_of({.program = identity_of(run.path),
                                   .path = run.path,
                                   .settings = run.settings,
                                   .directory = directory,
                                   .environment = stack.environment()});
  Fallback judged = fallback;
  if (!path_of(key, stack, path)) {
    judged.is_required = judged.is_required || must_be_planned(run, stack);
    fall_back(judged, "neither XDG_CACHE_HOME nor HOME says where to keep its image");
  }
  Request request = {.run = run,
                     .image = path.text(),
                     .key = key,
                     .is_patient = run.is_different,
                     .is_wary = false};
  if (run.is_different)
    leave(front::plan(request, stack) == Planned::stock ? 0 : 1);
  // Repeated if a library is replaced meanwhile.
  constexpr int attempts = 3;
  for (int i = 0; i <= attempts; ++i) {
    const int file = run.is_again && i == 0 ? -1 : open_as_it_is(path, key, plan);
    if (file >= 0) {
      if (plan.header().arena_size == 0)
        give_to_stock_loader(file, plan, fallback);
      judged.is_required |= (plan.header().flags & loader::format::is_required) != 0;
      if (!may_be_executed(file))
        fall_back(judged, "nothing may be executed from where its image is kept");
      if (!plan.is_reported()) {
        note_as_reported(file);
        say(run.path, plan.string(plan.header().reason));
      }
      return file;
    }
    if (i == 0) {
      request.is_patient = fallback.is_required || fallback.only_plans;
      request.is_wary = may_be_required(stack, run.settings);
    }
    if (i < attempts)
      plan_it(request, stack, fallback);
  }
  say(path.text(),
      "cannot be used: it is damaged, belongs to somebody else, or files keep changing");
  judged.is_required |= request.is_patient || request.is_wary;
  fall_back(judged, "has no image");
}

} // namespace sartor::front
