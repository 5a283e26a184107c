// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file NAME SIZE... [/ SIZE...]...: one unit is a call of a kernel for each group of sizes.
/// Arrays that the kernel writes are reset before each call.
#include <stdlib.h>
#include <string.h>

#include "../work.h"
#include "kernels.h"

// Name, number of sizes, shapes of the arrays, how many of them are reset, arguments. A shape is
// the indices of its sizes; '+' is before a matrix that is symmetric and has a dominant diagonal.
#define KERNELS(KERNEL)                                                                            \
  KERNEL(gemm, 3, "01 02 21", 1, (s[0], s[1], s[2], 1.5, 1.2, a[0], a[1], a[2]))                   \
  KERNEL(two_mm, 4, "03 01 02 21 13", 1,                                                           \
         (s[0], s[1], s[2], s[3], 1.5, 1.2, a[0], a[1], a[2], a[3], a[4]))                         \
  KERNEL(three_mm, 5, "03 01 13 02 21 14 43", 1,                                                   \
         (s[0], s[1], s[2], s[3], s[4], a[0], a[1], a[2], a[3], a[4], a[5], a[6]))                 \
  KERNEL(syrk, 2, "00 01", 1, (s[0], s[1], 1.5, 1.2, a[0], a[1]))                                  \
  KERNEL(syr2k, 2, "00 01 01", 1, (s[0], s[1], 1.5, 1.2, a[0], a[1], a[2]))                        \
  KERNEL(symm, 2, "01 00 01", 1, (s[0], s[1], 1.5, 1.2, a[0], a[1], a[2]))                         \
  KERNEL(trmm, 2, "01 00", 1, (s[0], s[1], 1.5, a[0], a[1]))                                       \
  KERNEL(doitgen, 3, "012 2 22", 1, (s[0], s[1], s[2], a[0], a[1], a[2]))                          \
  KERNEL(atax, 2, "1 0 01 1", 1, (s[0], s[1], a[0], a[1], a[2], a[3]))                             \
  KERNEL(bicg, 2, "1 0 01 0 1", 2, (s[0], s[1], a[0], a[1], a[2], a[3], a[4]))                     \
  KERNEL(mvt, 1, "0 0 00 0 0", 2, (s[0], a[0], a[1], a[2], a[3], a[4]))                            \
  KERNEL(gesummv, 1, "0 00 00 0", 1, (s[0], 1.5, 1.2, a[0], a[1], a[2], a[3]))                     \
  KERNEL(gemver, 1, "00 0 0 0 0 0 0 0 0", 3,                                                       \
         (s[0], 1.5, 1.2, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]))                   \
  KERNEL(lu, 1, "+00", 1, (s[0], a[0]))                                                            \
  KERNEL(cholesky, 1, "+00", 1, (s[0], a[0]))                                                      \
  KERNEL(trisolv, 1, "0 +00 0", 1, (s[0], a[0], a[1], a[2]))                                       \
  KERNEL(gramschmidt, 2, "01 11 01", 3, (s[0], s[1], a[0], a[1], a[2]))                            \
  KERNEL(durbin, 1, "0 0 0", 1, (s[0], a[0], a[1], a[2]))                                          \
  KERNEL(jacobi_1d, 2, "1 1", 2, (s[0], s[1], a[0], a[1]))                                         \
  KERNEL(jacobi_2d, 2, "11 11", 2, (s[0], s[1], a[0], a[1]))                                       \
  KERNEL(seidel_2d, 2, "11", 1, (s[0], s[1], a[0]))                                                \
  KERNEL(fdtd_2d, 3, "12 12 12 0", 3, (s[0], s[1], s[2], a[0], a[1], a[2], a[3]))                  \
  KERNEL(heat_3d, 2, "111 111", 2, (s[0], s[1], a[0], a[1]))                                       \
  KERNEL(floyd_warshall, 1, "00", 1, (s[0], a[0]))                                                 \
  KERNEL(covariance, 2, "01 1 11", 3, (s[0], s[1], a[0], a[1], a[2]))                              \
  KERNEL(correlation, 2, "01 1 1 11", 4, (s[0], s[1], a[0], a[1], a[2], a[3]))

