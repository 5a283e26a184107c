// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_PROTOCOL_CHANNEL_H
#define SARTOR_REMOTE_PROTOCOL_CHANNEL_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/file/file_handle.h"
#include "base/result.h"
#include "remote/protocol/message.h"
#include "remote/protocol/seal.h"

namespace sartor::remote {

/// A byte stream to and from a peer. For use by one thread at a time.
class Stream {
public:
  virtual ~Stream() = default;
  /// Reads at least one byte into `bytes`, at most `most`. Returns zero if the other side has gone,
  /// nullopt if nothing came in that time. Fails with compiler_lost.
  virtual Result<std::optional<std::size_t>> read(char *bytes, std::size_t most,
                                                  std::chrono::milliseconds patience) = 0;
  /// Writes as many bytes as possible without waiting longer than that. Fails with compiler_lost.
  virtual Result<std::size_t> write(std::string_view bytes, std::chrono::milliseconds patience) = 0;
  /// True if the other side has gone. Does not wait.
  virtual bool has_ended() = 0;
  /// Signals to the other side that this one has gone; its remaining bytes can still be read.
  virtual void end() = 0;
  /// False if the program has closed the descriptor; all other functions then fail, and touch
  /// nothing.
  [[nodiscard]] virtual bool is_still_ours() const { return true; }
};

/// A socket, which the destructor closes.
class SocketStream final : public Stream {
public:
  explicit SocketStream(int socket) : socket_(socket) {}

  Result<std::optional<std::size_t>> read(char *bytes, std::size_t most,
                                          std::chrono::milliseconds patience) override;
  Result<std::size_t> write(std::string_view bytes, std::chrono::milliseconds patience) override;
  bool has_ended() override;
  void end() override;
  [[nodiscard]] bool is_still_ours() const override { return socket_.is_still_ours(); }

private:
  base::FileHandle socket_;
};

/// The largest frame that a program accepts from a compiler.
constexpr std::size_t kMostAnswer = std::size_t{1} << 30;

struct Frame {
  Kind kind = Kind::failed;
  std::string body;
};

/// Frames over a stream: four bytes, the little-endian length of the rest; a Kind; the body. In a
/// sealed channel, the kind and the body are encrypted. For use by one thread at a time.
class Channel {
public:
  /// Returns whether to continue; called every few milliseconds until a frame is complete.
  using GoOn = std::function<bool()>;

  /// `most` is the maximum size of received frames in bytes, until seal() sets another.
  Channel(std::unique_ptr<Stream> stream, std::size_t most)
      : stream_(std::move(stream)), most_(most) {}

  /// Fails with compiler_lost; with compile_timeout if `go_on` returns false.
  Result<void> send(Kind kind, std::string_view body, const GoOn &go_on);
  /// Fails as send() does, and with server_refused for bytes that are not a frame, or a larger one.
  /// Returns nullopt if the other side has gone between two frames.
  Result<std::optional<Frame>> receive(const GoOn &go_on);

  /// All frames from now on are sealed, in both directions; received ones have at most `most`
  /// bytes.
  void seal(const Seal &seal, std::size_t most) {
    seal_ = seal;
    most_ = most;
  }

  bool has_ended() { return stream_->has_ended(); }
  [[nodiscard]] bool is_still_ours() const { return stream_->is_still_ours(); }
  void end() { stream_->end(); }

private:
  Result<bool> fill(std::size_t bytes, const GoOn &go_on);

  std::unique_ptr<Stream> stream_;
  std::size_t most_;
  std::optional<Seal> seal_;
  std::string received_; ///< An incomplete frame, or the beginning of the next.
};

/// Creates the failure for a peer that has gone.
Failure lost(std::string why);
/// Creates the failure for an answer that has not come in time.
Failure late();

/// The reason why a socket is not used after the program has closed its descriptor.
constexpr const char *kClosedByProgram = "the program has closed the connection's descriptor";

/// A Channel::GoOn without a limit.
inline bool always() { return true; }

} // namespace sartor::remote

#endif
