#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pack_hour.py TEXT PACKED: packs what record_hour wrote.

A byte each for a slice's requests, the logarithm of its cost per request (the process's CPU time;
steps of 1.5 % over 10 us; 0: no request), and how many half milliseconds it lasted over 25 ms. All
slices come first, then the kinds, eight 16-bit numbers (little endian) for every 40 slices. Ahead
of all: "SARTORHOUR1\\n", and the number of slices in 32 bits.
"""

import math
import struct
import sys

sample_count, kinds = bytearray(), bytearray()
since = 0
for line in open(sys.argv[1]):
    fields = line.split()
    if fields[0] == "kinds":
        if len(fields) != 9 or since != 40:
            break # torn line
        kinds += struct.pack("<8H", *map(int, fields[1:]))
        packed, since = len(sample_count), 0
    elif fields[0] in "01":
        if len(fields) != 5:
            break
        _, wall, requests, _, cpu = (float(field) for field in fields)
        cost = 0
        if requests and cpu:
            cost = max(1, min(255, round(math.log(cpu / requests / 10) / 0.015)))
        late = max(0, min(255, round((wall - 25000) / 500)))
        sample_count += bytes((min(255, int(requests)), cost, late))
        since += 1
with open(sys.argv[2], "wb") as out:
    out.write(b"SARTORHOUR1\n" + struct.pack("<I", packed // 3) + sample_count[:packed] + kinds)
