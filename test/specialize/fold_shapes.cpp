// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fold_shapes.h"

#include <sartor/points.h>

Config static_config;

namespace {

bool matches(const Rule &rule, std::uint64_t address) { return (address & rule.mask) == rule.net; }

} // namespace

extern "C" {

std::uint64_t fold_twice(std::uint64_t x) { return 2 * x; }
std::uint64_t fold_plus_one(std::uint64_t x) { return x + 1; }

SARTOR_HANDLER std::uint64_t fold_array(const Config *config, std::uint64_t a, std::uint64_t) {
  for (std::uint32_t i = 0; i < config->count; ++i)
    if (matches(config->rules[i], a))
      return config->rules[i].value;
  return 0;
}

SARTOR_HANDLER std::uint64_t fold_list(const Config *config, std::uint64_t a, std::uint64_t) {
  for (const ListRule *rule = config->list; rule; rule = rule->next)
    if (matches(rule->rule, a))
      return rule->rule.value;
  return 0;
}

SARTOR_HANDLER std::uint64_t fold_groups(const Config *config, std::uint64_t a, std::uint64_t b) {
  for (std::uint32_t g = 0; g < config->group_count; ++g) {
    const Group *group = config->groups[g];
    if (group->kind != b)
      continue;
    for (std::uint32_t i = 0; i < group->count; ++i)
      if (matches(group->rules[i], a))
        return group->rules[i].value + g;
  }
  return 0;
}

SARTOR_HANDLER std::uint64_t fold_hooks(const Config *config, std::uint64_t a, std::uint64_t) {
  for (std::uint32_t i = 0; i < config->hook_count; ++i) {
    const Step step = config->hooks[i]->step;
    a = (step ? step : fold_plus_one)(a);
    config->hooks[i]->seen += a;
  }
  return a;
}

SARTOR_HANDLER std::uint64_t fold_vector(const Config *config, std::uint64_t a, std::uint64_t) {
  std::uint64_t sum = 0;
  for (const Rule &rule : config->table)
    sum += matches(rule, a) ? rule.value : 1;
  return sum;
}

SARTOR_HANDLER std::uint64_t fold_pattern(const Config *config, std::uint64_t text, std::uint64_t) {
  const char *at = reinterpret_cast<const char *>(text);
  for (const char *p = config->pattern; *p; ++p, ++at) {
    if (*p == '?' && *at)
      continue;
    if (*p == '*')
      return 2;
    if (*p != *at)
      return 0;
  }
  return *at == 0;
}

static std::uint64_t evaluate(const Tree *tree, std::uint64_t input) {
  switch (tree->kind) {
  case 0:
    return tree->number;
  case 1:
    return input;
  case 2:
    return evaluate(tree->left, input) + evaluate(tree->right, input);
  default:
    return evaluate(tree->left, input) * evaluate(tree->right, input);
  }
}

SARTOR_HANDLER std::uint64_t fold_tree(const Config *config, std::uint64_t a, std::uint64_t) {
  return evaluate(config->tree, a);
}

SARTOR_HANDLER std::uint64_t fold_run(const Config *config, std::uint64_t a, std::uint64_t fuel) {
  std::uint64_t r[8] = {};
  const Instruction *pc = config->program;
  while (fuel-- > 0) {
    const Instruction &i = *pc++;
    switch (i.op) {
    case op_return:
      return r[i.a];
    case op_load:
      r[i.a] = static_cast<std::uint64_t>(i.immediate);
      break;
    case op_add:
      r[i.a] = r[i.b] + r[i.c];
      break;
    case op_subtract:
      r[i.a] = r[i.b] - r[i.c];
      break;
    case op_multiply:
      r[i.a] = r[i.b] * r[i.c];
      break;
    case op_xor:
      r[i.a] = r[i.b] ^ r[i.c];
      break;
    case op_shift:
      r[i.a] = r[i.b] >> (r[i.c] & 63U);
      break;
    case op_move:
      r[i.a] = r[i.b];
      break;
    case op_input:
      r[i.a] = a;
      break;
    case op_jump:
      pc = config->program + i.immediate;
      break;
    case op_jump_if_zero:
      if (r[i.a] == 0)
        pc = config->program + i.immediate;
      break;
    case op_jump_if_less:
      pc = r[i.a] < r[i.b] ? config->program + i.immediate : pc;
      break;
    default:
      return ~std::uint64_t{0};
    }
  }
  return r[0] ^ r[7];
}

// One accumulator; conditions change the program counter as numbers and selects.
SARTOR_HANDLER std::uint64_t fold_run_selecting(const Config *config, std::uint64_t a,
                                                std::uint64_t fuel) {
  std::uint64_t sum = 0;
  std::uint64_t steps = 0;
  std::uint32_t pc = 0;
  for (;; ++steps) {
    if (steps == fuel)
      return sum + 77;
    const Instruction &i = config->program[pc];
    const bool taken = (sum ^ a) & (std::uint64_t{1} << (i.b & 31U));
    switch (i.op) {
    case op_return:
      return sum + steps;
    case op_load:
    case op_move:
      sum = static_cast<std::uint64_t>(i.immediate);
      pc += 1;
      break;
    case op_jump:
      pc = static_cast<std::uint32_t>(i.immediate);
      break;
    case op_jump_if_zero:
      pc = taken ? pc + 1 : static_cast<std::uint32_t>(i.immediate);
      break;
    case op_jump_if_less:
      sum += a;
      pc += 1 + (taken ? 1U : 0U);
      break;
    default:
      sum = (sum + static_cast<std::uint64_t>(i.immediate)) * (2 * i.a + 1);
      pc += 1;
    }
  }
}

SARTOR_HANDLER std::uint64_t fold_run_threaded(const Config *config, std::uint64_t a,
                                               std::uint64_t fuel) {
  static void *const labels[] = {&&leave, &&load, &&add, &&times, &&jump};
  const Instruction *pc = config->program;
  std::uint64_t sum = 0;
#define NEXT                                                                                       \
  do {                                                                                             \
    if (fuel-- == 0)                                                                               \
      return sum;                                                                                  \
    goto *labels[pc->op];                                                                          \
  } while (false)
  NEXT;
load:
  sum = static_cast<std::uint64_t>(pc->immediate);
  ++pc;
  NEXT;
add:
  sum += a + static_cast<std::uint64_t>(pc->immediate);
  ++pc;
  NEXT;
times:
  sum *= static_cast<std::uint64_t>(pc->immediate);
  ++pc;
  NEXT;
jump:
  if (sum & 1U)
    pc = config->program + pc->immediate;
  else
    ++pc;
  NEXT;
leave:
  return sum + 1;
#undef NEXT
}

// Like fold_run_selecting, with a constant budget: if it were followed, it would be part of the
// key.
SARTOR_HANDLER std::uint64_t fold_run_with_budget(const Config *config, std::uint64_t a,
                                                  std::uint64_t) {
  std::uint64_t sum = a;
  const Instruction *pc = config->program;
  for (std::uint32_t budget = 5000; budget > 0; --budget) {
    const Instruction &i = *pc++;
    if (i.op == op_return)
      return sum;
    if (i.op == op_jump_if_zero && (sum & 0xffU) != 0)
      pc = config->program + i.immediate;
    if (i.op == op_add)
      sum += static_cast<std::uint64_t>(i.immediate);
    if (i.op == op_multiply)
      sum *= static_cast<std::uint64_t>(i.immediate);
  }
  return 99;
}

SARTOR_HANDLER std::uint64_t fold_volatile_mode(const Config *config, std::uint64_t a,
                                                std::uint64_t b) {
  const volatile auto &mode = config->mode;
  return mode == 2 ? a ^ b : a + mode;
}

SARTOR_HANDLER std::uint64_t fold_relaxed_mode(const Config *config, std::uint64_t a,
                                               std::uint64_t b) {
  const auto mode = __atomic_load_n(&config->mode, __ATOMIC_RELAXED);
  return mode == 2 ? a ^ b : a + mode;
}

SARTOR_HANDLER std::uint64_t fold_acquired_mode(const Config *config, std::uint64_t a,
                                                std::uint64_t b) {
  const auto mode = __atomic_load_n(&config->mode, __ATOMIC_ACQUIRE);
  return mode == 2 ? a ^ b : a + mode;
}

SARTOR_HANDLER std::uint64_t fold_mode(const Config *config, std::uint64_t a, std::uint64_t b) {
  switch (config->mode) {
  case 0:
    return a;
  case 1:
    return a * 3;
  case 2:
    return a ^ b;
  default:
    return b;
  }
}

SARTOR_HANDLER std::uint64_t fold_count_down(const Config *config, std::uint64_t a, std::uint64_t) {
  std::uint64_t sum = 0;
  std::uint32_t left = config->count;
  const Rule *rule = config->rules;
  while (left--) {
    sum = sum * 3 + (a ^ rule->value);
    ++rule;
  }
  return sum;
}

SARTOR_HANDLER std::uint64_t fold_packets(const Config *config, std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  for (std::uint64_t packet = 0; packet < b; ++packet) {
    std::uint64_t hit = 1000;
    for (std::uint32_t i = 0; i < config->count; ++i)
      if (matches(config->rules[i], a + packet)) {
        hit = config->rules[i].value;
        break;
      }
    sum = sum * 31 + hit;
  }
  return sum;
}

SARTOR_FOLD std::uint64_t fold_digest(const Config *config) {
  std::uint64_t digest = 14695981039346656037U;
  for (std::uint32_t i = 0; i < config->count; ++i)
    digest = (digest ^ config->rules[i].value) * 1099511628211U;
  return digest;
}

SARTOR_HANDLER std::uint64_t fold_ahead(const Config *config, std::uint64_t a, std::uint64_t) {
  return fold_digest(config) ^ a;
}

SARTOR_HANDLER std::uint64_t fold_mutable(const Config *config, std::uint64_t a, std::uint64_t) {
  auto *writable = const_cast<Config *>(config);
  writable->counter += a * config->mode;
  return config->counter;
}

SARTOR_HANDLER std::uint64_t fold_unbounded(const Config *config, std::uint64_t a,
                                            std::uint64_t b) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < b; ++i)
    sum = sum * 7 + (config->rules[i % config->count].value ^ a);
  return sum;
}

