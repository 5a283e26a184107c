// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_MODULES_H
#define SARTOR_REMOTE_SERVER_MODULES_H

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "remote/server/clients/account.h"
#include "remote/server/clients/fair_lru.h"

namespace sartor::server {

/// Handler modules of devices, which cannot send theirs: bitcode by its hash (text).
struct DeviceModules {
  std::map<std::string, std::shared_ptr<const std::string>, std::less<>> by_hash;
  std::vector<std::string> skipped; ///< Files that are not modules, each with the reason.

  /// Reads the files NAME.module of a directory. Symbolic links, FIFOs and devices are skipped.
  /// Fails with file_error if the directory or a file can be changed by users other than this one
  /// and root, cannot be read, or has more than `most_bytes`.
  static Result<DeviceModules> read(const std::filesystem::path &directory, std::size_t most_bytes);
};

/// Packed handler modules that clients have sent, by their hash (text). A client finds only those
/// that its tenant has sent, and modules of devices. They are charged to the client that sent them
/// for as long as they are kept or used; drop_one() makes room.
class Modules {
public:
  /// Returns null if it is not there.
  std::shared_ptr<const std::string> find(const Account &account, std::string_view hash);
  /// Sets the modules of devices, which are never dropped.
  void take(DeviceModules modules) { of_devices_ = std::move(modules.by_hash); }
  /// `hash` is that of `bytes`; `charge` is for the bytes. Fails with server_refused.
  Result<std::shared_ptr<const std::string>> insert(Account &account, std::string_view hash,
                                                    std::string bytes, Charge charge);
  /// See FairLru.
  bool drop_one(const Account *account) { return given_.drop_one(account); }

private:
  /// The size of a module's entry, not counting its bytes.
  static constexpr std::size_t kEntryBytes = 512;

  FairLru<std::string> given_;
  decltype(DeviceModules::by_hash) of_devices_;
};

} // namespace sartor::server

#endif
