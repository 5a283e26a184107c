// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <utility>

#include <sartor/space.hpp>

namespace sartor {

std::string PointType::text() const {
  switch (kind) {
  case Class::integer:
    return (is_signed ? "i" : "u") + std::to_string(bits);
  case Class::boolean:
    return "bool";
  case Class::floating:
    return "f" + std::to_string(bits);
  case Class::pointer:
    return "ptr";
  }
  std::unreachable();
}

} // namespace sartor
