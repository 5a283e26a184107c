// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <math.h>

#include "kernels.h"

void floyd_warshall(int n, double path[n][n]) {
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const double through = path[i][k] + path[k][j];
        path[i][j] = path[i][j] < through ? path[i][j] : through;
      }
}

static inline void mean_of_columns(int n, int m, double mean[m], double data[n][m]) {
  for (int j = 0; j < m; ++j) {
    mean[j] = 0;
    for (int i = 0; i < n; ++i)
      mean[j] += data[i][j];
    mean[j] /= n;
  }
}

void covariance(int n, int m, double data[n][m], double mean[m], double cov[m][m]) {
  mean_of_columns(n, m, mean, data);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      data[i][j] -= mean[j];
  for (int i = 0; i < m; ++i)
    for (int j = i; j < m; ++j) {
      cov[i][j] = 0;
      for (int k = 0; k < n; ++k)
        cov[i][j] += data[k][i] * data[k][j];
      cov[i][j] /= n - 1;
      cov[j][i] = cov[i][j];
    }
}

void correlation(int n, int m, double data[n][m], double mean[m], double deviation[m],
                 double cor[m][m]) {
  mean_of_columns(n, m, mean, data);
  for (int j = 0; j < m; ++j) {
    double square = 0;
    for (int i = 0; i < n; ++i)
      square += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
    deviation[j] = sqrt(square / n);
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      data[i][j] = (data[i][j] - mean[j]) / (sqrt(n) * deviation[j]);
  for (int i = 0; i < m; ++i) {
    cor[i][i] = 1;
    for (int j = i + 1; j < m; ++j) {
      cor[i][j] = 0;
      for (int k = 0; k < n; ++k)
        cor[i][j] += data[k][i] * data[k][j];
      cor[j][i] = cor[i][j];
    }
  }
}
