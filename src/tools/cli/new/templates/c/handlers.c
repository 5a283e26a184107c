#include "handlers.h"

#include <sartor/points.h>

SARTOR_HANDLER int64_t polynomial(const int64_t *coefficients, int count, int64_t x) {
  /* A point: usually 2, 4 or 8. With other values, a variant's guard fails and this code runs. */
  const int terms = sartor_enum("terms", count, 2, 4, 8);
  int64_t sum = 0;
  for (int i = terms; i-- > 0;)
    sum = sum * x + coefficients[i];
  return sum;
}
