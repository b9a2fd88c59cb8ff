const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** Of a line no more is kept: enough for a header that says how long the body is. */
const MOST_OF_A_LINE = 128;
/** Ends each chunk of a body. */
const LINE_END_BYTES = 2;

/** What the next line is; `nothing` after a body, as the connection ends there. */
type Expected = 'head' | 'chunk size' | 'trailer' | 'nothing';

/**
 * Follows over all that a connection sends where its requests end, so that what is in a body is not taken for requests.
 * It knows no more than it needs for that: what is malformed is left to the parser.
 */
export class RequestEnds {
  #expected: Expected = 'head';
  /** Bytes of a body to pass over before the next line. */
  #passOver = 0;
  /** The first part of a line that is not whole yet. */
  #line = '';
  /** Whether a line of the head was there; blank lines before it are allowed. */
  #isInHead = false;
  /** What the head says about its body: its length, or that it comes in chunks. */
  #body: number | 'chunks' = 0;

  /**
   * Where in the next bytes of the connection something follows that should not be read: what comes after so many whole
   * heads, or after a body. Undefined when all may be read.
   */
  firstUnwanted(bytes: Buffer, mostHeads: number): number | undefined {
    let heads = 0;
    let at = 0;
    for (;;) {
      const passed = Math.min(this.#passOver, bytes.length - at);
      this.#passOver -= passed;
      at += passed;
      if (at === bytes.length) return undefined;
      const isBetween = this.#expected === 'head' && !this.#isInHead;
      if (this.#expected === 'nothing' || (isBetween && heads >= mostHeads)) return at;
      const end = bytes.indexOf(LINE_FEED, at);
      if (end < 0) {
        this.#keep(bytes, at, bytes.length);
        return undefined;
      }
      if (this.#expected !== 'head') this.#takeBodyLine(this.#wholeLine(bytes, at, end));
      else if (this.#takeHeadLine(bytes, at, end)) heads += 1;
      at = end + 1;
    }
  }

  /** Returns whether the head is whole. */
  #takeHeadLine(bytes: Buffer, at: number, end: number): boolean {
    const first = bytes[at] ?? 0;
    // Every request passes here: most lines need not be made texts.
    if (this.#line === '' && first !== LINE_FEED && first !== CARRIAGE_RETURN && !startsLikeLength(first)) {
      this.#isInHead = true;
      return false;
    }
    const line = this.#wholeLine(bytes, at, end);
    if (line !== '') {
      this.#isInHead = true;
      const [, coding, length] = BODY_HEADER.exec(line) ?? [];
      if (coding !== undefined) this.#body = 'chunks';
      else if (length !== undefined && this.#body !== 'chunks') this.#body = Number(length);
      return false;
    }
    if (!this.#isInHead) return false;
    this.#isInHead = false;
    if (this.#body === 'chunks') this.#expected = 'chunk size';
    else if (this.#body > 0) {
      this.#expected = 'nothing';
      this.#passOver = this.#body;
    }
    return true;
  }

  #takeBodyLine(line: string): void {
    if (this.#expected === 'trailer') {
      if (line === '') this.#expected = 'nothing';
      return;
    }
    const size = Number.parseInt(line, 16);
    if (size > 0) this.#passOver = size + LINE_END_BYTES;
    else this.#expected = 'trailer';
  }

  #keep(bytes: Buffer, at: number, end: number): void {
    const room = MOST_OF_A_LINE - this.#line.length;
    this.#line += bytes.toString('latin1', at, Math.min(end, at + room));
  }

  #wholeLine(bytes: Buffer, at: number, end: number): string {
    this.#keep(bytes, at, end);
    const line = this.#line;
    this.#line = '';
    return line.endsWith('\r') ? line.slice(0, -1) : line;
  }
}

const BODY_HEADER = /^(?:(transfer-encoding)|content-length)[ \t]*:[ \t]*(\d*)/i;

/** Whether a line that starts with this byte may be a header that BODY_HEADER knows. */
function startsLikeLength(byte: number): boolean {
  const lower = byte | 0x20;
  return lower === 0x63 || lower === 0x74;
}
