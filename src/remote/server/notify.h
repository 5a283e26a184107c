// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_NOTIFY_H
#define SARTOR_REMOTE_SERVER_NOTIFY_H

#include <string_view>

namespace sartor::server {

/// Reports the state of the service to systemd, such as "READY=1" (sd_notify(3)), if it has started
/// this process with Type=notify. libsystemd is not used: the process that holds the keys should
/// load few libraries, and the protocol is one datagram.
void notify(std::string_view state);

} // namespace sartor::server

#endif
