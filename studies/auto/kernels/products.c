// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels.h"

void gemm(int ni, int nj, int nk, double alpha, double beta, double c[ni][nj], double a[ni][nk],
          double b[nk][nj]) {
  for (int i = 0; i < ni; ++i) {
    for (int j = 0; j < nj; ++j)
      c[i][j] *= beta;
    for (int k = 0; k < nk; ++k)
      for (int j = 0; j < nj; ++j)
        c[i][j] += alpha * a[i][k] * b[k][j];
  }
}

void two_mm(int ni, int nj, int nk, int nl, double alpha, double beta, double d[ni][nl],
            double product[ni][nj], double a[ni][nk], double b[nk][nj], double c[nj][nl]) {
  for (int i = 0; i < ni; ++i)
    for (int j = 0; j < nj; ++j) {
      product[i][j] = 0;
      for (int k = 0; k < nk; ++k)
        product[i][j] += alpha * a[i][k] * b[k][j];
    }
  for (int i = 0; i < ni; ++i)
    for (int l = 0; l < nl; ++l) {
      d[i][l] *= beta;
      for (int j = 0; j < nj; ++j)
        d[i][l] += product[i][j] * c[j][l];
    }
}

void three_mm(int ni, int nj, int nk, int nl, int nm, double g[ni][nl], double e[ni][nj],
              double f[nj][nl], double a[ni][nk], double b[nk][nj], double c[nj][nm],
              double d[nm][nl]) {
  for (int i = 0; i < ni; ++i)
    for (int j = 0; j < nj; ++j) {
      e[i][j] = 0;
      for (int k = 0; k < nk; ++k)
        e[i][j] += a[i][k] * b[k][j];
    }
  for (int j = 0; j < nj; ++j)
    for (int l = 0; l < nl; ++l) {
      f[j][l] = 0;
      for (int m = 0; m < nm; ++m)
        f[j][l] += c[j][m] * d[m][l];
    }
  for (int i = 0; i < ni; ++i)
    for (int l = 0; l < nl; ++l) {
      g[i][l] = 0;
      for (int j = 0; j < nj; ++j)
        g[i][l] += e[i][j] * f[j][l];
    }
}

void syrk(int n, int m, double alpha, double beta, double c[n][n], double a[n][m]) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j)
      c[i][j] *= beta;
    for (int k = 0; k < m; ++k)
      for (int j = 0; j <= i; ++j)
        c[i][j] += alpha * a[i][k] * a[j][k];
  }
}

void syr2k(int n, int m, double alpha, double beta, double c[n][n], double a[n][m],
           double b[n][m]) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j)
      c[i][j] *= beta;
    for (int k = 0; k < m; ++k)
      for (int j = 0; j <= i; ++j)
        c[i][j] += alpha * (a[i][k] * b[j][k] + b[i][k] * a[j][k]);
  }
}

void symm(int m, int n, double alpha, double beta, double c[m][n], double a[m][m], double b[m][n]) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = a[i][i] * b[i][j];
      for (int k = 0; k < i; ++k)
        sum += a[i][k] * b[k][j];
      for (int k = i + 1; k < m; ++k)
        sum += a[k][i] * b[k][j];
      c[i][j] = beta * c[i][j] + alpha * sum;
    }
}

void trmm(int m, int n, double alpha, double b[m][n], double a[m][m]) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      for (int k = i + 1; k < m; ++k)
        b[i][j] += a[k][i] * b[k][j];
      b[i][j] *= alpha;
    }
}

void doitgen(int nr, int nq, int np, double a[nr][nq][np], double sum[np], double c[np][np]) {
  for (int r = 0; r < nr; ++r)
    for (int q = 0; q < nq; ++q) {
      for (int p = 0; p < np; ++p) {
        sum[p] = 0;
        for (int s = 0; s < np; ++s)
          sum[p] += a[r][q][s] * c[s][p];
      }
      for (int p = 0; p < np; ++p)
        a[r][q][p] = sum[p];
    }
}
