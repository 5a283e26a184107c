// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program and a compiler that is not in it say to each other: a question, an answer; while a
// draft is made, questions the other way. Each is a frame (remote/protocol/channel.h).
#ifndef SARTOR_REMOTE_PROTOCOL_MESSAGE_H
#define SARTOR_REMOTE_PROTOCOL_MESSAGE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sartor/bound_argument.hpp>
#include <sartor/module.h>
#include <sartor/options.hpp>
#include <sartor/remark.hpp>

#include "core/compiler/compiler.h"
#include "core/compiler/tier.h"
#include "core/request/context.h"
#include "core/request/native_call.h"
#include "core/space/module.h"

namespace sartor::remote {

/// To be raised when anything here looks different, or means something else.
constexpr std::uint32_t kProtocol = 6;

/// What a frame is.
enum class Kind : std::uint8_t {
  // The program's questions, and what answers them.
  hello,          ///< Hello → welcome. The first of all.
  load_embedded,  ///< Modules → module.
  load_file,      ///< ModuleFile → module.
  check_pipeline, ///< Pipeline → done.
  use_module,     ///< Hash of a module (text) → done, or unknown: give_module is to follow.
  give_module,    ///< core::pack_module()'s bytes → done.
  draft,          ///< DraftOrder → drafted, after calls.
  make,           ///< Nothing → image: that of the last draft. Not of a server.
  entry_function, ///< EntryOrder → image.
  rotation_stub,  ///< RotationOrder → image.
  called,         ///< Answers a call: its result, if there is one (std::optional<std::uint64_t>).
  // The compiler's.
  welcome, ///< core::Toolchain.
  module,  ///< core::pack_module()'s bytes.
  done,    ///< Nothing.
  unknown, ///< Nothing.
  drafted, ///< Drafted.
  image,   ///< core::pack_image()'s bytes.
  failed,  ///< Failure: in place of any answer.
  call,    ///< CallOrder → called.
  // Devices' questions (remote/protocol/device_message.h), and what answers them. Their numbers
  // stay.
  device_hello, ///< DeviceHello → welcome. The first of all.
  customize,    ///< Customization → customized, after calls and pages.
  customized,   ///< Customized.
  page,         ///< The compiler's: Page → paged.
  paged,        ///< Its bytes; none where the device has not promised them.
  // How a connection without TLS is opened (remote/protocol/opening.h). All frames that follow are
  // sealed.
  open,   ///< The client's first frame → opened.
  proof,  ///< A device's public key, and its signature of device_proof_text(). No answer.
  opened, ///< The server's.
  // Operators' (remote/protocol/admin_message.h).
  admin,        ///< AdminRequest → administered.
  administered, ///< What the request says.
  kLast = administered,
};

struct Hello {
  std::uint32_t protocol = kProtocol;
  std::string build;               ///< base::kBuildStamp.
  std::string processor;           ///< core::this_processor().
  std::vector<std::string> levels; ///< core::levels_of_this_processor().
};

/// A sartor_module. Addresses, which are only compared with each other, are numbers: the same for
/// the same, from one on, null for null; so what a program sends is the same in each process.
struct ModuleTable {
  struct Symbol {
    std::string name;
    std::uint64_t address = 0;
    std::uint64_t own = 0;
  };
  std::uint64_t version = 0;
  std::string source;
  std::string bitcode;
  std::vector<Symbol> symbols;
};
using Modules = std::vector<ModuleTable>;

struct ModuleFile {
  std::string name;
  std::string content;
};

/// core::Context, with what it refers to. A promise is told by its place among those that the
/// request names, so that equal requests of several processes are the same bytes.
struct DraftOrder {
  /// Promised memory that has been read.
  struct Memory {
    struct Region {
      std::uint64_t promise = 0;
      std::uint64_t address = 0;
      std::string bytes;
    };
    std::vector<Region> regions;
    std::vector<core::Extent> objects;
    /// What the handler module's names stand for in the program that asks.
    std::map<std::string, std::uint64_t> symbols;
  };
  /// core::Counters; the layout follows from the space.
  struct Counters {
    std::uint32_t slot = 0;
    std::int64_t table = 0;
  };

  std::string symbol;
  std::string handler;
  Configuration configuration;
  std::map<unsigned, BoundArgument> arguments;
  std::optional<Memory> memory;
  std::map<std::string, core::Answers, std::less<>> answers;
  std::map<std::string, unsigned, std::less<>> instrumented;
  std::vector<std::string> holes;
  std::optional<Counters> profile;
  core::Purpose purpose;
  /// The answer is to have the image in it.
  bool at_once = false;
};

struct Drafted {
  std::optional<base::ContentKey> key;
  std::vector<std::uint64_t> promises; ///< As the order tells them.
  std::vector<std::uint64_t> places;
  std::vector<Remark> remarks;
  Folded folded;                    ///< Promises as the order tells them.
  std::optional<std::string> image; ///< core::pack_image()'s bytes.
};

struct CallOrder {
  std::vector<std::uint64_t> promises; ///< As the order tells them.
  core::NativeCall call;
};

struct EntryOrder {
  std::string handler;
  std::map<unsigned, BoundArgument> arguments;
  bool inlined = false;
};

/// core::RotationSite with addresses as numbers.
struct RotationOrder {
  std::string handler;
  std::int64_t table = 0;
  std::uint32_t slot = 0;
  std::uint64_t plan = 0;
  std::uint64_t rotation = 0;
  std::uint64_t enter = 0;
  std::uint64_t next = 0;
};

/// To the bytes of a frame and back. Nothing where bytes are not what they should be.
template <class T> std::string to_bytes(const T &message);
template <class T> std::optional<T> from_bytes(std::string_view bytes);
/// The same in constant memory, whatever the size: of a container that is not empty, one element is
/// left; of a string, the beginning. For Pipeline and DraftOrder.
template <class T> std::optional<T> skim(std::string_view bytes);

Modules to_modules(std::span<const sartor_module> modules);

/// Modules as sartor_module shows them. Refers to what it is made of.
class ModuleView {
public:
  explicit ModuleView(const Modules &modules);
  [[nodiscard]] std::span<const sartor_module> modules() const { return modules_; }

private:
  std::vector<std::vector<sartor_symbol>> symbols_;
  std::vector<sartor_module> modules_;
};

} // namespace sartor::remote

#endif
