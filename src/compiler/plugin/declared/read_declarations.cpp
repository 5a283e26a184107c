// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plugin/declared/declarations.h"

#include <algorithm>
#include <charconv>
#include <span>

namespace sartor::compiler {

using base::TomlItem;
using base::TomlValue;
using Is = DeclaredUse::Is;

namespace {

using Key = std::span<const std::string>;

/// Assigns each line to the declaration that it belongs to.
class DeclarationReader {
public:
  DeclarationReader(const std::string &file, Declarations &to) : file_(file), to_(to) {}

  void read(const TomlItem &item) {
    at_ = {file_, static_cast<unsigned>(item.line)};
    const Key key = item.key;
    if (key[0] == "handler" && key.size() > 1)
      return read_handler(item, key.subspan(1));
    if (key[0] == "function" && key.size() > 1)
      return read_function(item, key.subspan(1));
    if (key[0] == "variable" && key.size() > 1)
      return read_memory(item, "", key.subspan(1));
    if (key[0] == "field" && key.size() > 2)
      return read_memory(item, key[1], key.subspan(2));
    if (item.kind != TomlItem::Kind::table || key.size() != 1 || !begins(key[0]))
      wrong("declarations are [handler.NAME], [function.NAME], [variable.NAME] and "
            "[field.RECORD.NAME]");
  }

  void check() {
    for (const DeclaredFunction &function : to_.functions) {
      at_ = function.place;
      if (function.is_handler && function.is_folded)
        wrong("\"" + function.name + "\" cannot be both a handler and a function to fold");
      if (!function.is_handler && !function.is_folded)
        wrong("nothing is said of \"" + function.name + "\" (write: fold = true)");
      for (const DeclaredParameter &parameter : function.parameters)
        check(parameter);
    }
    for (const DeclaredMemory &memory : to_.memory) {
      at_ = memory.place;
      if (memory.is == Is::nothing)
        wrong("nothing is said of \"" + memory.name + R"(" (write: is = "quasi-invariant"))");
      if (memory.answer != DeclaredMemory::Answer::replug && memory.is != Is::quasi_invariant)
        wrong("\"" + memory.name +
              "\" has an answer to writes, which only what is quasi-invariant has");
      if (memory.is == Is::dynamic && !memory.fields.empty())
        wrong("\"" + memory.name + "\" is dynamic, so there is nothing to say of its fields");
      if (memory.is == Is::fixed && !memory.record.empty())
        wrong("only the program knows the object whose field does not change (write "
              "runtime.invariant(object, &T::field) there, or: is = \"quasi-invariant\")");
    }
  }

  std::vector<DeclarationProblem> problems;

private:
  static bool begins(std::string_view word) {
    return word == "handler" || word == "function" || word == "variable" || word == "field";
  }

  void wrong(std::string text) { problems.push_back({at_, std::move(text)}); }

  template <class T> T &named(std::vector<T> &all, const std::string &name) {
    const auto known = std::ranges::find(all, name, &T::name);
    if (known != all.end())
      return *known;
    T made;
    made.name = name;
    made.place = at_;
    all.push_back(std::move(made));
    return all.back();
  }

  void read_handler(const TomlItem &item, Key key) {
    DeclaredFunction &function = named(to_.functions, key[0]);
    set_place_of(function, item, key.size() == 1);
    function.is_handler = true;
    if (key.size() == 2 && key[1] == "direct")
      read_flag(item, function.is_direct);
    else if (key.size() > 2 && key[1] == "parameter")
      read_parameter(item, named(function.parameters, key[2]), key.subspan(3));
    else if (key.size() > 1)
      wrong("of a handler can be said: direct, parameter.NAME");
  }

  void read_function(const TomlItem &item, Key key) {
    DeclaredFunction &function = named(to_.functions, key[0]);
    set_place_of(function, item, key.size() == 1);
    if (key.size() == 2 && key[1] == "fold")
      read_flag(item, function.is_folded);
    else if (key.size() > 1)
      wrong("of a function can be said: fold");
  }

