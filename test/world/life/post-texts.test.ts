import assert from 'node:assert/strict';
import { referencedBy, textOf } from '../../../src/world/life/post-texts.ts';
import { snowflake } from '../../../src/world/life/snowflake.ts';
import { START_AT } from '../open.ts';

const ids = Array.from({ length: 500 }, (_, index) => snowflake(START_AT + index * 1000, 'a'));

describe('textOf', () => {
  it('begins a repost with the author it comes from', () => {
    const id = ids[0] ?? '';
    const { author } = referencedBy(id, START_AT);
    assert.ok(textOf('repost', id, START_AT).startsWith(`RT @${author.handle}: `));
  });

  it('varies, has emoji, and is long now and then', () => {
    const texts = ids.map((id) => textOf('original', id, START_AT));
    assert.ok(new Set(texts).size > 250);
    assert.ok(texts.some((text) => /\p{Emoji_Presentation}/u.test(text)));
    const long = texts.filter((text) => text.length > 280).length;
    assert.ok(long > 5 && long < 60, String(long));
  });

  it('points at posts older than the one that refers to them', () => {
    for (const id of ids) assert.ok(referencedBy(id, START_AT).createdAt < START_AT);
  });
});
