// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/assumptions/pages/mappings.h"

#include <cstdint>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include <sys/mman.h>

#include "base/own_stack.h"
#include "runtime/assumptions/hex.h"

namespace sartor::runtime {

using core::Extent;

namespace {

std::unexpected<Failure> refused(Extent memory, const char *why) {
  return std::unexpected(Failure{
      ErrorCode::bad_invariant, as_hex(memory.address), why,
      "give the quasi-invariant pages of its own, or guard its writers, without protect_pages"});
}

struct Line {
  Extent extent;
  Mapping mapping;
  bool is_stack;
};

std::optional<Line> next(std::istream &maps) {
  std::string line;
  if (!std::getline(maps, line))
    return std::nullopt;
  std::istringstream words(line);
  Line read{};
  char dash = 0;
  std::string rights;
  std::string offset;
  std::string device;
  std::uint64_t file = 0; // the inode; 0 if there is no file
  words >> std::hex >> read.extent.address >> dash >> read.extent.end >> rights >> offset >>
      device >> std::dec >> file;
  rights.resize(4);
  read.mapping.rights = (rights[0] == 'r' ? PROT_READ : 0) | (rights[1] == 'w' ? PROT_WRITE : 0) |
                        (rights[2] == 'x' ? PROT_EXEC : 0);
  read.mapping.is_of_file = rights[3] == 'p' && file != 0;
  read.is_stack = line.ends_with("[stack]");
  return read;
}

} // namespace

Result<Mapping> mapping_of(Extent memory) {
  if (const auto stack = base::OwnStack::find();
      stack && memory.address < stack->end && stack->low < memory.end)
    return refused(memory, "is a thread's stack, which cannot be protected");
  std::ifstream maps("/proc/self/maps");
  std::uintptr_t known_to = memory.address;
  std::optional<Mapping> found;
  while (const auto line = next(maps)) {
    if (line->extent.end <= known_to || line->extent.address > known_to)
      continue;
    if (line->is_stack)
      return refused(memory, "is a thread's stack, which cannot be protected");
    if ((line->mapping.rights & PROT_WRITE) == 0)
      return refused(memory, "cannot be written to by this process, so that its changes are not "
                             "seen by protecting it");
    if (found && found->rights != line->mapping.rights)
      return refused(memory, "consists of mappings with different rights");
    found = {line->mapping.rights, line->mapping.is_of_file || (found && found->is_of_file)};
    known_to = line->extent.end;
    if (known_to >= memory.end)
      return *found;
  }
  return refused(memory, "is no memory of this process's");
}

} // namespace sartor::runtime
