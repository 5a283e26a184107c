#ifndef HANDLERS_H
#define HANDLERS_H

#include <stdint.h>

/* Evaluates a polynomial at `x`; the first of `count` coefficients is the constant term. */
int64_t polynomial(const int64_t *coefficients, int count, int64_t x);

#endif
