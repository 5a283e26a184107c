// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Uses a bit of everything; prints the same each time.
'use strict';
const { execFileSync, spawn } = require('child_process');
const crypto = require('crypto');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const zlib = require('zlib');

function primes(below) {
  const sieve = new Uint8Array(below);
  let count = 0;
  for (let i = 2; i < below; ++i) {
    if (sieve[i]) continue;
    ++count;
    for (let j = i * i; j < below; j += i) sieve[j] = 1;
  }
  return count;
}

function inWorker(number) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(__filename, { workerData: number });
    worker.on('message', resolve);
    worker.on('error', reject);
  });
}

async function main() {
  console.log(primes(2000000));
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'node-'));
  const file = path.join(directory, 'file');
  await fs.promises.writeFile(file, 'line\n'.repeat(1000));
  console.log((await fs.promises.readFile(file, 'utf8')).split('\n').length);
  fs.rmSync(directory, { recursive: true });
  await new Promise((resolve) => setTimeout(resolve, 20));
  console.log(zlib.gunzipSync(zlib.gzipSync('text'.repeat(1000))).length);
  console.log(crypto.createHash('sha256').update('text').digest('hex'));
  console.log(await Promise.all([1, 2, 3].map(inWorker)));
  console.log(execFileSync('echo', ['from a child']).toString());
  await new Promise((resolve) => spawn('sh', ['-c', 'exit 3']).on('exit', (status) => {
    console.log(status);
    resolve();
  }));
  console.log(new Intl.NumberFormat('en').format(1234567.8), 'ü'.normalize('NFD').length);
  const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 7, 1, 96, 2, 127, 127, 1, 127, 3, 2, 1,
    0, 7, 7, 1, 3, 97, 100, 100, 0, 0, 10, 9, 1, 7, 0, 32, 0, 32, 1, 106, 11]);
  console.log((await WebAssembly.instantiate(bytes)).instance.exports.add(40, 2));
  try {
    null.property;
  } catch (error) {
    console.log(error.constructor.name);
  }
}

if (isMainThread) main();
else parentPort.postMessage(primes(10000 * workerData));
