// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tree_source.h"

#include <algorithm>
#include <ostream>

#include "tree.h"

namespace lpm {

namespace {

/// The lines of text that differ between the families.
template <class Address> struct Text;

template <> struct Text<Address4> {
  static constexpr const char *type = "uint32_t";
  static constexpr const char *parameters = "uint32_t address";
  static constexpr const char *arguments = "addresses[i]";
  static constexpr const char *lead = "address";
  static constexpr const char *lead_type = "uint32_t";
  static std::string is_below(Address4 start) { return "address < " + std::to_string(start) + "u"; }
  static std::string table(const std::string &name, const std::vector<Address4> &starts) {
    std::string text = "static const uint32_t " + name + "_starts[] = {";
    for (const Address4 start : starts)
      text += std::to_string(start) + "u,";
    return text + "};\n";
  }
  static std::string is_at_least(const std::string &name, bool, const std::string &index) {
    return "address >= " + name + "_starts[" + index + "]";
  }
  static bool only_highs(const std::vector<Address4> &) { return true; }
};

template <> struct Text<Address6> {
  static constexpr const char *type = "unsigned __int128";
  static constexpr const char *parameters = "uint64_t high, uint64_t low";
  static constexpr const char *arguments = "(uint64_t)(addresses[i] >> 64), (uint64_t)addresses[i]";
  static constexpr const char *lead = "high";
  static constexpr const char *lead_type = "uint64_t";
  static std::string number(std::uint64_t value) { return std::to_string(value) + "u"; }
  static std::string is_below(Address6 start) {
    const std::string of_highs = "high < " + number(high(start));
    if (low(start) == 0)
      return of_highs;
    return "(" + of_highs + ") | ((high == " + number(high(start)) + ") & (low < " +
           number(low(start)) + "))";
  }
  static std::string table(const std::string &name, const std::vector<Address6> &starts) {
    std::string highs = "static const uint64_t " + name + "_highs[] = {";
    std::string lows = "static const uint64_t " + name + "_lows[] = {";
    for (const Address6 start : starts) {
      highs += number(high(start)) + ",";
      lows += number(low(start)) + ",";
    }
    return highs + "};\n" + (only_highs(starts) ? "" : lows + "};\n");
  }
  static std::string is_at_least(const std::string &name, bool only_highs,
                                 const std::string &index) {
    const std::string start = name + "_highs[" + index + "]";
    if (only_highs)
      return "high >= " + start;
    return "(high > " + start + ") | ((high == " + start + ") & (low >= " + name + "_lows[" +
           index + "]))";
  }
  static bool only_highs(const std::vector<Address6> &starts) {
    return std::ranges::all_of(starts, [](Address6 start) { return low(start) == 0; });
  }
};

template <class Address> class Writer {
public:
  Writer(std::string name, const Tree<Address> &tree) : name_(std::move(name)), tree_(tree) {}

  void write(typename Tree<Address>::Part part) {
    if (tree_.is_leaf(part)) {
      if (part.last - part.first == 1)
        code_ += "return " + std::to_string(tree_.range(part.first).hop) + "u;\n";
      else
        search(part);
      return;
    }
    const std::size_t middle = Tree<Address>::middle(part);
    code_ += "if (" + Text<Address>::is_below(tree_.range(middle).start) + ") {\n";
    write({part.first, middle});
    code_ += "} else {\n";
    write({middle, part.last});
    code_ += "}\n";
  }

  [[nodiscard]] const std::string &tables() const { return tables_; }
  [[nodiscard]] const std::string &code() const { return code_; }

private:
  void search(typename Tree<Address>::Part part) {
    const Search<Address> search = tree_.search(part);
    const bool only_highs = Text<Address>::only_highs(search.starts);
    const std::string table = name_ + "_" + std::to_string(part.first);
    tables_ += Text<Address>::table(table, search.starts);
    add_table(table + "_hops", search.hops);
    begin(search, table);
    for (unsigned bit = search.steps; bit-- > 0;) {
      const std::string further = "at + " + std::to_string(std::uint64_t{1} << bit);
      code_ += "at += (uint64_t)(" + Text<Address>::is_at_least(table, only_highs, further) +
               ") << " + std::to_string(bit) + ";\n";
    }
    code_ += "return " + table + "_hops[at];\n";
  }

  void begin(const Search<Address> &search, const std::string &table) {
    if (search.buckets.size() == 1) {
      code_ += "uint64_t at = 0;\n";
      return;
    }
    add_table(table + "_buckets", search.buckets);
    const std::string origin = std::to_string(search.origin) + "u";
    const std::string last = std::to_string(search.last) + "u";
    code_ += std::string(Text<Address>::lead_type) + " number = " + Text<Address>::lead + ";\n";
    if (search.clamped)
      code_ += "number = number < " + origin + " ? " + origin + " : number;\n" +
               "number = number > " + last + " ? " + last + " : number;\n";
    code_ += "uint64_t at = " + table + "_buckets[(number - " + origin + ") >> " +
             std::to_string(search.shift) + "];\n";
  }

  void add_table(const std::string &name, const std::vector<std::uint32_t> &values) {
    tables_ += "static const uint32_t " + name + "[] = {";
    for (const std::uint32_t value : values)
      tables_ += std::to_string(value) + "u,";
    tables_ += "};\n";
  }

  std::string name_;
  const Tree<Address> &tree_;
  std::string tables_;
  std::string code_;
};

/// Returns a tree as a function that looks up one address; `others` are its other parameters.
template <class Address>
std::string function(const std::string &name, const std::string &declarator,
                     const std::string &others, const RouteSet<Address> &set,
                     std::size_t leaf_size) {
  const Tree<Address> tree(set, leaf_size);
  Writer<Address> writer(name, tree);
  writer.write(tree.whole());
  return writer.tables() + declarator + "(" + others + Text<Address>::parameters + ") {\n" +
         writer.code() + "}\n";
}

} // namespace

template <class Address>
std::string tree_in_c(const RouteSet<Address> &set, std::size_t leaf_size) {
  return "typedef unsigned uint32_t;\ntypedef unsigned long uint64_t;\n" +
         function("tree", "uint32_t specialized", "const void *table, ", set, leaf_size);
}

template <class Address>
void write_c(std::ostream &out, const std::string &name, const RouteSet<Address> &set,
             std::size_t leaf_size) {
  using T = Text<Address>;
  out << function(name, "static uint32_t " + name + "_one", "", set, leaf_size) << "void " << name
      << "(const " << T::type << " *restrict addresses, uint32_t *restrict hops, size_t count) {\n"
      << "  for (size_t i = 0; i < count; ++i)\n"
      << "    hops[i] = " << name << "_one(" << T::arguments << ");\n}\n";
}

template std::string tree_in_c(const RouteSet4 &, std::size_t);
template std::string tree_in_c(const RouteSet6 &, std::size_t);
template void write_c(std::ostream &, const std::string &, const RouteSet4 &, std::size_t);
template void write_c(std::ostream &, const std::string &, const RouteSet6 &, std::size_t);

} // namespace lpm
