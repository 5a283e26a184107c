// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tables.h"

#include <stdexcept>
#include <string>

#include <sartor/c/sartor.h>

namespace sartor::rust_study {

namespace {

class TableInRust final : public Table {
public:
  explicit TableInRust(const std::vector<Rule> &rules)
      : table_(rust_table_open(rules.data(), rules.size())) {
    if (!table_)
      throw std::runtime_error("there is no table in Rust");
  }
  TableInRust(const TableInRust &) = delete;
  TableInRust &operator=(const TableInRust &) = delete;
  ~TableInRust() override { rust_table_close(table_); }

  void forward(std::span<const std::uint32_t> addresses, std::uint16_t *ports) const override {
    rust_table_forward(table_, addresses.data(), addresses.size(), ports);
  }

private:
  RustTable *table_;
};

void check(sartor_status status) {
  if (status != SARTOR_OK)
    throw std::runtime_error(std::string("there is no table in C: ") + sartor_last_error());
}

sartor_runtime *runtime() {
  static sartor_runtime *const opened = [] {
    sartor_runtime *made = nullptr;
    check(sartor_open(&made));
    return made;
  }();
  return opened;
}

class TableInC final : public Table {
public:
  explicit TableInC(const std::vector<Rule> &rules) {
    check(sartor_invariant_declare(rules.data(), rules.size() * sizeof(Rule), &invariant_));
    sartor_argument arguments[5] = {};
    arguments[0].kind = SARTOR_ARGUMENT_POINTER;
    arguments[0].value.pointer = rules.data();
    arguments[1].kind = SARTOR_ARGUMENT_INTEGER;
    arguments[1].value.integer = static_cast<long long>(rules.size());
    check(sartor_bind(runtime(), "forward_in_c", arguments, 5, &binding_));
    void (*function)() = nullptr;
    check(sartor_binding_function(binding_, &function));
    check(sartor_binding_wait(binding_));
    forward_ = reinterpret_cast<Forward *>(function);
  }
  TableInC(const TableInC &) = delete;
  TableInC &operator=(const TableInC &) = delete;
  ~TableInC() override {
    sartor_release(binding_);
    sartor_invalidate(invariant_);
  }

  void forward(std::span<const std::uint32_t> addresses, std::uint16_t *ports) const override {
    forward_(addresses.data(), addresses.size(), ports);
  }

private:
  using Forward = void(const std::uint32_t *, std::size_t, std::uint16_t *);

  sartor_invariant *invariant_ = nullptr;
  sartor_binding *binding_ = nullptr;
  Forward *forward_ = nullptr;
};

} // namespace

std::unique_ptr<Table> table_in_rust(const std::vector<Rule> &rules) {
  return std::make_unique<TableInRust>(rules);
}

std::unique_ptr<Table> table_in_c(const std::vector<Rule> &rules) {
  return std::make_unique<TableInC>(rules);
}

} // namespace sartor::rust_study
