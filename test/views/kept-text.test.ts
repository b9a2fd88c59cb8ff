import assert from 'node:assert/strict';
import { keepingTexts } from '../../src/views/kept-text.ts';

describe('keepingTexts', () => {
  it('makes a text again only for another record or another further value', () => {
    const made: string[] = [];
    const textOf = keepingTexts((record: { readonly name: string }, further: number | undefined) => {
      const text = `${record.name} ${further}`;
      made.push(text);
      return text;
    });
    const [first, second] = [{ name: 'first' }, { name: 'second' }];
    const texts = [
      textOf(first, 1),
      textOf(second, undefined),
      textOf(first, 1),
      textOf(second, undefined),
      textOf(first, 2),
      textOf({ ...first }, 2),
    ];
    assert.deepEqual(texts, [
      'first 1',
      'second undefined',
      'first 1',
      'second undefined',
      'first 2',
      'first 2',
    ]);
    assert.deepEqual(made, ['first 1', 'second undefined', 'first 2', 'first 2']);
  });
});
