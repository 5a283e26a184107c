// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/compiler/stored_stub.h"

#include <utility>

#include "base/bytes.h"
#include "base/text/printable.h"
#include "core/image/pack.h"

namespace sartor::core {

namespace {

/// A stub in the form in which it is serialized.
struct StoredStub {
  Comparability comparability;
  std::string image; ///< The bytes of pack_image(). Empty if calls cannot be compared.
};

} // namespace

} // namespace sartor::core

namespace sartor::bytes {

template <class Io, Of<core::Comparability> T> void fields_of(Io &io, T &comparability) {
  io.choice(comparability.how);
  io(comparability.reason, comparability.file, comparability.line, comparability.never_in_child);
  io.choice(comparability.code);
}

template <class Io, Of<core::StoredStub> T> void fields_of(Io &io, T &stub) {
  io(stub.comparability, stub.image);
  io.require(stub.image.empty() == (stub.comparability.how == core::Comparison::none));
}

} // namespace sartor::bytes

namespace sartor::core {

std::string pack_stub(const CheckingStub &stub) {
  const bool has_image = stub.comparability.how != Comparison::none;
  return bytes::pack(
      StoredStub{stub.comparability, has_image ? pack_image(stub.image) : std::string()});
}

Result<CheckingStub> unpack_stub(std::string_view packed) {
  auto stored = bytes::unpack<StoredStub>(packed);
  if (!stored)
    return std::unexpected(Failure{ErrorCode::file_error, "a checking stub",
                                   "is not as it was written", "make it anew"});
  CheckingStub stub{std::move(stored->comparability), {}};
  stub.comparability.reason = base::printable(stub.comparability.reason);
  stub.comparability.file = base::printable(stub.comparability.file);
  if (stored->image.empty())
    return stub;
  auto image = unpack_image(stored->image);
  if (!image)
    return std::unexpected(std::move(image.error()));
  stub.image = std::move(*image);
  return stub;
}

} // namespace sartor::core
