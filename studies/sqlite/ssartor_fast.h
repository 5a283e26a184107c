/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** Fast paths for instructions that run for each row. Each function returns whether it has done
 * all of the work; if not, it has had no effect that the interpreter would not have, and the
 * interpreter executes the instruction from its beginning. */
#ifndef SSARTOR_FAST_H
#define SSARTOR_FAST_H

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* The types of values of a single kind. */
enum { KINDS = MEM_Null | MEM_Str | MEM_Int | MEM_Real | MEM_Blob | MEM_IntReal };
#define kind_of(value) ((value)->flags & (KINDS | MEM_Zero))

ALWAYS_INLINE u64 big_endian(const void *bytes) {
  u64 number;
  __builtin_memcpy(&number, bytes, sizeof number);
  return __builtin_bswap64(number);
}

/* Compares as memcmp(), then by length. Usually decided by the first bytes. */
ALWAYS_INLINE int compare_bytes(const char *one, int one_size, const char *other, int other_size) {
  const int size = one_size < other_size ? one_size : other_size;
  if (size >= 8) {
    const u64 first = big_endian(one);
    const u64 second = big_endian(other);
    if (first != second)
      return first < second ? -1 : 1;
  }
  const int order = memcmp(one, other, (size_t)size);
  return order ? order : one_size - other_size;
}

/* Copies short pieces without a call. */
ALWAYS_INLINE void copy_bytes(char *to, const u8 *from, u32 size) {
  if (size >= 8 && size <= 16) {
    u64 first;
    u64 last;
    __builtin_memcpy(&first, from, 8);
    __builtin_memcpy(&last, from + size - 8, 8);
    __builtin_memcpy(to, &first, 8);
    __builtin_memcpy(to + size - 8, &last, 8);
  } else if (size <= 2) {
    if (size > 0)
      to[0] = (char)from[0];
    if (size > 1)
      to[1] = (char)from[1];
  } else
    memcpy(to, from, size);
}

/* Finds the row's position on its page. */
ALWAYS_INLINE void parse_cell(BtCursor *cursor) {
  if (cursor->info.nSize != 0)
    return;
  MemPage *page = cursor->pPage;
  if (page->intKeyLeaf) {
    cursor->curFlags |= BTCF_ValidNKey;
    btreeParseCellPtr(
        page, page->aData + (page->maskPage & get2byteAligned(&page->aCellIdx[2 * cursor->ix])),
        &cursor->info);
  } else
    sqlite3BtreePayloadSize(cursor);
}

/* OP_Column */

ALWAYS_INLINE void get_number(const u8 *from, u32 type, Mem *to) {
  switch (type) {
  case 1:
    to->u.i = (signed char)from[0];
    break;
  case 2:
    to->u.i = 256 * (signed char)from[0] | from[1];
    break;
  case 3:
    to->u.i = 65536 * (signed char)from[0] | from[1] << 8 | from[2];
    break;
  case 7: {
    const u64 bits = big_endian(from);
    __builtin_memcpy(&to->u.r, &bits, sizeof bits);
    to->flags = IsNaN(bits) ? MEM_Null : MEM_Real;
    return;
  }
  case 8:
  case 9:
    to->u.i = type - 8;
    break;
  default:
    sqlite3VdbeSerialGet(from, type, to);
    return;
  }
  to->flags = MEM_Int;
}

/* Runs once for each row, and for each further part of its header: not inlined, so that all
 * variants share the code. */

