// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_ODD_SERVER_H
#define SARTOR_TEST_ODD_SERVER_H

#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <utility>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace sartor::testing_aids {

/// Accepts connections at a Unix socket, one after the other, and lets a function serve them.
class OddServer {
public:
  /// `serve` is called on a thread of its own; the connection is closed when it returns.
  OddServer(std::string path, std::function<void(int connection)> serve) : path_(std::move(path)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, sizeof address.sun_path - 1);
    unlink(path_.c_str());
    listener_ = socket(AF_UNIX, SOCK_STREAM, 0);
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr *>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listener_, 8), 0);
    thread_ = std::thread([this, serve = std::move(serve)] {
      for (int connection; (connection = accept(listener_, nullptr, nullptr)) >= 0;) {
        serve(connection);
        close(connection);
      }
    });
  }
  ~OddServer() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
    unlink(path_.c_str());
  }
  OddServer(const OddServer &) = delete;
  OddServer &operator=(const OddServer &) = delete;

private:
  std::string path_;
  int listener_ = -1;
  std::thread thread_;
};

} // namespace sartor::testing_aids

#endif
