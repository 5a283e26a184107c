// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The messages between a program and a compiler that is not in its process: a question, an answer;
// while a draft is made, questions in the other direction. Each is a frame
// (remote/protocol/channel.h).
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

/// To be incremented when the format or meaning of anything here changes.
constexpr std::uint32_t kProtocol = 10;

/// The kind of a frame.
enum class Kind : std::uint8_t {
  // The program's questions, and their answers.
  hello,          ///< Hello → welcome. The first frame.
  load_embedded,  ///< Modules → module.
  load_file,      ///< ModuleFile → module.
  check_pipeline, ///< Pipeline → done.
  use_module,     ///< Hash of a module (text) → done, or unknown: then give_module follows.
  give_module,    ///< The bytes of core::pack_module() → done.
  draft,          ///< DraftOrder → drafted, after calls.
  make,           ///< Nothing → image: that of the last draft. Not accepted by a server.
  entry_function, ///< EntryOrder → image.
  rotation_stub,  ///< RotationOrder → image.
  called,         ///< Answers a call: its result, if there is one (std::optional<std::uint64_t>).
  // The compiler's frames.
  welcome, ///< core::Toolchain.
  module,  ///< The bytes of core::pack_module().
  done,    ///< No body.
  unknown, ///< No body.
  drafted, ///< Drafted.
  image,   ///< The bytes of core::pack_image().
  failed,  ///< Failure: can replace any answer.
  call,    ///< CallOrder → called.
  // Devices' questions (remote/protocol/device_message.h), and their answers. These numbers do not
  // change.
  device_hello, ///< DeviceHello → welcome. The first frame.
  customize,    ///< Customization → customized, after calls and pages.
  customized,   ///< Customized.
  page,         ///< The compiler's question: Page → paged.
  paged,        ///< The page's bytes; none if they are not invariant memory of the device.
  // The opening of a connection without TLS (remote/protocol/opening.h). All frames that follow are
  // sealed.
  open,   ///< The client's first frame → opened.
  proof,  ///< A device's public key, and its signature of device_proof_text(). No answer.
  opened, ///< The server's answer.
  // Operators' frames (remote/protocol/admin_message.h).
  admin,        ///< AdminRequest → administered.
  administered, ///< The type depends on the request.
  // A program's question, and its answer.
  checking_stub, ///< StubOrder → stub.
  stub,          ///< The bytes of core::pack_stub().
  quarantine,    ///< The state of a draft's transcript (base::ContentKey) → done. For servers.
  kLast = quarantine,
};

struct Hello {
  std::uint32_t protocol = kProtocol;
  std::string build;               ///< base::kBuildStamp.
  std::string processor;           ///< core::this_processor().
  std::vector<std::string> levels; ///< core::levels_of_this_processor().
};

/// A sartor_module. Addresses, which are only compared with each other, are numbers: equal ones for
/// equal addresses, from one on, and zero for null; so a program sends the same bytes in each
/// process.
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

/// core::Counters; the layout follows from the space. Not inside DraftOrder: clang 19 would not
/// construct it there from its members' initializers.
struct DraftCounters {
  std::uint32_t slot = 0;
  std::int64_t table = 0;
};

/// A core::Context, with the data that it refers to. An invariant is identified by its position
/// among those that the request names, so that equal requests of several processes have the same
/// bytes.
struct DraftOrder {
  /// Invariant memory that has been read.
  struct Memory {
    struct Region {
      std::uint64_t invariant = 0;
      std::uint64_t address = 0;
      std::string bytes;
    };
    std::vector<Region> regions;
    std::vector<core::Extent> objects;
    /// The addresses that the handler module's names have in the requesting program.
    std::map<std::string, std::uint64_t> symbols;
  };

  std::string symbol;
  std::string handler;
  Configuration configuration;
  std::map<unsigned, BoundArgument> arguments;
  std::optional<Memory> memory;
  std::map<std::string, core::Answers, std::less<>> answers;
  std::map<std::string, core::Generated, std::less<>> generated;
  std::map<std::string, unsigned, std::less<>> instrumented;
  std::vector<std::string> holes;
  std::optional<DraftCounters> profile;
  core::Purpose purpose;
  /// The answer is to contain the image.
  bool at_once = false;
};

struct Drafted {
  std::optional<base::ContentKey> key;
  std::vector<std::uint64_t> invariants; ///< Numbered as in the order.
  std::vector<std::uint64_t> places;
  std::vector<Remark> remarks;
  FoldReport fold_report;           ///< Its invariants are numbered as in the order.
  std::optional<std::string> image; ///< The bytes of core::pack_image().
};

struct CallOrder {
  std::vector<std::uint64_t> invariants; ///< Numbered as in the order.
  core::NativeCall call;
};

struct EntryOrder {
  std::string handler;
  std::map<unsigned, BoundArgument> arguments;
  bool inlined = false;
};

struct StubOrder {
  std::string handler;
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

/// Converts messages to the bytes of a frame and back. Returns nullopt if the bytes are malformed.
template <class T> std::string to_bytes(const T &message);
template <class T> std::optional<T> from_bytes(std::string_view bytes);
/// As from_bytes(), in constant memory, whatever the size: a container that is not empty has one
/// element in the result, a string only its beginning. For Pipeline and DraftOrder.
template <class T> std::optional<T> skim(std::string_view bytes);

Modules to_modules(std::span<const sartor_module> modules);

/// Modules in the form of sartor_module. Refers to the object that it is made of.
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