/* Called when the cursor has moved to another row. */
static __attribute__((noinline)) int find_row(Vdbe *p, Mem *registers, VdbeCursor *c) {
  if (c->nullRow) {
    if (c->eCurType != CURTYPE_PSEUDO || c->seekResult <= 0)
      return 0;
    const Mem *record = &registers[c->seekResult];
    c->payloadSize = c->szRow = (u32)record->n;
    c->aRow = (u8 *)record->z;
  } else {
    BtCursor *cursor = c->uc.pCursor;
    if (c->deferredMoveto && sqlite3VdbeFinishMoveto(c))
      return 0;
    if (cursor->eState != CURSOR_VALID)
      return 0;
    parse_cell(cursor);
    if (cursor->info.nLocal > cursor->pPage->aDataEnd - cursor->info.pPayload)
      return 0;
    c->payloadSize = cursor->info.nPayload;
    c->szRow = cursor->info.nLocal;
    c->aRow = cursor->info.pPayload;
  }
  const u32 header = c->aRow[0];
  if (header >= 0x80 || c->szRow < header)
    return 0;
  c->aOffset[0] = header;
  c->iHdrOffset = 1;
  c->nHdrParsed = 0;
  c->cacheStatus = p->cacheCtr;
  return 1;
}

/* Decodes types and positions of the columns up to this one. */
static __attribute__((noinline)) int read_header(VdbeCursor *c, u32 column) {
  if (!c->aRow || c->iHdrOffset >= c->aOffset[0])
    return 0;
  u32 i = c->nHdrParsed;
  const u8 *at = c->aRow + c->iHdrOffset;
  const u8 *end = c->aRow + c->aOffset[0];
  u32 *types = c->aType;
  u32 *offsets = c->aOffset;
  u64 offset = offsets[i];
  for (; i + 8 <= column + 1 && end - at > 8 && i + 8 < (u32)c->nField; i += 8, at += 8) {
    if (big_endian(at) & 0x8080808080808080U)
      break;
    for (u32 k = 0; k < 8; ++k) {
      types[i + k] = at[k];
      offset += sqlite3SmallTypeSizes[at[k]];
      offsets[i + k + 1] = (u32)offset;
    }
  }
  while (i <= column && at < end) {
    u32 type = at[0];
    if (type < 0x80) {
      ++at;
      offset += sqlite3SmallTypeSizes[type];
    } else {
      at += sqlite3GetVarint32(at, &type);
      offset += sqlite3VdbeSerialTypeLen(type);
    }
    types[i] = type;
    offsets[++i] = (u32)offset;
  }
  if (i <= column || (at >= end && (at > end || offset != c->payloadSize)) ||
      offset > c->payloadSize) {
    c->cacheStatus = CACHE_STALE;
    return 0;
  }
  c->nHdrParsed = (u16)i;
  c->iHdrOffset = (u32)(at - c->aRow);
  return 1;
}

ALWAYS_INLINE int get_column(Vdbe *p, Mem *registers, VdbeCursor *c, u32 column, Mem *to, u8 enc) {
  if (c->cacheStatus != p->cacheCtr) {
    if (!find_row(p, registers, c))
      return 0;
  } else if (((const BtCursor *)c->uc.pCursor)->eState != CURSOR_VALID)
    return 0;
  if (c->nHdrParsed <= column && !read_header(c, column))
    return 0;
  if (c->szRow < c->aOffset[column + 1] || VdbeMemDynamic(to))
    return 0;
  const u32 type = c->aType[column];
  const u8 *from = c->aRow + c->aOffset[column];
  if (type < 12) {
    get_number(from, type, to);
    return 1;
  }
  const int size = (int)(type - 12) / 2;
  if (to->szMalloc < size + 2) {
    to->flags = MEM_Null;
    if (size > p->db->aLimit[SQLITE_LIMIT_LENGTH] || sqlite3VdbeMemGrow(to, size + 2, 0))
      return 0;
  }
  to->n = size;
  to->enc = enc;
  to->z = to->zMalloc;
  copy_bytes(to->z, from, (u32)size);
  to->z[size] = 0;
  to->z[size + 1] = 0;
  to->flags = type & 1 ? MEM_Str | MEM_Term : MEM_Blob;
  return 1;
}

/* Reads a column from an index instead. */
static __attribute__((noinline)) int get_other_column(Vdbe *p, Mem *registers, VdbeCursor *c,
                                                      u32 column, Mem *to, u8 enc) {
  return get_column(p, registers, c, column, to, enc);
}

