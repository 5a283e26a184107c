// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels.h"

void jacobi_1d(int steps, int n, double a[n], double b[n]) {
  for (int t = 0; t < steps; ++t) {
    for (int i = 1; i < n - 1; ++i)
      b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
    for (int i = 1; i < n - 1; ++i)
      a[i] = (b[i - 1] + b[i] + b[i + 1]) / 3;
  }
}

void jacobi_2d(int steps, int n, double a[n][n], double b[n][n]) {
  for (int t = 0; t < steps; ++t) {
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < n - 1; ++j)
        b[i][j] = 0.2 * (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i - 1][j] + a[i + 1][j]);
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < n - 1; ++j)
        a[i][j] = 0.2 * (b[i][j] + b[i][j - 1] + b[i][j + 1] + b[i - 1][j] + b[i + 1][j]);
  }
}

void seidel_2d(int steps, int n, double a[n][n]) {
  for (int t = 0; t < steps; ++t)
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < n - 1; ++j)
        a[i][j] = (a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] + a[i][j] +
                   a[i][j + 1] + a[i + 1][j - 1] + a[i + 1][j] + a[i + 1][j + 1]) /
                  9;
}

void fdtd_2d(int steps, int nx, int ny, double ex[nx][ny], double ey[nx][ny], double hz[nx][ny],
             double source[steps]) {
  for (int t = 0; t < steps; ++t) {
    for (int j = 0; j < ny; ++j)
      ey[0][j] = source[t];
    for (int i = 1; i < nx; ++i)
      for (int j = 0; j < ny; ++j)
        ey[i][j] -= 0.5 * (hz[i][j] - hz[i - 1][j]);
    for (int i = 0; i < nx; ++i)
      for (int j = 1; j < ny; ++j)
        ex[i][j] -= 0.5 * (hz[i][j] - hz[i][j - 1]);
    for (int i = 0; i < nx - 1; ++i)
      for (int j = 0; j < ny - 1; ++j)
        hz[i][j] -= 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
  }
}

static inline double spread(double before, double here, double after) {
  return 0.125 * (before - 2 * here + after);
}

static inline void heat_step(int n, double to[n][n][n], double from[n][n][n]) {
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < n - 1; ++j)
      for (int k = 1; k < n - 1; ++k) {
        const double here = from[i][j][k];
        to[i][j][k] = here + spread(from[i - 1][j][k], here, from[i + 1][j][k]) +
                      spread(from[i][j - 1][k], here, from[i][j + 1][k]) +
                      spread(from[i][j][k - 1], here, from[i][j][k + 1]);
      }
}

void heat_3d(int steps, int n, double a[n][n][n], double b[n][n][n]) {
  for (int t = 0; t < steps; ++t) {
    heat_step(n, b, a);
    heat_step(n, a, b);
  }
}
