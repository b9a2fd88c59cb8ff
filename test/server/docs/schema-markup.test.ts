import assert from 'node:assert/strict';
import { schemaMarkup, typeMarkup } from '../../../src/server/docs/schema-markup.ts';

describe('a schema on its page', () => {
  const types: readonly (readonly [Readonly<Record<string, unknown>>, string])[] = [
    [{ $ref: '#/components/schemas/Post' }, '<a href="#schema-Post">Post</a>'],
    [{ type: 'string', const: 'update' }, '<code>&quot;update&quot;</code>'],
    [{ type: 'integer', enum: [24, 48] }, '<code>24</code> <code>48</code>'],
    [{ enum: Array.from({ length: 20 }, () => 1) }, `${'<code>1</code> '.repeat(16)}and 4 more`],
    [{ anyOf: [{ type: 'number' }, { type: 'null' }] }, 'number or null'],
    [{ type: ['string', 'null'] }, 'string or null'],
    [{ type: 'integer', minimum: 1, maximum: 100 }, 'integer, 1 to 100'],
    [{ type: 'integer', minimum: 0 }, 'integer, from 0'],
    [{ type: 'array', items: { type: 'string' } }, 'list of string'],
    [{ type: 'object', additionalProperties: { type: 'number' } }, 'map to number'],
    [{ type: 'object', properties: {} }, 'object'],
  ];
  for (const [schema, markup] of types) {
    it(`is in few words ${markup.replace(/<[^>]+>/g, '')}`, () => assert.equal(typeMarkup(schema), markup));
  }

  it('names the fields of objects inside it by their whole path', () => {
    const inner = {
      type: 'object',
      properties: { b: { type: 'string', description: 'A `b`.' } },
      required: ['b'],
    };
    const markup = schemaMarkup({
      type: 'object',
      properties: { a: inner, list: { type: 'array', items: inner } },
      examples: [{ a: '<' }],
    });
    const names = [...markup.matchAll(/class="name">([^<]+)</g)].map(([, name]) => name);
    assert.deepEqual(names, ['a', 'a.b', 'list', 'list[].b']);
    assert.match(markup, /A <code>b<\/code>\./);
    assert.match(markup, /&quot;a&quot;: &quot;&lt;&quot;/);
  });
});
