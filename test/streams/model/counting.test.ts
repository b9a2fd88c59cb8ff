import assert from 'node:assert/strict';
import fc from 'fast-check';
import { USUAL_RULE } from '../../../streams/internal.ts';
import { isCounted } from '../../../streams/model/counting.ts';
import { post } from '../../support/facts.ts';

describe('isCounted', () => {
  const kinds = [
    ['an original', {}, true],
    ['a quote', { isQuote: true }, true],
    ['a repost', { isRepost: true }, true],
    ['a repost from a community', { isRepost: true, isFromCommunity: true }, false],
    ['a post of its own in a community', { isFromCommunity: true }, true],
    ['a reply to the account itself', { isReply: true, isReplyToSelf: true }, true],
    ['a reply to another', { isReply: true }, false],
    ['a reply to another that quotes', { isReply: true, isQuote: true }, false],
  ] as const;

  for (const [name, flags, expected] of kinds) {
    it(`${expected ? 'counts' : 'does not count'} ${name} by the usual rule`, () => {
      assert.equal(isCounted(post(flags), USUAL_RULE), expected);
    });
  }

  it('lets exactly one field of the rule decide about a post', () => {
    const flag = fc.boolean();
    const kind = { isReply: flag, isReplyToSelf: flag, isQuote: flag, isRepost: flag, isFromCommunity: flag };
    fc.assert(
      fc.property(fc.record(kind), (flags) => {
        const names = Object.keys(USUAL_RULE);
        const none = Object.fromEntries(names.map((name) => [name, false]));
        const deciding = names.filter((name) => isCounted(flags, { ...USUAL_RULE, ...none, [name]: true }));
        assert.equal(deciding.length, 1);
      }),
    );
  });
});
