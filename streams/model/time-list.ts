import { lowerBound } from './sorted-times.ts';

const RADIX = 36;
const MINUS = '-'.charCodeAt(0);
const DIGIT_0 = '0'.charCodeAt(0);
const LETTER_A = 'a'.charCodeAt(0);
/** The difference of any two such numbers is exact. */
const LARGEST = 2 ** 52;

export interface EncodedTimes {
  /** Each time less the one before it, in base 36. Times that are no such whole numbers are listed as they are. */
  readonly $times: string | readonly number[];
}

/** Room for so many further times is made when there is none left, and a tenth of what there is. */
const LEAST_ROOM = 16;

/**
 * Ascending times in ms. They are read when first asked for: a restart reads many lists. In 8 bytes each, as V8 may give each
 * number of a usual list an object of its own, and there are millions.
 */
export class TimeList {
  /** The first of them are the times, the rest is room. */
  #room: Float64Array;
  #length: number;
  /** Whether somebody has been given the times for good: they are not written over any more, and later ones only come behind. */
  #isLent = false;
  /** All times as they were written, until they are asked for; empty from then on. */
  #written = '';

  constructor(times: Iterable<number> = []) {
    this.#room = Float64Array.from(times);
    this.#length = this.#room.length;
  }

  /** They are not to be changed, and are those of this moment only. */
  get times(): Float64Array {
    this.#read();
    return this.#room.subarray(0, this.#length);
  }

  /** They are not to be changed, and stay as they are when the list changes. Threads share their memory. */
  lend(): Float64Array {
    this.#read();
    if (!isShared(this.#room)) this.#renew(sharedBuffer);
    this.#isLent = true;
    return this.times;
  }

  insert(at: number): void {
    const index = this.#placeOf(at);
    const isFull = this.#length === this.#room.length;
    if (isFull || (this.#isLent && index < this.#length)) this.#renew();
    this.#room.copyWithin(index + 1, index, this.#length);
    this.#room[index] = at;
    this.#length += 1;
  }

  /** Removes one occurrence of `at`; a time that is not there changes nothing. */
  remove(at: number): void {
    const index = lowerBound(this.times, at);
    if (index < this.#length && this.#room[index] === at) this.#drop(index, index + 1);
  }

  dropBefore(from: number): void {
    this.#read();
    if (this.#length > 0 && (this.#room[0] ?? from) < from) this.#drop(0, lowerBound(this.times, from));
  }

  #drop(from: number, to: number): void {
    if (this.#isLent) this.#renew();
    this.#room.copyWithin(from, to, this.#length);
    this.#length -= to - from;
  }

  /** Goes on in memory of its own, with further room. */
  #renew(bufferOf = isShared(this.#room) ? sharedBuffer : usualBuffer): void {
    const room = new Float64Array(
      bufferOf(BYTES * (this.#length + LEAST_ROOM + Math.floor(this.#length / 10))),
    );
    room.set(this.times);
    this.#room = room;
    this.#isLent = false;
  }

  /** Most times are later than all others. */
  #placeOf(at: number): number {
    this.#read();
    const last = this.#room[this.#length - 1];
    return last === undefined || last <= at ? this.#length : lowerBound(this.times, at);
  }

  #read(): void {
    if (this.#written === '') return;
    this.#room = Float64Array.from(timesOf(this.#written));
    this.#length = this.#room.length;
    this.#written = '';
  }

  /** As short JSON. */
  toJSON(): EncodedTimes {
    if (this.#written !== '') return { $times: this.#written };
    const times = [...this.times];
    const isWhole = times.every((time) => Number.isInteger(time) && Math.abs(time) <= LARGEST);
    return { $times: isWhole ? stepsOf(times) : times };
  }

  static from({ $times }: EncodedTimes): TimeList {
    if (typeof $times !== 'string') return new TimeList($times);
    const list = new TimeList();
    list.#written = $times;
    return list;
  }
}

const BYTES = Float64Array.BYTES_PER_ELEMENT;
const usualBuffer = (bytes: number): ArrayBuffer | SharedArrayBuffer => new ArrayBuffer(bytes);
const sharedBuffer = (bytes: number) => new SharedArrayBuffer(bytes);

function isShared({ buffer }: Float64Array): boolean {
  return buffer instanceof SharedArrayBuffer;
}

function stepsOf(times: readonly number[]): string {
  return times.map((time, index) => (time - (times[index - 1] ?? 0)).toString(RADIX)).join(' ');
}

/** Digit by digit, which takes a quarter of the time of splitting the text and parsing each part. */
function timesOf(steps: string): number[] {
  const times: number[] = [];
  let time = 0;
  let step = 0;
  let sign = 1;
  for (let index = 0; index <= steps.length; index++) {
    // After the last character it is no number, which is neither of these.
    const code = steps.charCodeAt(index);
    if (code === MINUS) sign = -1;
    else if (code >= LETTER_A) step = step * RADIX + code - LETTER_A + 10;
    else if (code >= DIGIT_0) step = step * RADIX + code - DIGIT_0;
    else {
      time += sign * step;
      times.push(time);
      step = 0;
      sign = 1;
    }
  }
  return times;
}