ALWAYS_INLINE int fast_column(Vdbe *p, Mem *registers, const Op *op, u8 enc) {
  VdbeCursor *c = p->apCsr[op->p1];
  Mem *to = &registers[op->p3];
  if (c->cacheStatus != p->cacheCtr && !c->nullRow && c->deferredMoveto && c->ub.aAltMap) {
    const u32 other = c->ub.aAltMap[1 + op->p2];
    if (other > 0)
      return get_other_column(p, registers, c->pAltCursor, other - 1, to, enc);
  }
  return get_column(p, registers, c, (u32)op->p2, to, enc);
}

/* Comparisons: returns whether the result for reg[P1] and reg[P3] is known; sets whether to
 * jump. */
ALWAYS_INLINE int fast_compare(const Mem *registers, const Op *op, int *jumps) {
  const Mem *left = &registers[op->p3];
  const Mem *right = &registers[op->p1];
  const int left_kind = kind_of(left);
  const int right_kind = kind_of(right);
  const int as_text = (op->p5 & SQLITE_AFF_MASK) == SQLITE_AFF_TEXT;
  int order;
  if (left_kind == MEM_Int && right_kind == MEM_Int)
    order = (left->u.i > right->u.i) - (left->u.i < right->u.i);
  else if (left_kind == MEM_Real && right_kind == MEM_Real && !as_text)
    order = (left->u.r > right->u.r) - (left->u.r < right->u.r);
  else if (left_kind == MEM_Str && right_kind == MEM_Str) {
    if ((op->p5 & SQLITE_AFF_MASK) >= SQLITE_AFF_NUMERIC)
      return 0;
    order = op->p4.pColl ? sqlite3MemCompare(left, right, op->p4.pColl)
                         : compare_bytes(left->z, left->n, right->z, right->n);
  } else if ((left_kind | right_kind) == (MEM_Int | MEM_Real) && !as_text)
    order = left_kind == MEM_Int ? sqlite3IntFloatCompare(left->u.i, right->u.r)
                                 : -sqlite3IntFloatCompare(right->u.i, left->u.r);
  else if ((left_kind | right_kind) & MEM_Null && !(op->p5 & SQLITE_NULLEQ)) {
    *jumps = op->p5 & SQLITE_JUMPIFNULL;
    return 1;
  } else
    return 0;
  switch (op->opcode) {
  case FAST_Eq:
    *jumps = order == 0;
    break;
  case FAST_Ne:
    *jumps = order != 0;
    break;
  case FAST_Lt:
    *jumps = order < 0;
    break;
  case FAST_Le:
    *jumps = order <= 0;
    break;
  case FAST_Gt:
    *jumps = order > 0;
    break;
  default:
    *jumps = order >= 0;
  }
  return 1;
}

/* Arithmetic */

ALWAYS_INLINE int fast_arithmetic(Mem *registers, const Op *op) {
  const Mem *right = &registers[op->p1];
  const Mem *left = &registers[op->p2];
  Mem *to = &registers[op->p3];
  const int left_kind = kind_of(left);
  const int right_kind = kind_of(right);
  if (left_kind == MEM_Int && right_kind == MEM_Int) {
    i64 result;
    switch (op->opcode) {
    case FAST_Add:
      if (__builtin_add_overflow(left->u.i, right->u.i, &result))
        return 0;
      break;
    case FAST_Subtract:
      if (__builtin_sub_overflow(left->u.i, right->u.i, &result))
        return 0;
      break;
    case FAST_Multiply:
      if (__builtin_mul_overflow(left->u.i, right->u.i, &result))
        return 0;
      break;
    default:
      if (right->u.i == 0 || right->u.i == -1)
        return 0;
      result = op->opcode == FAST_Divide ? left->u.i / right->u.i : left->u.i % right->u.i;
    }
    to->u.i = result;
    MemSetTypeFlag(to, MEM_Int);
    return 1;
  }
  if ((left_kind != MEM_Int && left_kind != MEM_Real) ||
      (right_kind != MEM_Int && right_kind != MEM_Real) || op->opcode == FAST_Remainder)
    return 0;
  const double first = left_kind == MEM_Int ? (double)left->u.i : left->u.r;
  const double second = right_kind == MEM_Int ? (double)right->u.i : right->u.r;
  double result;
  switch (op->opcode) {
  case FAST_Add:
    result = first + second;
    break;
  case FAST_Subtract:
    result = first - second;
    break;
  case FAST_Multiply:
    result = first * second;
    break;
  default:
    if (second == 0)
      return 0;
    result = first / second;
  }
  if (result != result)
    return 0;
  to->u.r = result;
  MemSetTypeFlag(to, MEM_Real);
  return 1;
}