  // Sets the place for messages to a table's line. Another table may contradict it; check() then
  // reports the last one.
  void set_place_of(DeclaredFunction &function, const TomlItem &item, bool is_whole) {
    if (item.kind == TomlItem::Kind::table && is_whole)
      function.place = at_;
  }

  void read_parameter(const TomlItem &item, DeclaredParameter &parameter, Key key) {
    if (key.empty()) {
      if (item.kind != TomlItem::Kind::table)
        wrong("write: parameter." + parameter.name + R"(.is = "static" or "dynamic")");
      return;
    }
    if (key.size() > 1)
      return wrong("there is nothing in \"" + key[0] + "\"");
    if (key[0] == "enum" || key[0] == "range")
      return read_choices(item, parameter, key[0] == "enum" ? kEnum : kRange);
    if (key[0] == "label")
      return read_text(item, parameter.label);
    if (!read_use(item, parameter, key[0], {Is::fixed, Is::dynamic}))
      return wrong("of a parameter can be said: is, enum, range, label, type");
    if (key[0] == "is" && parameter.is == Is::fixed)
      read_choices(item, parameter, kGeneric);
  }

  void read_choices(const TomlItem &item, DeclaredParameter &parameter, unsigned kind) {
    if (parameter.kind != 0)
      return wrong("\"" + parameter.name + "\" is declared twice: it is a point already");
    parameter.kind = kind;
    parameter.place = at_;
    if (kind == kGeneric)
      return;
    parameter.choices = item.values;
    if (item.kind != TomlItem::Kind::array || item.values.empty())
      wrong("the values are a list: [1, 2]");
    else if (kind == kRange && item.values.size() != 2)
      wrong("a range has a lowest and a highest value: [1, 9]");
  }

  void check(const DeclaredParameter &parameter) {
    at_ = parameter.place;
    if (parameter.is == Is::dynamic && parameter.kind != 0)
      wrong("\"" + parameter.name + "\" cannot be both dynamic and a point");
    if (parameter.kind == 0 && !parameter.label.empty())
      wrong("\"" + parameter.name + "\" has a label, and is no point");
    if (parameter.is == Is::nothing && parameter.kind == 0)
      wrong("nothing is said of \"" + parameter.name + R"(" (write: is = "dynamic"))");
  }

  void read_memory(const TomlItem &item, const std::string &record, Key key) {
    const auto known = std::ranges::find_if(to_.memory, [&](const DeclaredMemory &memory) {
      return memory.record == record && memory.name == key[0];
    });
    const bool is_new = known == to_.memory.end();
    if (is_new) {
      to_.memory.emplace_back();
      to_.memory.back().name = key[0];
      to_.memory.back().place = at_;
      to_.memory.back().record = record;
    }
    DeclaredMemory &memory = is_new ? to_.memory.back() : *known;
    if (key.size() == 1) {
      if (item.kind != TomlItem::Kind::table)
        wrong("write: " + key[0] + R"(.is = "static", "dynamic" or "quasi-invariant")");
      return;
    }
    if (key.size() == 2 && key[1] == "fields" && record.empty())
      return read_fields(item, memory);
    if (key.size() == 2 && (key[1] == "refuse" || key[1] == "reinforce"))
      return read_answer(item, memory, key[1] == "refuse");
    if (key.size() > 2 ||
        !read_use(item, memory, key[1], {Is::fixed, Is::dynamic, Is::quasi_invariant}))
      wrong(record.empty() ? "of a variable can be said: is, fields, type, refuse, reinforce"
                           : "of a field can be said: is, type");
  }

  void read_fields(const TomlItem &item, DeclaredMemory &memory) {
    if (item.kind != TomlItem::Kind::array || item.values.empty())
      return wrong("the fields are a list of names: [\"mode\"]");
    for (const TomlValue &value : item.values)
      memory.fields.push_back(value.text);
  }

