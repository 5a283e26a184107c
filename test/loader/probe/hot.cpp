// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints what functions of two libraries return. With an argument, prints whether they are executed
// as copies instead.
#include "hot.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <memory>
#include <pthread.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

volatile int seen_by_handler = 0;

void handle(int /*number*/) { seen_by_handler = hot_frames() > 3 ? 1 : -1; }

__attribute__((noinline)) int raise_here(void * /*data*/) {
  std::raise(SIGUSR1);
  return seen_by_handler;
}

int count_of_ends = 0;

/// Ends when it is cancelled.
void *wait_forever(void *pipe_ends) {
  struct AtEnd {
    ~AtEnd() { ++count_of_ends; }
  } const at_end;
  hot_call(
      [](void *ends) {
        const AtEnd here;
        char byte;
        return static_cast<int>(read(static_cast<int *>(ends)[0], &byte, 1));
      },
      pipe_ends);
  return nullptr;
}

void *end_thread(void * /*data*/) {
  struct AtEnd {
    ~AtEnd() { ++count_of_ends; }
  } const at_end;
  hot_count_in_thread(5);
  hot_call(
      [](void *) -> int {
        const AtEnd here;
        pthread_exit(nullptr);
      },
      nullptr);
  return nullptr;
}

void calls() {
  std::printf("%d %d %d %d\n", hot_factorial(10), hot_even(1001), hot_odd(1001), hot_jumps(5));
  for (int what = 0; what < 9; ++what)
    std::printf("switch %d: %d %d\n", what, hot_switch(what, 3), hot_switch(what, 6));
  for (int what = 0; what < 7; what += what == 2 ? 2 : 1)
    std::printf("another switch %d: %d\n", what, hot_stays_copied(what));
  std::printf("%d %d\n", hot_goto("\1\2\3\1\2\4"), hot_goto("\2\2\2\1\3\4"));
  std::printf("%d %d\n", hot_sum(4, 1, 2, 3, 4), hot_chosen(40));
  std::printf("%d %d\n", hot_count_in_thread(7), hot_count_in_thread(1));
  const std::vector<double> numbers(64, 1.5);
  std::printf("%d\n", hot_aligned(numbers.data(), static_cast<int>(numbers.size())));
}

void pointers() {
  const HotFunction own[] = {hot_factorial, hot_even, hot_odd, hot_chosen};
  const char *const names[] = {"hot_factorial", "hot_even", "hot_odd", "hot_chosen"};
  for (int i = 0; i < 4; ++i)
    std::printf("%s: %d %d %d %d\n", names[i], own[i] == hot_address(i), hot_is_at(i, own[i]),
                reinterpret_cast<HotFunction>(dlsym(RTLD_DEFAULT, names[i])) == own[i], own[i](6));
  Dl_info info;
  std::printf("%d\n", dladdr(reinterpret_cast<void *>(hot_address(0)), &info) != 0 &&
                          std::string(info.dli_sname) == "hot_factorial");
  std::printf("%d\n", hot_dl_call([](int number) { return number * 2; }, 4));
  std::printf("%d\n", hot_next_malloc() == dlsym(RTLD_DEFAULT, "malloc"));
  // The library after this one has no such function, and the program is before it.
  std::printf("%d %d\n", hot_wrapped_next("hot_throw") == nullptr,
              hot_wrapped_next("free") != nullptr);
}

void exceptions() {
  for (int number = 0; number < 4; ++number)
    for (const int depth : {0, 1, 5, 40}) {
      int result = 0;
      try {
        result = hot_catch(depth, number);
      } catch (const std::string &text) {
        result = static_cast<int>(text.size());
      }
      std::printf("thrown %d: %d, %d destroyed\n", number, result, hot_destroyed());
    }
  try {
    hot_throw(3, 105);
  } catch (const HotError &error) {
    std::printf("%s\n", error.what());
  }
  try {
    std::printf("%d\n", hot_catch(3, 105));
  } catch (...) {
    std::printf("anything\n");
  }
  int sum = 0;
  for (int corners = 3; corners < 6; ++corners)
    sum += std::unique_ptr<HotShape>(hot_shape(corners))->corners();
  std::printf("%d corners\n", sum);
}

void frames() {
  std::printf("%d\n", hot_call([](void *) { return hot_frames(); }, nullptr));
  std::signal(SIGUSR1, handle);
  std::printf("%d\n", hot_call(raise_here, nullptr));
  pthread_t thread;
  pthread_create(&thread, nullptr, end_thread, nullptr);
  pthread_join(thread, nullptr);
  int ends[2];
  if (pipe(ends) == 0) {
    pthread_create(&thread, nullptr, wait_forever, ends);
    pthread_cancel(thread);
    pthread_join(thread, nullptr);
  }
  std::printf("%d ends, %d\n", count_of_ends, hot_count_in_thread(0));
}

} // namespace

int main(int count, char ** /*arguments*/) {
  if (count == 2) {
    std::printf("%d %d\n", hot_is_copied(), hot_stays_copied(1 + count));
    return 0;
  }
  calls();
  pointers();
  exceptions();
  frames();
  std::vector<int> numbers(1000);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<int>(i * 7919 % 1000);
  std::qsort(numbers.data(), numbers.size(), sizeof(int), [](const void *one, const void *other) {
    return *static_cast<const int *>(one) - *static_cast<const int *>(other);
  });
  std::printf("%d\n", std::is_sorted(numbers.begin(), numbers.end()));
}
