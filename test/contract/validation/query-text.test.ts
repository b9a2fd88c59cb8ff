import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  type Reading,
  readBoolean,
  readInteger,
  readNumber,
} from '../../../src/contract/validation/query-text.ts';

/** The value, or the type of the flaw. */
function outcome(reading: Reading<unknown>): unknown {
  return 'value' in reading ? reading.value : reading.flaw.type;
}

const LONG = '9'.repeat(4_301);

describe('readInteger', () => {
  const read = (text: string) => outcome(readInteger(text));

  const accepted: readonly (readonly [string, number])[] = [
    ['1', 1],
    ['+15', 15],
    ['-15', -15],
    ['\t15\n', 15],
    ['\u00a015 ', 15],
    ['015', 15],
    ['15.0', 15],
    ['15.00', 15],
    ['1_0', 10],
    ['1_0_0', 100],
    ['1_0.0', 10],
    ['-0', 0],
    [`${'0'.repeat(5_000)}7`, 7],
    ['100000000000000000000', Number.MAX_SAFE_INTEGER],
    ['-100000000000000000000', -Number.MAX_SAFE_INTEGER],
    ['9'.repeat(4_300), Number.MAX_SAFE_INTEGER],
  ];
  for (const [text, value] of accepted) {
    it(`reads ${JSON.stringify(text.slice(0, 24))} as ${value}`, () => assert.equal(read(text), value));
  }

  const unreadable =
    '15.5 15. .0 1e2 15abc 0x10 true null 1,0 1__0 _1 1_ 1_.0 15.0_0 15\0 ٣ -- - + +-1 NaN inf'.split(' ');
  for (const text of ['', ' ', '1 1', ...unreadable]) {
    it(`does not read ${JSON.stringify(text)}`, () => assert.equal(read(text), 'int_parsing'));
  }

  it('does not read more than 4300 digits', () => {
    assert.equal(read(LONG), 'int_parsing_size');
    assert.equal(read(`-${LONG}`), 'int_parsing_size');
    assert.equal(read('x'.repeat(4_301)), 'int_parsing');
  });

  it('reads back every safe integer', () => {
    fc.assert(fc.property(fc.maxSafeInteger(), (value) => Object.is(read(String(value)), value || 0)));
  });
});

describe('readNumber', () => {
  const read = (text: string) => outcome(readNumber(text));

  const accepted: readonly (readonly [string, number])[] = [
    ['1.0', 1],
    ['1e3', 1_000],
    ['1E3', 1_000],
    ['1e-2', 0.01],
    [' 5', 5],
    ['5\t', 5],
    ['+5', 5],
    ['-5', -5],
    ['5.', 5],
    ['.5', 0.5],
    ['5.e1', 50],
    ['1_000', 1_000],
    ['1_000.5', 1_000.5],
    ['nan', Number.MAX_VALUE],
    ['-NaN', Number.MAX_VALUE],
    ['inf', Number.MAX_VALUE],
    ['Infinity', Number.MAX_VALUE],
    ['-inf', -Number.MAX_VALUE],
    ['1e400', Number.MAX_VALUE],
    ['-1e400', -Number.MAX_VALUE],
  ];
  for (const [text, value] of accepted) {
    it(`reads ${JSON.stringify(text)} as ${value}`, () => assert.equal(read(text), value));
  }

  const unreadable = 'abc 0x10 1,000 true 5e e5 . + - +. 1__0 _1 1_ infinit nano 5\0 ٣ 1e 1e+ 0b1'.split(' ');
  for (const text of ['', ' ', '1 1', ...unreadable]) {
    it(`does not read ${JSON.stringify(text)}`, () => assert.equal(read(text), 'float_parsing'));
  }

  it('reads back every finite number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) =>
        Object.is(read(Object.is(value, -0) ? '-0' : String(value)), value),
      ),
    );
  });

  it('never gives a value that JSON has no number for', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[+-]?[0-9._einfat]{0,12}$/), (text) => {
        const reading = readNumber(text);
        return !('value' in reading) || Number.isFinite(reading.value);
      }),
    );
  });
});

describe('readBoolean', () => {
  const read = (text: string) => outcome(readBoolean(text));

  it('reads the words for yes and no in any case', () => {
    for (const text of ['1', 't', 'y', 'on', 'yes', 'true', 'True', 'tRuE', 'YES'])
      assert.equal(read(text), true);
    for (const text of ['0', 'f', 'n', 'off', 'no', 'false', 'FALSE']) assert.equal(read(text), false);
  });

  it('accepts no other word and trims nothing', () => {
    const others = ['', '2', '01', '-1', '1.0', ' true', 'true ', 'true\n', 'null', 'tru', 'truee', 'ｔrue'];
    for (const text of others) assert.equal(read(text), 'bool_parsing', text);
  });
});

describe('reading a text', () => {
  it('takes time in proportion to its length', () => {
    // In proportion to its square it would take hours, on any machine.
    const LENGTH = 1_000_000;
    const hostile = [
      `${'0'.repeat(LENGTH)}x`,
      `${' '.repeat(LENGTH)}x y`,
      `${'1_'.repeat(LENGTH)}x`,
      `${'1'.repeat(LENGTH)}.${'1'.repeat(LENGTH)}e`,
      `${'_'.repeat(LENGTH)}x`,
    ];
    for (const text of hostile) {
      for (const read of [readInteger, readNumber, readBoolean]) read(text);
    }
  });
});
