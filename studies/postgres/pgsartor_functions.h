/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** Functions that variants inline: COMPARE(name, getter of each argument, operator),
 * ADD(name, type, builtin of the overflow check, getter, result), FLOAT(name, inline function). */
#define PGSARTOR_COMPARISONS(COMPARE, prefix, left, right)                                         \
  COMPARE(prefix##eq, left, right, ==)                                                             \
  COMPARE(prefix##ne, left, right, !=)                                                             \
  COMPARE(prefix##lt, left, right, <)                                                              \
  COMPARE(prefix##le, left, right, <=)                                                             \
  COMPARE(prefix##gt, left, right, >)                                                              \
  COMPARE(prefix##ge, left, right, >=)

#define PGSARTOR_FUNCTIONS(COMPARE, ARITHMETIC, FLOAT, FLOAT_COMPARE)                              \
  PGSARTOR_COMPARISONS(COMPARE, int2, DatumGetInt16, DatumGetInt16)                                \
  PGSARTOR_COMPARISONS(COMPARE, int4, DatumGetInt32, DatumGetInt32)                                \
  PGSARTOR_COMPARISONS(COMPARE, int8, DatumGetInt64, DatumGetInt64)                                \
  PGSARTOR_COMPARISONS(COMPARE, int24, DatumGetInt16, DatumGetInt32)                               \
  PGSARTOR_COMPARISONS(COMPARE, int42, DatumGetInt32, DatumGetInt16)                               \
  PGSARTOR_COMPARISONS(COMPARE, int48, DatumGetInt32, DatumGetInt64)                               \
  PGSARTOR_COMPARISONS(COMPARE, int84, DatumGetInt64, DatumGetInt32)                               \
  PGSARTOR_COMPARISONS(COMPARE, date_, DatumGetDateADT, DatumGetDateADT)                           \
  PGSARTOR_COMPARISONS(COMPARE, timestamp_, DatumGetTimestamp, DatumGetTimestamp)                  \
  COMPARE(chareq, DatumGetChar, DatumGetChar, ==)                                                  \
  COMPARE(charne, DatumGetChar, DatumGetChar, !=)                                                  \
  COMPARE(oideq, DatumGetObjectId, DatumGetObjectId, ==)                                           \
  ARITHMETIC(int4pl, int32, pg_add_s32_overflow, DatumGetInt32, DatumGetInt32, Int32GetDatum)      \
  ARITHMETIC(int4mi, int32, pg_sub_s32_overflow, DatumGetInt32, DatumGetInt32, Int32GetDatum)      \
  ARITHMETIC(int4mul, int32, pg_mul_s32_overflow, DatumGetInt32, DatumGetInt32, Int32GetDatum)     \
  ARITHMETIC(int8pl, int64, pg_add_s64_overflow, DatumGetInt64, DatumGetInt64, Int64GetDatum)      \
  ARITHMETIC(int8mi, int64, pg_sub_s64_overflow, DatumGetInt64, DatumGetInt64, Int64GetDatum)      \
  ARITHMETIC(int8mul, int64, pg_mul_s64_overflow, DatumGetInt64, DatumGetInt64, Int64GetDatum)     \
  ARITHMETIC(int84pl, int64, pg_add_s64_overflow, DatumGetInt64, DatumGetInt32, Int64GetDatum)     \
  ARITHMETIC(int84mi, int64, pg_sub_s64_overflow, DatumGetInt64, DatumGetInt32, Int64GetDatum)     \
  ARITHMETIC(int84mul, int64, pg_mul_s64_overflow, DatumGetInt64, DatumGetInt32, Int64GetDatum)    \
  ARITHMETIC(int48pl, int64, pg_add_s64_overflow, DatumGetInt32, DatumGetInt64, Int64GetDatum)     \
  FLOAT(float8pl, float8_pl)                                                                       \
  FLOAT(float8mi, float8_mi)                                                                       \
  FLOAT(float8mul, float8_mul)                                                                     \
  FLOAT_COMPARE(float8eq, float8_eq)                                                               \
  FLOAT_COMPARE(float8ne, float8_ne)                                                               \
  FLOAT_COMPARE(float8lt, float8_lt)                                                               \
  FLOAT_COMPARE(float8le, float8_le)                                                               \
  FLOAT_COMPARE(float8gt, float8_gt)                                                               \
  FLOAT_COMPARE(float8ge, float8_ge)

#define PGSARTOR_CODE(name, ...) PGSARTOR_##name,
enum pgsartor_function {
  PGSARTOR_CALLED,
  PGSARTOR_FUNCTIONS(PGSARTOR_CODE, PGSARTOR_CODE, PGSARTOR_CODE, PGSARTOR_CODE) PGSARTOR_int8inc
};
#undef PGSARTOR_CODE