#define DEFINE_RUN(name, sizes, shapes, reset, arguments)                                          \
  static void run_##name(const int *s, void *const *a) { name arguments; }
KERNELS(DEFINE_RUN)

struct kernel {
  const char *name;
  int sizes;
  const char *shapes;
  int reset;
  void (*run)(const int *sizes, void *const *arrays);
};

#define ROW(name, sizes, shapes, reset, arguments) {#name, sizes, shapes, reset, run_##name},
static const struct kernel kernels[] = {KERNELS(ROW)};

enum { most_sizes = 5, most_arrays = 9, most_groups = 4 };

/// A group of sizes and its arrays.
struct group {
  int sizes[most_sizes];
  int arrays;
  size_t lengths[most_arrays];
  void *now[most_arrays];
  double *reset[most_arrays]; ///< What the arrays contain at first.
};

static const struct kernel *kernel;
static struct group groups[most_groups];
static int group_count;

static double *allocate(size_t length) {
  double *array = aligned_alloc(64, (length * sizeof(double) + 63) / 64 * 64);
  if (!array)
    abort();
  return array;
}

static void fill(double *array, size_t length, int diagonal, uint64_t *random) {
  for (size_t i = 0; i < length; ++i)
    array[i] = random_share(random);
  for (int i = 0; i < diagonal; ++i) {
    for (int j = 0; j < i; ++j)
      array[i * diagonal + j] = array[j * diagonal + i];
    array[i * diagonal + i] += diagonal;
  }
}

static void make_arrays(struct group *group) {
  uint64_t random = 88172645463325252;
  group->arrays = 0;
  for (const char *shape = kernel->shapes; *shape; shape += *shape == ' ') {
    const int is_dominant = *shape == '+';
    size_t length = 1;
    for (shape += is_dominant; *shape && *shape != ' '; ++shape)
      length *= (size_t)group->sizes[*shape - '0'];
    const int i = group->arrays++;
    group->lengths[i] = length;
    group->reset[i] = allocate(length);
    group->now[i] = allocate(length);
    fill(group->reset[i], length, is_dominant ? group->sizes[0] : 0, &random);
    memcpy(group->now[i], group->reset[i], length * sizeof(double));
  }
}

int work_begin(int count, char **words) {
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; ++i)
    if (strcmp(kernels[i].name, words[0]) == 0)
      kernel = &kernels[i];
  if (!kernel)
    return 0;
  for (int word = 1; word < count; word += kernel->sizes + 1) {
    if (count - word < kernel->sizes || group_count == most_groups)
      return 0;
    struct group *group = &groups[group_count++];
    for (int i = 0; i < kernel->sizes; ++i) {
      group->sizes[i] = (int)strtol(words[word + i], NULL, 10);
      if (group->sizes[i] < 1)
        return 0;
    }
    make_arrays(group);
  }
  return group_count > 0;
}

static void run(struct group *group) {
  for (int i = 0; i < kernel->reset; ++i)
    memcpy(group->now[i], group->reset[i], group->lengths[i] * sizeof(double));
  kernel->run(group->sizes, group->now);
}

void work_run(void) {
  for (int i = 0; i < group_count; ++i)
    run(&groups[i]);
}

void work_sum(struct sum *sum) {
  work_run();
  for (int i = 0; i < group_count; ++i)
    for (int array = 0; array < kernel->reset; ++array) {
      const double *values = groups[i].now[array];
      add_bytes(sum, values, groups[i].lengths[array] * sizeof(double));
      for (size_t k = 0; k < groups[i].lengths[array]; ++k)
        sum->value += values[k];
    }
}
