const SPACE = /[ \t\n\r]*/y;
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// With the flag u, \p{Cs} matches only half a pair of surrogates.
const PLAIN = /(?:[^"\\\p{Cc}\p{Cs}]|[\u007f-\u009f])*/uy;
const CODE_UNIT =
  /\\u(?:[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?![dD][89a-fA-F])[0-9a-fA-F]{4})/y;

class JsonFault extends Error {
  readonly index: number;

  constructor(index: number) {
    super(`not JSON from ${index} on`);
    this.index = index;
  }
}

/**
 * Where a text stops being JSON, in code points from its start, or undefined when all of it is JSON. The places
 * are those of Python's parser, whose faults callers know. `NaN`, the infinities and half a pair of surrogates, which no
 * answer could repeat, are not JSON.
 */
export function findJsonFault(text: string): number | undefined {
  try {
    scan(text);
    return undefined;
  } catch (error) {
    if (error instanceof JsonFault) return [...text.slice(0, error.index)].length;
    throw error;
  }
}

/** Works without recursion, so that deep nesting cannot overflow the stack. */
function scan(text: string): void {
  /** The brackets to be closed, innermost last. */
  const open: (']' | '}')[] = [];
  let at = endOf(SPACE, text, 0);
  for (;;) {
    const bracket = text[at] === '[' ? ']' : text[at] === '{' ? '}' : undefined;
    if (bracket === undefined) {
      at = scalarEnd(text, at);
    } else {
      at = endOf(SPACE, text, at + 1);
      open.push(bracket);
      if (text[at] !== bracket) {
        if (bracket === '}') at = keyEnd(text, at);
        continue;
      }
    }
    at = endOf(SPACE, text, at);
    for (let last = open.at(-1); last !== undefined && text[at] === last; last = open.at(-1)) {
      open.pop();
      at = endOf(SPACE, text, at + 1);
    }
    if (open.length === 0 && at === text.length) return;
    if (open.length === 0 || text[at] !== ',') throw new JsonFault(at);
    at = endOf(SPACE, text, at + 1);
    if (open.at(-1) === '}') at = keyEnd(text, at);
  }
}

/** The end of a key, its colon and the space around it. */
function keyEnd(text: string, start: number): number {
  if (text[start] !== '"') throw new JsonFault(start);
  const colon = endOf(SPACE, text, stringEnd(text, start));
  if (text[colon] !== ':') throw new JsonFault(colon);
  return endOf(SPACE, text, colon + 1);
}

function scalarEnd(text: string, start: number): number {
  if (text[start] === '"') return stringEnd(text, start);
  const end = endOf(SCALAR, text, start);
  if (end === start) throw new JsonFault(start);
  return end;
}

function stringEnd(text: string, quote: number): number {
  let at = endOf(PLAIN, text, quote + 1);
  while (text[at] === '\\') {
    at = endOf(PLAIN, text, escapeEnd(text, at, quote));
  }
  if (at === text.length) throw new JsonFault(quote);
  if (text[at] !== '"') throw new JsonFault(at);
  return at + 1;
}

function escapeEnd(text: string, backslash: number, quote: number): number {
  const letter = text[backslash + 1];
  if (letter === undefined) throw new JsonFault(quote);
  if (letter !== 'u') {
    if ('"\\/bfnrt'.includes(letter)) return backslash + 2;
    throw new JsonFault(backslash);
  }
  const end = endOf(CODE_UNIT, text, backslash);
  if (end === backslash || end === text.length) throw new JsonFault(backslash + 1);
  return end;
}

/** Where a match that begins at `start` ends, or `start` when there is none. */
function endOf(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : start;
}