static std::uint64_t look_up(const Config *config, std::uint64_t a, std::uint64_t otherwise) {
  for (std::uint32_t i = 0; i < config->count; ++i)
    if (matches(config->rules[i], a))
      return config->rules[i].value;
  return otherwise;
}

SARTOR_HANDLER std::uint64_t fold_helper(const Config *config, std::uint64_t a, std::uint64_t b) {
  const std::uint64_t otherwise = config->mode ? b : a;
  return look_up(config, a, otherwise) * look_up(config, b, otherwise + 1);
}

SARTOR_HANDLER std::uint64_t fold_static(const Config *, std::uint64_t a, std::uint64_t) {
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < static_config.count; ++i)
    if (matches(static_config.rules[i], a))
      sum += static_config.rules[i].value;
  static_config.counter += sum;
  return sum;
}

SARTOR_HANDLER const Rule *fold_which(const Config *config, std::uint64_t a, std::uint64_t) {
  for (std::uint32_t i = 0; i < config->count; ++i)
    if (matches(config->rules[i], a))
      return &config->rules[i];
  return nullptr;
}

// Points within followed loops. Each iteration is counted, so that one that runs twice is noticed.

SARTOR_HANDLER std::uint64_t fold_guarded_array(const Config *config, std::uint64_t a,
                                                std::uint64_t b) {
  auto *writable = const_cast<Config *>(config);
  std::uint64_t sum = b;
  for (std::uint32_t i = 0; i < config->count; ++i) {
    const std::uint64_t digit = sartor_enum("digit", (a >> i) & 3U, 0, 1, 2);
    writable->counter = writable->counter * 5 + digit;
    sum = sum * 31 + (matches(config->rules[i], sum + digit) ? config->rules[i].value : digit);
  }
  return sum;
}

