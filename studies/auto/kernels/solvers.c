// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <math.h>

#include "kernels.h"

void lu(int n, double a[n][n]) {
  for (int k = 0; k < n; ++k)
    for (int i = k + 1; i < n; ++i) {
      a[i][k] /= a[k][k];
      for (int j = k + 1; j < n; ++j)
        a[i][j] -= a[i][k] * a[k][j];
    }
}

void cholesky(int n, double a[n][n]) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      for (int k = 0; k < j; ++k)
        a[i][j] -= a[i][k] * a[j][k];
      a[i][j] /= a[j][j];
    }
    for (int k = 0; k < i; ++k)
      a[i][i] -= a[i][k] * a[i][k];
    a[i][i] = sqrt(a[i][i]);
  }
}

void trisolv(int n, double x[n], double l[n][n], double b[n]) {
  for (int i = 0; i < n; ++i) {
    x[i] = b[i];
    for (int j = 0; j < i; ++j)
      x[i] -= l[i][j] * x[j];
    x[i] /= l[i][i];
  }
}

void gramschmidt(int m, int n, double a[m][n], double r[n][n], double q[m][n]) {
  for (int k = 0; k < n; ++k) {
    double square = 0;
    for (int i = 0; i < m; ++i)
      square += a[i][k] * a[i][k];
    r[k][k] = sqrt(square);
    for (int i = 0; i < m; ++i)
      q[i][k] = a[i][k] / r[k][k];
    for (int j = k + 1; j < n; ++j) {
      r[k][j] = 0;
      for (int i = 0; i < m; ++i)
        r[k][j] += q[i][k] * a[i][j];
      for (int i = 0; i < m; ++i)
        a[i][j] -= q[i][k] * r[k][j];
    }
  }
}

void durbin(int n, double y[n], double z[n], double r[n]) {
  double alpha = -r[0];
  double beta = 1;
  y[0] = alpha;
  for (int k = 1; k < n; ++k) {
    beta *= 1 - alpha * alpha;
    double sum = r[k];
    for (int i = 0; i < k; ++i)
      sum += r[k - 1 - i] * y[i];
    alpha = -sum / beta;
    for (int i = 0; i < k; ++i)
      z[i] = y[i] + alpha * y[k - 1 - i];
    for (int i = 0; i < k; ++i)
      y[i] = z[i];
    y[k] = alpha;
  }
}