/* Rows are stored from the end of a page, with gaps that hardware prefetchers do not expect. */
enum { ROWS_AHEAD = 2, LINE = 64 };
ALWAYS_INLINE void prefetch_cell(const MemPage *page, int ix) {
  if (ix >= page->nCell)
    return;
  const u8 *cell = page->aData + (page->maskPage & get2byteAligned(&page->aCellIdx[2 * ix]));
  __builtin_prefetch(cell);
  __builtin_prefetch(cell + LINE);
}

/* OP_Next */
ALWAYS_INLINE int fast_next(Vdbe *p, const Op *op) {
  VdbeCursor *c = p->apCsr[op->p1];
  BtCursor *cursor = c->uc.pCursor;
  const MemPage *page = cursor->pPage;
  if (cursor->eState != CURSOR_VALID || cursor->ix + 1 >= page->nCell || !page->leaf)
    return 0;
  cursor->info.nSize = 0;
  cursor->curFlags &= ~(BTCF_ValidNKey | BTCF_ValidOvfl);
  ++cursor->ix;
  prefetch_cell(page, cursor->ix + ROWS_AHEAD);
  c->cacheStatus = CACHE_STALE;
  c->nullRow = 0;
  p->aCounter[op->p5]++;
  return 1;
}

/* OP_Rowid */
ALWAYS_INLINE int fast_rowid(Vdbe *p, Mem *registers, const Op *op) {
  const VdbeCursor *c = p->apCsr[op->p1];
  Mem *to = &registers[op->p2];
  if (c->nullRow || c->deferredMoveto || c->eCurType != CURTYPE_BTREE ||
      c->uc.pCursor->eState != CURSOR_VALID || VdbeMemDynamic(to))
    return 0;
  to->u.i = sqlite3BtreeIntegerKey(c->uc.pCursor);
  to->flags = MEM_Int;
  return 1;
}

/* OP_AggStep1 of sum(), total(), avg() and count(), after the first call for a group. */
ALWAYS_INLINE int fast_aggregate(Mem *registers, const Op *op, int kind) {
  const sqlite3_context *context = op->p4.pCtx;
  const Mem *value = &registers[op->p2];
  Mem *memory = &registers[op->p3];
  if (op->p1 || context->pMem != memory || !(memory->flags & MEM_Agg))
    return 0;
  if (kind == SSARTOR_COUNT) {
    CountCtx *count = (CountCtx *)memory->z;
    if (op->p5 == 0 || !(value->flags & MEM_Null))
      ++count->n;
    ++memory->n;
    return 1;
  }
  SumCtx *sum = (SumCtx *)memory->z;
  const int value_kind = kind_of(value);
  if (value_kind == MEM_Real) {
    sum->rSum += value->u.r;
    sum->approx = 1;
    ++sum->cnt;
  } else if (value_kind == MEM_Int) {
    i64 total = sum->iSum;
    if (!(sum->approx | sum->overflow) && __builtin_add_overflow(total, value->u.i, &total))
      return 0;
    sum->rSum += (double)value->u.i;
    sum->iSum = total;
    ++sum->cnt;
  } else if (value_kind != MEM_Null)
    return 0;
  ++memory->n;
  return 1;
}

#endif
