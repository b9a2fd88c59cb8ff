import assert from 'node:assert/strict';
import fc from 'fast-check';
import { findJsonFault } from '../../../src/contract/validation/json-fault.ts';

describe('findJsonFault', () => {
  const faulty: readonly (readonly [string, number])[] = [
    ['', 0],
    ['  ', 2],
    ['{', 1],
    ['{ ', 2],
    ['{"type":}', 8],
    ['{}x', 2],
    ['{} x', 3],
    ["{'a':1}", 1],
    ['{"type":"human" "case"}', 16],
    ['[1,', 3],
    ['[1,]', 3],
    ['[1 2]', 3],
    ['[', 1],
    ['[1}', 2],
    ['{"a" 1}', 5],
    ['{"a":1,}', 7],
    ['{"a":1', 6],
    ['{"a":1]', 6],
    ['{1:2}', 1],
    ['"a\u0001"', 2],
    ['"a\nb"', 2],
    ['"abc', 0],
    ['{"a":"b', 5],
    ['"\\', 0],
    ['"\\x"', 1],
    ['"\\u12"', 2],
    ['"\\u12G4"', 2],
    ['"\\u1234', 2],
    ['tru', 0],
    ['nul', 0],
    ['NaN', 0],
    ['{"a":NaN}', 5],
    ['[-Infinity]', 1],
    ['[Infinity]', 1],
    ['-', 0],
    ['+1', 0],
    ['01', 1],
    ['1.', 1],
    ['1.e5', 1],
    ['1e', 1],
    ['.5', 0],
    ['\ufeff{}', 0],
    ['\u00a0{}', 0],
    ['["😀" x]', 5],
    ['"\\ud800"', 2],
    ['"\\ud800\\ud800"', 2],
    ['"\\udc00"', 2],
    ['"ab\\uD83D\\u0041"', 4],
    ['"a\ud800"', 2],
    ['"\udc00a"', 1],
  ];
  for (const [text, offset] of faulty) {
    it(`finds ${JSON.stringify(text)} faulty at ${offset}`, () => assert.equal(findJsonFault(text), offset));
  }

  const sound = [
    'null',
    ' {} ',
    '[]',
    '[[],{}]',
    '{"a":{"b":[1,-0.5e+3,true,false,null]}}',
    '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00"',
    '"😀\u007f\u0085"',
    '{"a":1,"a":2}',
    '\t\r\n0',
  ];
  for (const text of sound) {
    it(`finds no fault in ${JSON.stringify(text)}`, () => assert.equal(findJsonFault(text), undefined));
  }

  it('agrees with the parser on every text but for half surrogate pairs', () => {
    const pieces = fc.constantFrom(
      ...'{}[]:,"\\ \n\t-+.eE019tfnulrasx\u0001é😀',
      'true',
      'null',
      '\\u00e9',
      '"a":',
      '[1,',
    );
    const texts = fc.oneof(
      fc.array(pieces, { maxLength: 14 }).map((parts) => parts.join('')),
      fc.json(),
      broken(),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const offset = findJsonFault(text);
        assert.equal(offset === undefined, isJson(text), text);
        assert.ok(offset === undefined || (offset >= 0 && offset <= [...text].length));
      }),
      { numRuns: 2_000 },
    );
  });

  it('goes as deep as a body can', () => {
    assert.equal(findJsonFault('['.repeat(16_384)), 16_384);
    assert.equal(findJsonFault('['.repeat(8_000) + ']'.repeat(8_000)), undefined);
    assert.equal(findJsonFault('{"a":'.repeat(3_000)), 15_000);
  });
});

/** JSON with a few characters put in or taken out. */
function broken() {
  return fc
    .tuple(fc.json(), fc.nat(), fc.nat(3), fc.constantFrom('', '"', '\\', ',', ']', '}', 'x'))
    .map(([text, place, length, put]) => {
      const at = place % (text.length + 1);
      return text.slice(0, at) + put + text.slice(at + length);
    })
    .filter((text) => !/\p{Cs}/u.test(text) && !/\\u[dD]/.test(text));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
