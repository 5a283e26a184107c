// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Numerical kernels with sizes that are known at run time only: of the kind of PolyBench/C,
/// but written from the mathematical definitions. Sizes come first, then factors, then arrays, of
/// which written ones are first.
#ifndef STUDIES_AUTO_KERNELS_H
#define STUDIES_AUTO_KERNELS_H

// products.c
/// c = beta c + alpha a b
void gemm(int ni, int nj, int nk, double alpha, double beta, double c[ni][nj], double a[ni][nk],
          double b[nk][nj]);
/// d = beta d + (alpha a b) c
void two_mm(int ni, int nj, int nk, int nl, double alpha, double beta, double d[ni][nl],
            double product[ni][nj], double a[ni][nk], double b[nk][nj], double c[nj][nl]);
/// g = (a b) (c d)
void three_mm(int ni, int nj, int nk, int nl, int nm, double g[ni][nl], double e[ni][nj],
              double f[nj][nl], double a[ni][nk], double b[nk][nj], double c[nj][nm],
              double d[nm][nl]);
/// The lower triangle of c = beta c + alpha a aᵀ
void syrk(int n, int m, double alpha, double beta, double c[n][n], double a[n][m]);
/// The lower triangle of c = beta c + alpha (a bᵀ + b aᵀ)
void syr2k(int n, int m, double alpha, double beta, double c[n][n], double a[n][m], double b[n][m]);
/// c = beta c + alpha a b, with the lower triangle of a symmetric a
void symm(int m, int n, double alpha, double beta, double c[m][n], double a[m][m], double b[m][n]);
/// b = alpha aᵀ b, with a lower triangular a whose diagonal is 1
void trmm(int m, int n, double alpha, double b[m][n], double a[m][m]);
/// a[r][q] = a[r][q] c for each r and q
void doitgen(int nr, int nq, int np, double a[nr][nq][np], double sum[np], double c[np][np]);

// vectors.c
/// y = aᵀ (a x)
void atax(int m, int n, double y[n], double product[m], double a[m][n], double x[n]);
/// s = aᵀ r, q = a p
void bicg(int n, int m, double s[m], double q[n], double a[n][m], double r[n], double p[m]);
/// x1 += a y1, x2 += aᵀ y2
void mvt(int n, double x1[n], double x2[n], double a[n][n], double y1[n], double y2[n]);
/// y = alpha a x + beta b x
void gesummv(int n, double alpha, double beta, double y[n], double a[n][n], double b[n][n],
             double x[n]);
/// a += u1 v1ᵀ + u2 v2ᵀ, x = beta aᵀ y + z, w = alpha a x
void gemver(int n, double alpha, double beta, double a[n][n], double x[n], double w[n],
            double u1[n], double v1[n], double u2[n], double v2[n], double y[n], double z[n]);

// solvers.c
/// a = l u in place, without pivoting
void lu(int n, double a[n][n]);
/// The lower triangle of a becomes l, with a = l lᵀ
void cholesky(int n, double a[n][n]);
/// x solves l x = b
void trisolv(int n, double x[n], double l[n][n], double b[n]);
/// a = q r, by the modified Gram-Schmidt process
void gramschmidt(int m, int n, double a[m][n], double r[n][n], double q[m][n]);
/// y solves the Yule-Walker equations of r, by Durbin's recursion
void durbin(int n, double y[n], double z[n], double r[n]);

// stencils.c
/// The mean of three neighbors, there and back, `steps` times
void jacobi_1d(int steps, int n, double a[n], double b[n]);
/// The mean of five neighbors, there and back, `steps` times
void jacobi_2d(int steps, int n, double a[n][n], double b[n][n]);
/// The mean of nine neighbors, in place
void seidel_2d(int steps, int n, double a[n][n]);
/// Electric and magnetic fields on a staggered grid
void fdtd_2d(int steps, int nx, int ny, double ex[nx][ny], double ey[nx][ny], double hz[nx][ny],
             double source[steps]);
/// The heat equation in three dimensions, there and back
void heat_3d(int steps, int n, double a[n][n][n], double b[n][n][n]);

// tables.c
/// Shortest paths between all pairs
void floyd_warshall(int n, double path[n][n]);
/// The covariances of the columns of data, which are centered in place
void covariance(int n, int m, double data[n][m], double mean[m], double cov[m][m]);
/// The correlations of the columns of data, which are scaled in place
void correlation(int n, int m, double data[n][m], double mean[m], double deviation[m],
                 double cor[m][m]);

#endif
