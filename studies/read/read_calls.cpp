// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled twice, as READ_CALLS: with the service that has guards, and with the one that has none.
#include "read_calls.h"

#include "service.h"

namespace sartor::bench {

namespace {

constexpr std::size_t kBuffers = 2048;

class ServiceCalls final : public Calls {
public:
  ServiceCalls(const std::filesystem::path &image, Runtime *runtime)
      : service_(runtime ? std::make_unique<files::FileService>(image, kBuffers, *runtime,
                                                                QuasiInvariantOptions{})
                         : std::make_unique<files::FileService>(image, kBuffers)),
        client_(service_->add_client()) {}

  int open(const char *path) override {
    return static_cast<int>(service_->open(client_, path, files::kReading));
  }
  void close(int descriptor) override { service_->close(client_, descriptor); }
  void lseek(int descriptor, std::int64_t offset) override {
    service_->lseek(client_, descriptor, offset, files::From::beginning);
  }
  void dup_and_close(int descriptor) override {
    close(static_cast<int>(service_->dup(client_, descriptor)));
  }

private:
  std::unique_ptr<files::FileService> service_;
  files::Client &client_;
};

} // namespace

std::unique_ptr<Calls> READ_CALLS(const std::filesystem::path &image, Runtime *runtime) {
  return std::make_unique<ServiceCalls>(image, runtime);
}

} // namespace sartor::bench
