/** Ids that fit into 63 bits, which those of a platform do. */
const DECIMAL = /^(?:0|[1-9]\d{0,17})$|^[1-8]\d{18}$/;
const FIRST_CAPACITY = 16;

/** Base 36, of which so many digits are exact as a number. */
const RADIX = 36;
const EXACT_DIGITS = 10;
const EXACT_FACTOR = BigInt(RADIX ** EXACT_DIGITS);

export interface EncodedIds {
  /** Each decimal id less the one before it, in base 36. */
  readonly $idSteps: string;
  readonly others: readonly string[];
}

/** As earlier versions wrote them: decimal ids in ascending order. */
export interface ListedIds {
  readonly $ids: string;
  readonly others: readonly string[];
}

/** A set of ids as text. Decimal ones take eight bytes each, where a `Set` takes about eighty. */
export class IdSet implements Iterable<string> {
  /** Ascending; only the first `#length` are in use. */
  #values = new BigUint64Array(FIRST_CAPACITY);
  #length = 0;
  /** All decimal ids as they were written, until one is asked for; empty from then on. A restart reads many sets. */
  #written = '';
  readonly #others = new Set<string>();

  constructor(ids: Iterable<string> = []) {
    for (const id of ids) this.add(id);
  }

  get size(): number {
    this.#readWritten();
    return this.#length + this.#others.size;
  }

  has(id: string): boolean {
    if (!DECIMAL.test(id)) return this.#others.has(id);
    this.#readWritten();
    const value = BigInt(id);
    const place = this.#placeOf(value);
    return place < this.#length && this.#values[place] === value;
  }

  add(id: string): void {
    if (!DECIMAL.test(id)) {
      this.#others.add(id);
      return;
    }
    this.#readWritten();
    const value = BigInt(id);
    const place = this.#placeOf(value);
    if (place < this.#length && this.#values[place] === value) return;
    if (this.#length === this.#values.length) this.#grow();
    this.#values.copyWithin(place + 1, place, this.#length);
    this.#values[place] = value;
    this.#length += 1;
  }

  /** Decimal ids in ascending order, then the others in the order in which they were added. */
  *[Symbol.iterator](): Iterator<string> {
    yield* this.#decimals();
    yield* this.#others;
  }

  /** As short JSON. */
  toJSON(): EncodedIds {
    const $idSteps = this.#written === '' ? stepsOf(this.#values.subarray(0, this.#length)) : this.#written;
    return { $idSteps, others: [...this.#others] };
  }

  static from(encoded: EncodedIds | ListedIds): IdSet {
    if ('$ids' in encoded)
      return new IdSet([...encoded.$ids.split(' ').filter((id) => id !== ''), ...encoded.others]);
    const set = new IdSet(encoded.others);
    set.#written = encoded.$idSteps;
    return set;
  }

  #readWritten(): void {
    if (this.#written === '') return;
    this.#values = valuesOf(this.#written);
    this.#length = this.#values.length;
    this.#written = '';
  }

  *#decimals(): Iterable<string> {
    this.#readWritten();
    for (const value of this.#values.subarray(0, this.#length)) yield String(value);
  }

  /** The index of the first value that is not less. New ids are the largest, as a rule. */
  #placeOf(value: bigint): number {
    const last = this.#values[this.#length - 1];
    if (last !== undefined && last < value) return this.#length;
    let low = 0;
    let high = this.#length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#values[middle] ?? value) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #grow(): void {
    const values = new BigUint64Array(Math.ceil(this.#values.length * 1.25));
    values.set(this.#values);
    this.#values = values;
  }
}

function stepsOf(ids: BigUint64Array): string {
  let before = 0n;
  return Array.from(ids, (id) => {
    const step = (id - before).toString(RADIX);
    before = id;
    return step;
  }).join(' ');
}

function valuesOf(steps: string): BigUint64Array<ArrayBuffer> {
  let id = 0n;
  return BigUint64Array.from(steps.split(' '), (step) => {
    id += stepOf(step);
    return id;
  });
}

function stepOf(text: string): bigint {
  const low = BigInt(Number.parseInt(text.slice(-EXACT_DIGITS), RADIX));
  const high = text.slice(0, -EXACT_DIGITS);
  return high === '' ? low : BigInt(Number.parseInt(high, RADIX)) * EXACT_FACTOR + low;
}
