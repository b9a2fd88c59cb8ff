import assert from 'node:assert/strict';
import fc from 'fast-check';
import { jsonPlaces, placeAt, placeOf } from '../../src/config/json-places.ts';

describe('jsonPlaces', () => {
  const text = '{\n  "port": 1,\n  "accounts": [\n    { "id": "a", "x{,": [1, [2]] }, "é😀", {}\n  ]\n}';

  it('gives the line and the column of every name and element', () => {
    assert.deepEqual(
      Array.from(jsonPlaces(text), ([path, { line, column }]) => `${path} ${line}:${column}`),
      [
        ' 1:1',
        'port 2:3',
        'accounts 3:3',
        'accounts[0] 4:5',
        'accounts[0].id 4:7',
        'accounts[0].x{, 4:18',
        'accounts[0].x{,[0] 4:26',
        'accounts[0].x{,[1] 4:29',
        'accounts[0].x{,[1][0] 4:30',
        'accounts[1] 4:37',
        'accounts[2] 4:43',
      ],
    );
  });

  it('gives the place of what holds something that is missing', () => {
    const places = jsonPlaces(text);
    assert.deepEqual(placeOf(places, 'accounts[2].prior.postsPerDay'), { line: 4, column: 43 });
    assert.deepEqual(placeOf(places, 'accounts[9]'), { line: 3, column: 3 });
    assert.deepEqual(placeOf(places, 'host'), { line: 1, column: 1 });
  });

  it('finds every name of any object, however it is written', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(4), (value, indent) => {
        const written = JSON.stringify({ value }, undefined, indent);
        const { line, column } = jsonPlaces(written).get('value') ?? { line: 0, column: 0 };
        assert.ok(
          written
            .split('\n')
            [line - 1]?.slice(column - 1)
            .startsWith('"value"'),
        );
      }),
    );
  });
});

describe('placeAt', () => {
  it('counts from 1, and a pair of surrogates as one column', () => {
    assert.deepEqual(placeAt('', 0), { line: 1, column: 1 });
    assert.deepEqual(placeAt('a\n😀b', 4), { line: 2, column: 2 });
  });
});
