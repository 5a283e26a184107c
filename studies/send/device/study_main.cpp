// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file send_device_study: emulated devices that send with lwIP, with code from a server. Prints a
/// table. Fails if the frames on the wire differ from those of the generic code.

#include <cstdio>
#include <exception>

#include "run.h"

int main() {
  using namespace sartor::send;
  constexpr std::uint64_t kSeed = 1;
  constexpr std::size_t kSteps = 400;
  try {
    const ServerProcess server(device_server_options());
    bool is_same = true;
    for (const std::string &architecture : device_architectures()) {
      const DeviceRun generic = run_device(architecture, kSeed, kSteps, nullptr);
      const DeviceRun specialized = run_device(architecture, kSeed, kSteps, &server);
      is_same = is_same && generic.status == 0 && specialized.status == 0 &&
                generic.seen == specialized.seen;
      std::printf("%s, in emulation: %zu bytes seen on the wire and as results, %s\n",
                  architecture.c_str(), specialized.seen.size(),
                  generic.seen == specialized.seen ? "the same as with generic code"
                                                   : "OTHERS than with generic code");
      std::printf("  %lu of %lu messages sent by variants; %lu requests, the last took %.0f ms and "
                  "was asked %lu pages in all; %lu bytes of code at the end\n",
                  specialized.by_variants, specialized.calls, specialized.requests,
                  specialized.last_request_milliseconds, specialized.pages, specialized.code_bytes);
      for (const DeviceRun::Time &time : specialized.times)
        std::printf("  %-6s %.0f ns a message generic, %.0f specialized: %.3f (time of the "
                    "emulator, not of such a machine)\n",
                    time.name.c_str(), time.generic, time.specialized,
                    time.specialized / time.generic);
    }
    return is_same ? 0 : 1;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