  void read_answer(const TomlItem &item, DeclaredMemory &memory, bool refuse) {
    using Answer = DeclaredMemory::Answer;
    if (!memory.record.empty())
      return wrong("the answer to writes to a field is given where the program declares the "
                   "quasi-invariant, since it knows the object (QuasiInvariantOptions)");
    if (memory.answer != Answer::replug)
      return wrong("\"" + memory.name + "\" has two answers to writes");
    if (item.kind != TomlItem::Kind::value || item.values[0].text == "false" ||
        (!refuse && item.values[0].kind != TomlValue::Kind::string))
      return wrong(refuse ? "write: refuse = true, or the name of a function that is asked"
                          : "write: reinforce = the name of a function that is asked");
    const bool asks = item.values[0].kind == TomlValue::Kind::string;
    memory.answer = !refuse ? Answer::ask_to_reinforce
                    : asks  ? Answer::ask_to_refuse
                            : Answer::refuse;
    if (asks)
      read_text(item, memory.function);
  }

  /// Returns false if the key is none of those.
  bool read_use(const TomlItem &item, DeclaredUse &use, const std::string &key,
                std::initializer_list<Is> allowed) {
    if (key == "type") {
      read_text(item, use.type);
      return true;
    }
    if (key != "is")
      return false;
    constexpr std::pair<const char *, Is> words[] = {
        {"static", Is::fixed}, {"dynamic", Is::dynamic}, {"quasi-invariant", Is::quasi_invariant}};
    std::string word;
    read_text(item, word);
    for (const auto &[text, is] : words)
      if (word == text && std::ranges::find(allowed, is) != allowed.end())
        use.is = is;
    if (use.is == Is::nothing)
      wrong("\"" + word + "\" is not what this can be (write: " +
            (allowed.size() == 2 ? R"("static" or "dynamic")"
                                 : R"("static", "dynamic" or "quasi-invariant")") +
            ")");
    return true;
  }

  void read_flag(const TomlItem &item, bool &flag) {
    if (item.kind != TomlItem::Kind::value || item.values[0].kind != TomlValue::Kind::boolean)
      return wrong("\"" + item.key.back() + "\" is true or false");
    flag = item.values[0].text == "true";
  }

  void read_text(const TomlItem &item, std::string &text) {
    if (item.kind != TomlItem::Kind::value || item.values[0].kind != TomlValue::Kind::string ||
        item.values[0].text.empty())
      return wrong("\"" + item.key.back() + "\" is a text in quotes");
    text = item.values[0].text;
  }

  const std::string &file_;
  Declarations &to_;
  SourcePlace at_;
};

unsigned line_in(const std::string &subject) {
  unsigned line = 1;
  const char *digits = subject.data() + subject.rfind(':') + 1;
  std::from_chars(digits, subject.data() + subject.size(), line);
  return line;
}

template <class T, class Same>
void add(std::vector<T> &from, std::vector<T> &to, Same same,
         std::vector<DeclarationProblem> &problems) {
  for (T &declared : from) {
    const auto known =
        std::ranges::find_if(to, [&](const T &other) { return same(other, declared); });
    if (known != to.end())
      problems.push_back({declared.place, "\"" + declared.name + "\" is declared twice: also at " +
                                              known->place.file + ":" +
                                              std::to_string(known->place.line)});
    else
      to.push_back(std::move(declared));
  }
}

} // namespace

std::vector<DeclarationProblem> read_declarations(std::string_view text, const std::string &name,
                                                  Declarations &to) {
  const auto items = base::read_toml(text, name);
  if (!items)
    return {{{name, line_in(items.error().subject)},
             items.error().message + " (" + items.error().remedy + ")"}};
  Declarations own;
  DeclarationReader reader(name, own);
  for (const TomlItem &item : *items)
    reader.read(item);
  if (reader.problems.empty())
    reader.check();
  add(
      own.functions, to.functions, [](const auto &a, const auto &b) { return a.name == b.name; },
      reader.problems);
  add(
      own.memory, to.memory,
      [](const auto &a, const auto &b) { return a.name == b.name && a.record == b.record; },
      reader.problems);
  return std::move(reader.problems);
}

} // namespace sartor::compiler
