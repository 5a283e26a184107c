// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_SERVER_LISTENER_H
#define SARTOR_TEST_SERVER_LISTENER_H

#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace sartor::server {

/// Listens at a path; each connection is served by a thread.
class Listener {
public:
  Listener(std::string path, std::function<void(int)> serve)
      : path_(std::move(path)), serve_(std::move(serve)) {
    listening_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path_.data(), path_.size());
    EXPECT_EQ(bind(listening_, reinterpret_cast<const sockaddr *>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listening_, 10), 0);
    thread_ = std::thread([this] {
      for (int device = 0; (device = accept(listening_, nullptr, nullptr)) >= 0;)
        serve_(device);
    });
  }
  ~Listener() {
    shutdown(listening_, SHUT_RDWR);
    thread_.join();
    close(listening_);
    unlink(path_.c_str());
  }
  Listener(const Listener &) = delete;
  Listener &operator=(const Listener &) = delete;

private:
  std::string path_;
  std::function<void(int)> serve_;
  int listening_;
  std::thread thread_;
};

} // namespace sartor::server

#endif
