// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Both sides of a conversation between a program and a compiler: the program makes all its requests
// and receives the compiler's frames; the program's frames are read as a compiler reads them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "base/build_stamp.h"
#include "base/life.h"
#include "fuzz/compiler_side.h"
#include "fuzz/conversation.h"
#include "fuzz/program_side.h"

// Definitions of the process that the program would be.
namespace sartor::base {
const char *const kBuildStamp = "a fuzzer";
unsigned generation() { return 0; }
} // namespace sartor::base

namespace sartor::remote {

namespace {

/// The server's frames that have not been read yet.
struct Rest {
  Conversation frames;
  std::size_t next = 0;
};

class Replay final : public Stream {
public:
  explicit Replay(Rest &rest) : rest_(rest) {}

  Result<std::optional<std::size_t>> read(char *bytes, std::size_t most,
                                          std::chrono::milliseconds) override {
    if (frame_.empty() && rest_.next < rest_.frames.size()) {
      const Said &said = rest_.frames[rest_.next++];
      const auto length = static_cast<std::uint32_t>(1 + said.body.size());
      frame_.assign(reinterpret_cast<const char *>(&length), sizeof length);
      frame_ += static_cast<char>(said.kind);
      frame_ += said.body;
    }
    const std::size_t taken = std::min(most, frame_.size());
    std::memcpy(bytes, frame_.data(), taken);
    frame_.erase(0, taken);
    return taken;
  }
  Result<std::size_t> write(std::string_view bytes, std::chrono::milliseconds) override {
    return bytes.size();
  }
  bool has_ended() override { return false; }
  void end() override {}

private:
  Rest &rest_;
  std::string frame_;
};

class Replays final : public Connector {
public:
  explicit Replays(const Conversation &all) {
    std::ranges::copy_if(all, std::back_inserter(rest_.frames), &Said::by_server);
  }

  // A connection begins at a greeting of the server; the first one follows the last.
  Result<Connection> connect(const Channel::GoOn &) override {
    const auto find_greeting = [this] {
      while (rest_.next < rest_.frames.size() && rest_.frames[rest_.next].kind != Kind::welcome)
        ++rest_.next;
    };
    find_greeting();
    if (rest_.next == rest_.frames.size() && ++rounds_ < kMostRounds) {
      rest_.next = 0;
      find_greeting();
    }
    return Connection{std::make_unique<Channel>(std::make_unique<Replay>(rest_), kMostAnswer), {}};
  }
  Failure why_lost() override { return {ErrorCode::compiler_lost, "a compiler", "has gone", ""}; }
  void give_up() override {}
  Result<void> prepare(const Pipeline &) override { return {}; }
  [[nodiscard]] bool is_server() const override { return false; }
  unsigned era() override { return 0; }

private:
  static constexpr int kMostRounds = 16;

  Rest rest_;
  int rounds_ = 0;
};

} // namespace

} // namespace sartor::remote

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace sartor::remote;
  const Conversation conversation = conversation_in({reinterpret_cast<const char *>(data), size});
  hear_as_compiler(conversation);
  Replays replays(conversation);
  ask_for_everything(replays, "BC");
  return 0;
}
