// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels.h"

void atax(int m, int n, double y[n], double product[m], double a[m][n], double x[n]) {
  for (int j = 0; j < n; ++j)
    y[j] = 0;
  for (int i = 0; i < m; ++i) {
    product[i] = 0;
    for (int j = 0; j < n; ++j)
      product[i] += a[i][j] * x[j];
    for (int j = 0; j < n; ++j)
      y[j] += a[i][j] * product[i];
  }
}

void bicg(int n, int m, double s[m], double q[n], double a[n][m], double r[n], double p[m]) {
  for (int j = 0; j < m; ++j)
    s[j] = 0;
  for (int i = 0; i < n; ++i) {
    q[i] = 0;
    for (int j = 0; j < m; ++j) {
      s[j] += r[i] * a[i][j];
      q[i] += a[i][j] * p[j];
    }
  }
}

void mvt(int n, double x1[n], double x2[n], double a[n][n], double y1[n], double y2[n]) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      x1[i] += a[i][j] * y1[j];
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      x2[i] += a[j][i] * y2[j];
}

void gesummv(int n, double alpha, double beta, double y[n], double a[n][n], double b[n][n],
             double x[n]) {
  for (int i = 0; i < n; ++i) {
    double of_a = 0;
    double of_b = 0;
    for (int j = 0; j < n; ++j) {
      of_a += a[i][j] * x[j];
      of_b += b[i][j] * x[j];
    }
    y[i] = alpha * of_a + beta * of_b;
  }
}

void gemver(int n, double alpha, double beta, double a[n][n], double x[n], double w[n],
            double u1[n], double v1[n], double u2[n], double v2[n], double y[n], double z[n]) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      a[i][j] += u1[i] * v1[j] + u2[i] * v2[j];
  for (int i = 0; i < n; ++i) {
    x[i] = z[i];
    for (int j = 0; j < n; ++j)
      x[i] += beta * a[j][i] * y[j];
  }
  for (int i = 0; i < n; ++i) {
    w[i] = 0;
    for (int j = 0; j < n; ++j)
      w[i] += alpha * a[i][j] * x[j];
  }
}
