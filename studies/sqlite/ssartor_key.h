/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** Compares two records of a sorter by a key whose description is invariant: the number of
 * fields, and which of them are descending. Included by the handler's file. */
#ifndef SSARTOR_KEY_H
#define SSARTOR_KEY_H

/* A record's integer according to its type: 1 to 6, 8, 9. */
ALWAYS_INLINE i64 integer_of(const u8 *from, u32 type) {
  Mem value;
  switch (type) {
  case 1:
    return (signed char)from[0];
  case 2:
    return 256 * (signed char)from[0] | from[1];
  case 3:
    return 65536 * (signed char)from[0] | from[1] << 8 | from[2];
  case 8:
  case 9:
    return type - 8;
  default:
    sqlite3VdbeSerialGet(from, type, &value);
    return value.u.i;
  }
}
#define is_integer(type) (((1U << (type)) & 0x37eU) != 0)
#define is_text(type) ((type) >= 13 && ((type) & 1))

SARTOR_HANDLER int sqlite3SsartorCompare(void *task, int *is_cached, const void *one, int one_size,
                                         const void *other, int other_size, const SsartorKey *key) {
  const u8 *left = one;
  const u8 *right = other;
  u32 left_at = left[0];
  u32 right_at = right[0];
  /* Only headers and types of one byte are handled here. */
  if (key->fields >= (int)left_at || key->fields >= (int)right_at || ((left_at | right_at) & 0x80))
    return sqlite3SsartorSlowCompare(task, is_cached, one, one_size, other, other_size);
  for (int i = 0; i < key->fields; ++i) {
    const u32 left_type = left[1 + i];
    const u32 right_type = right[1 + i];
    if ((left_type | right_type) & 0x80)
      return sqlite3SsartorSlowCompare(task, is_cached, one, one_size, other, other_size);
    const u32 left_bytes = sqlite3SmallTypeSizes[left_type];
    const u32 right_bytes = sqlite3SmallTypeSizes[right_type];
    int order;
    if (left_at + left_bytes > (u32)one_size || right_at + right_bytes > (u32)other_size)
      return sqlite3SsartorSlowCompare(task, is_cached, one, one_size, other, other_size);
    if (is_text(left_type) && is_text(right_type))
      order = compare_bytes((const char *)left + left_at, (int)left_bytes,
                            (const char *)right + right_at, (int)right_bytes);
    else if (left_type == 7 && right_type == 7) {
      const u64 left_bits = big_endian(left + left_at);
      const u64 right_bits = big_endian(right + right_at);
      double left_number;
      double right_number;
      __builtin_memcpy(&left_number, &left_bits, sizeof left_number);
      __builtin_memcpy(&right_number, &right_bits, sizeof right_number);
      if (left_number != left_number || right_number != right_number)
        return sqlite3SsartorSlowCompare(task, is_cached, one, one_size, other, other_size);
      order = (left_number > right_number) - (left_number < right_number);
    } else if (left_type < 10 && right_type < 10 && is_integer(left_type) &&
               is_integer(right_type)) {
      const i64 left_number = integer_of(left + left_at, left_type);
      const i64 right_number = integer_of(right + right_at, right_type);
      order = (left_number > right_number) - (left_number < right_number);
    } else
      return sqlite3SsartorSlowCompare(task, is_cached, one, one_size, other, other_size);
    if (order != 0)
      return key->descends[i] ? -order : order;
    left_at += left_bytes;
    right_at += right_bytes;
  }
  return 0;
}

#endif