SARTOR_HANDLER std::uint64_t fold_guarded_list(const Config *config, std::uint64_t a,
                                               std::uint64_t b) {
  auto *writable = const_cast<Config *>(config);
  for (const ListRule *rule = config->list; rule; rule = rule->next) {
    ++writable->counter;
    if (!sartor_assume("known", (a & rule->rule.mask) != b))
      return writable->counter * 1000;
    if (matches(rule->rule, sartor_generic("address", a)))
      return rule->rule.value + a;
    a = (a >> 1U) | (a << 63U);
  }
  return a;
}

SARTOR_HANDLER std::uint64_t fold_guarded_run(const Config *config, std::uint64_t a,
                                              std::uint64_t fuel) {
  auto *writable = const_cast<Config *>(config);
  std::uint64_t r[8] = {};
  const Instruction *pc = config->program;
  for (fuel *= 9; fuel > 0; --fuel) {
    const Instruction &i = *pc++;
    switch (i.op) {
    case op_return:
      return r[i.a];
    case op_add:
      r[i.a] = r[i.b] + r[i.c] + static_cast<std::uint64_t>(i.immediate);
      break;
    case op_multiply:
      r[i.a] = r[i.b] * sartor_range("factor", r[i.c] & 7U, 0, 6);
      writable->counter += r[i.a];
      break;
    case op_input:
      r[i.a] = a++;
      break;
    case op_jump_if_zero:
      if (sartor_assume("ahead", (r[i.a] & 3U) != 0))
        pc = config->program + i.immediate;
      break;
    default:
      return ~std::uint64_t{0};
    }
  }
  return r[0] ^ r[7];
}

static std::uint64_t look_up(const Config *config, std::uint64_t a) {
  for (std::uint32_t i = 0; i < config->count; ++i)
    if (matches(config->rules[i], a))
      return config->rules[i].value;
  return 0;
}

SARTOR_HANDLER std::uint64_t fold_behind_fast_path(const Config *config, std::uint64_t a,
                                                   std::uint64_t b) {
  return sartor_fast_path("fold_behind_fast_path", look_up, config, a) + b;
}

SARTOR_HANDLER std::uint64_t fold_guarded_pointer(const Config *config, std::uint64_t a,
                                                  std::uint64_t b) {
  return look_up(sartor_generic("fold_guarded_pointer", config), a) * b;
}
} // extern "C"
