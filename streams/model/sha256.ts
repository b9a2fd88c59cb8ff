/** SHA-256 (FIPS 180-4) in plain arithmetic: the streams import nothing of the platform they run on. */

const BLOCK_BYTES = 64;
const LENGTH_BYTES = 8;

const FIRST_HASH = Int32Array.from(primes(8), (prime) => fractionBits(Math.sqrt(prime)));
const ROUND_KEYS = Int32Array.from(primes(64), (prime) => fractionBits(cubeRoot(prime)));

/** Written and read within one call. */
const schedule = new Int32Array(64);
const hash = new Int32Array(8);
const encoder = new TextEncoder();

/** Of a text's UTF-8 bytes, in hex. */
export function sha256(text: string): string {
  const bytes = encoder.encode(text);
  const length = Math.ceil((bytes.length + 1 + LENGTH_BYTES) / BLOCK_BYTES) * BLOCK_BYTES;
  const padded = new Uint8Array(length);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(length - LENGTH_BYTES, BigInt(bytes.length) * 8n);
  hash.set(FIRST_HASH);
  for (let offset = 0; offset < length; offset += BLOCK_BYTES) addBlock(view, offset);
  return Array.from(hash, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

function addBlock(view: DataView, offset: number): void {
  for (let index = 0; index < 16; index++) schedule[index] = view.getInt32(offset + index * 4);
  for (let index = 16; index < 64; index++) {
    const early = schedule[index - 15] ?? 0;
    const late = schedule[index - 2] ?? 0;
    const mixedEarly = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3);
    const mixedLate = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10);
    schedule[index] = (schedule[index - 16] ?? 0) + mixedEarly + (schedule[index - 7] ?? 0) + mixedLate;
  }
  // One by one: taking a list apart asks its iterator, and this runs for every 64 bytes.
  let a = hash[0] ?? 0;
  let b = hash[1] ?? 0;
  let c = hash[2] ?? 0;
  let d = hash[3] ?? 0;
  let e = hash[4] ?? 0;
  let f = hash[5] ?? 0;
  let g = hash[6] ?? 0;
  let h = hash[7] ?? 0;
  for (let index = 0; index < 64; index++) {
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const fromE = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const fromA = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
    const first = (h + fromE + choice + (ROUND_KEYS[index] ?? 0) + (schedule[index] ?? 0)) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + fromA + majority) | 0;
  }
  add(0, a);
  add(1, b);
  add(2, c);
  add(3, d);
  add(4, e);
  add(5, f);
  add(6, g);
  add(7, h);
}

function add(index: number, word: number): void {
  hash[index] = (hash[index] ?? 0) + word;
}

/** Bits turned to the right. */
function turn(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

function primes(count: number): readonly number[] {
  const found: number[] = [];
  for (let number = 2; found.length < count; number++) {
    if (found.every((prime) => number % prime !== 0)) found.push(number);
  }
  return found;
}

/** The first 32 bits after the point. */
function fractionBits(value: number): number {
  return Math.floor((value - Math.floor(value)) * 4_294_967_296) | 0;
}

/** By Newton's steps: `Math.cbrt` may differ between platforms in the last digit. */
function cubeRoot(value: number): number {
  let root = value;
  for (let step = 0; step < 60; step++) root -= (root * root * root - value) / (3 * root * root);
  return root;
}
