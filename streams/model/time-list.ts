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

/** Ascending times in ms. They are read when first asked for: a restart reads many lists. */
export class TimeList {
  #times: number[];
  /** All times as they were written, until they are asked for; empty from then on. */
  #written = '';

  constructor(times: Iterable<number> = []) {
    this.#times = [...times];
  }

  /** The list itself, to be changed in place. */
  get times(): number[] {
    if (this.#written !== '') {
      this.#times = timesOf(this.#written);
      this.#written = '';
    }
    return this.#times;
  }

  /** As short JSON. */
  toJSON(): EncodedTimes {
    if (this.#written !== '') return { $times: this.#written };
    const isWhole = this.#times.every((time) => Number.isInteger(time) && Math.abs(time) <= LARGEST);
    return { $times: isWhole ? stepsOf(this.#times) : this.#times };
  }

  static from({ $times }: EncodedTimes): TimeList {
    if (typeof $times !== 'string') return new TimeList($times);
    const list = new TimeList();
    list.#written = $times;
    return list;
  }
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
