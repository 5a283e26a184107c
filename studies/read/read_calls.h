// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_READ_CALLS_H
#define SARTOR_BENCH_READ_CALLS_H

#include <cstdint>
#include <filesystem>
#include <memory>

namespace sartor {
class Runtime;
}

namespace sartor::bench {

/// The file service of studies/read with one client.
class Calls {
public:
  Calls() = default;
  Calls(const Calls &) = delete;
  Calls &operator=(const Calls &) = delete;
  virtual ~Calls() = default;
  virtual int open(const char *path) = 0;
  virtual void close(int descriptor) = 0;
  virtual void lseek(int descriptor, std::int64_t offset) = 0;
  virtual void dup_and_close(int descriptor) = 0;
};

/// Compiled with guards; specializes reads if there is a runtime. Throws std::runtime_error.
std::unique_ptr<Calls> guarded_calls(const std::filesystem::path &image, Runtime *runtime);
/// The same source compiled without Sartor's plugin. Ignores `runtime`.
std::unique_ptr<Calls> plain_calls(const std::filesystem::path &image, Runtime *runtime);

} // namespace sartor::bench

#endif
