# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import bisect, collections, hashlib, json, math, random, re, struct, zlib
source = random.Random(1)
words = [''.join(source.choice('abcdefgh') for _ in range(source.randrange(3, 9))) for _ in range(30000)]
counts = collections.Counter(words)
text = json.dumps([{'word': word, 'count': count} for word, count in counts.items()])
again = json.loads(text)
total = sum(math.sqrt(entry['count']) for entry in again)
found = re.findall(r'"(\w*abc\w*)"', text)
ordered = sorted(words)
places = [bisect.bisect(ordered, word) for word in words]
packed = b''.join(struct.pack('<id', place, math.log1p(place)) for place in places)
digest = hashlib.sha256(zlib.compress(packed, 1)).hexdigest()
sieve = bytearray([1]) * 400000
for i in range(2, 632):
    if sieve[i]:
        for j in range(i * i, len(sieve), i):
            sieve[j] = 0
print(total, len(found), digest, sum(sieve))
