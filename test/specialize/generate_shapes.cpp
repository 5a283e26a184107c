// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Writes random handlers with points at random places: loops, branches, switches, exceptions,
/// calls of functions that contain points, side effects everywhere. They compute on u64, so that no
/// operation is undefined, and every loop ends.
///     generate_shapes SEED COUNT HANDLERS.cpp LIST.h
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <random>
#include <string>

namespace {

class Writer {
public:
  Writer(std::ostream &out, std::uint64_t seed) : out_(out), random_(seed) {}

  void helper(unsigned index) {
    name_ = "helper_" + std::to_string(index);
    calls_ = index;
    out_ << "[[maybe_unused" << (coin(3) ? ", gnu::noinline" : "") << "]] static std::uint64_t "
         << name_ << "(Memory &memory, std::uint64_t a, std::uint64_t b) {\n";
    body(2);
    out_ << "}\n\n";
  }

  void handler(unsigned index, unsigned helpers) {
    name_ = "random_" + std::to_string(index);
    calls_ = helpers;
    out_ << "SARTOR_HANDLER std::int64_t " << name_
         << "(Memory &memory, std::int64_t first, std::int64_t second) {\n"
         << "  const auto a = static_cast<std::uint64_t>(first);\n"
         << "  const auto b = static_cast<std::uint64_t>(second);\n";
    body(3);
    out_ << "}\n\n";
  }

private:
  unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool coin(unsigned one_in) { return pick(one_in) == 0; }

  std::string variable() { return "v" + std::to_string(pick(5)); }

  std::string expression(unsigned depth = 2) {
    if (depth == 0 || coin(3))
      return coin(4) ? std::to_string(pick(9)) + "UL" : variable();
    static const char *const operators[] = {" + ", " - ", " * ", " ^ ", " & ", " | "};
    return "(" + expression(depth - 1) + operators[pick(6)] + expression(depth - 1) + ")";
  }

  std::string condition() {
    static const char *const comparisons[] = {" & 3) == ", " & 7) > ", " % 5) != "};
    return "(" + expression() + comparisons[pick(3)] + std::to_string(pick(4));
  }

  // Labels are shared now and then: such points are set together.
  std::string point() {
    const std::string label = name_ + "." + std::to_string(coin(5) ? 0 : points_++);
    return "sartor_generic(\"" + label + "\", " + expression() + " & 3)";
  }

  void body(unsigned depth) {
    points_ = 0;
    loops_ = 0;
    out_ << "  std::uint64_t v0 = a, v1 = b, v2 = a ^ b, v3 = 7, v4 = memory.cells[0];\n";
    statement(depth);
    for (unsigned i = 0; i < 4; ++i)
      statement(depth);
    out_ << "  " << variable() << " += " << point() << ";\n";
    out_ << "  return v0 + v1 * 3 + v2 * 5 + v3 * 7 + v4 * 11;\n";
  }

  void block(unsigned depth, bool in_loop) {
    out_ << " {\n";
    for (unsigned i = 0; i <= pick(3); ++i)
      statement(depth, in_loop);
    out_ << "}\n";
  }

  void statement(unsigned depth, bool in_loop = false) {
    switch (depth == 0 ? pick(5) : pick(11)) {
    case 0:
      out_ << variable() << " = " << expression() << ";\n";
      break;
    case 1:
      out_ << variable() << " = " << point() << ";\n";
      break;
    case 2:
      out_ << "memory.cells[" << expression() << " & 15] += " << expression() << ";\n";
      break;
    case 3:
      out_ << "effect(" << pick(9) << ", " << expression() << " & 0xff);\n";
      break;
    case 4:
      if (in_loop)
        out_ << "if (" << condition() << ") " << (coin(2) ? "break" : "continue") << ";\n";
      else if (calls_ > 0)
        out_ << variable() << " ^= helper_" << pick(calls_) << "(memory, " << expression() << ", "
             << expression() << ");\n";
      break;
    case 5:
    case 6:
      out_ << "if (" << condition() << ")";
      block(depth - 1, in_loop);
      if (coin(2)) {
        out_ << "else";
        block(depth - 1, in_loop);
      }
      break;
    case 7:
    case 8: {
      const std::string counter = "i" + std::to_string(loops_++);
      out_ << "for (std::uint64_t " << counter << " = 0; " << counter << " < "
           << (coin(2) ? point() : "(" + expression() + " & 3)") << " && " << counter << " < 5; ++"
           << counter << ")";
      block(depth - 1, true);
      break;
    }
    case 9:
      out_ << "switch (" << (coin(2) ? point() : expression() + " & 3") << ") {\n";
      for (unsigned i = 0; i < 3; ++i) {
        out_ << "case " << i << ":";
        block(depth - 1, false);
        out_ << (coin(3) ? "[[fallthrough]];\n" : "break;\n");
      }
      out_ << "default:\n" << variable() << " += 1;\n}\n";
      break;
    default:
      out_ << "try";
      out_ << " {\n";
      statement(depth - 1);
      out_ << "if (" << condition() << ") throw std::int64_t{" << pick(9) << "};\n";
      statement(depth - 1);
      out_ << "} catch (std::int64_t thrown) {\n"
           << variable() << " += static_cast<std::uint64_t>(thrown);\n";
      statement(depth - 1);
      out_ << "}\n";
    }
  }

  std::ostream &out_;
  std::mt19937_64 random_;
  std::string name_;
  unsigned calls_ = 0; ///< The number of helpers that may be called.
  unsigned points_ = 0;
  unsigned loops_ = 0;
};

} // namespace

int main(int argc, char **argv) {
  if (argc != 5) {
    std::cerr << "usage: generate_shapes SEED COUNT HANDLERS.cpp LIST.h\n";
    return 2;
  }
  const std::uint64_t seed = std::strtoull(argv[1], nullptr, 10);
  const auto count = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
  std::ofstream handlers(argv[3]);
  std::ofstream list(argv[4]);
  handlers << "// Random handlers of seed " << seed << ".\n"
           << "#include \"random_shapes.h\"\n\n#include <sartor/points.h>\n\n";
  Writer writer(handlers, seed);
  const unsigned helpers = count / 6;
  for (unsigned i = 0; i < helpers; ++i)
    writer.helper(i);
  list << "#include \"shapes.h\"\n#define RANDOM_SHAPES(each)";
  for (unsigned i = 0; i < count; ++i) {
    writer.handler(i, helpers);
    list << " each(random_" << i << ')';
  }
  list << '\n';
  for (unsigned i = 0; i < count; ++i)
    list << "Shape random_" << i << ";\n";
  return handlers && list ? 0 : 1;
}
