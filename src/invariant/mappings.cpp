// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "invariant/mappings.h"

#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include <sys/mman.h>

#include "engine/own_stack.h"
#include "invariant/hex.h"

namespace sartor::invariant {

using specialize::Extent;

namespace {

std::unexpected<Failure> refused(Extent memory, const char *why) {
  return std::unexpected(Failure{
      ErrorCode::bad_invariant, as_hex(memory.address), why,
      "give the fact pages of its own, or have its writers guarded, without protect_pages"});
}

struct Mapping {
  Extent extent;
  int rights;
  bool is_stack;
};

std::optional<Mapping> next(std::istream &maps) {
  std::string line;
  if (!std::getline(maps, line))
    return std::nullopt;
  std::istringstream words(line);
  Mapping mapping{};
  char dash = 0;
  std::string rights;
  words >> std::hex >> mapping.extent.address >> dash >> mapping.extent.end >> rights;
  rights.resize(4);
  mapping.rights = (rights[0] == 'r' ? PROT_READ : 0) | (rights[1] == 'w' ? PROT_WRITE : 0) |
                   (rights[2] == 'x' ? PROT_EXEC : 0);
  mapping.is_stack = line.ends_with("[stack]");
  return mapping;
}

} // namespace

Result<int> rights_of(Extent memory) {
  if (const auto stack = engine::OwnStack::find();
      stack && memory.address < stack->end && stack->low < memory.end)
    return refused(memory, "is a thread's stack, which cannot be protected");
  std::ifstream maps("/proc/self/maps");
  std::uintptr_t known_to = memory.address;
  std::optional<int> rights;
  while (const auto mapping = next(maps)) {
    if (mapping->extent.end <= known_to || mapping->extent.address > known_to)
      continue;
    if (mapping->is_stack)
      return refused(memory, "is a thread's stack, which cannot be protected");
    if ((mapping->rights & PROT_WRITE) == 0)
      return refused(memory, "cannot be written to by this process, so that its changes are not "
                             "seen by protecting it");
    if (rights.value_or(mapping->rights) != mapping->rights)
      return refused(memory, "consists of mappings with different rights");
    rights = mapping->rights;
    known_to = mapping->extent.end;
    if (known_to >= memory.end)
      return *rights;
  }
  return refused(memory, "is no memory of this process's");
}

} // namespace sartor::invariant
