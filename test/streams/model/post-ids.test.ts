import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createOverrides } from '../../../src/world/control/overrides.ts';
import { accountsOf } from '../../../src/world/life/accounts.ts';
import { createTimeline } from '../../../src/world/life/timeline.ts';
import { postFault, timeOfId } from '../../../streams/model/post-ids.ts';
import { postIdAt } from '../../support/payloads.ts';

const NOW = Date.parse('2026-04-09T13:41:35Z');
const MINUTE_MS = 60_000;

describe('postFault', () => {
  const post = (at: number, createdAt = at) => ({ id: postIdAt(at), createdAt });

  for (const [name, given, fault] of [
    ['a post of now', post(NOW), null],
    ['one of a clock that is a little ahead of ours', post(NOW + 4 * MINUTE_MS), null],
    ['one from before ids began with their time', { id: '20', createdAt: Date.UTC(2006, 2, 21, 21) }, null],
    ['one dated an hour ahead', post(NOW + 60 * MINUTE_MS), 'ahead'],
    ['one dated 2099', { id: postIdAt(NOW), createdAt: Date.UTC(2099, 0) }, 'idTime'],
    ['one dated 2099 with a number for an id', { id: '77', createdAt: Date.UTC(2099, 0) }, 'ahead'],
    ['one with an id of 20 digits', { id: '9'.repeat(20), createdAt: NOW }, 'idRange'],
    ['one with the smallest id that is too large', { id: String(2n ** 63n), createdAt: NOW }, 'idRange'],
    ['one with an id of another day', post(NOW - 1_440 * MINUTE_MS, NOW), 'idTime'],
    ['one dated before the platform existed', { id: '20', createdAt: Date.UTC(2001, 0) }, 'early'],
  ] as const) {
    it(`is ${fault} for ${name}`, () => assert.equal(postFault(given, NOW), fault));
  }

  it('does not look into ids of a platform whose ids begin with no time', () => {
    assert.equal(postFault({ id: '107780257626128497', createdAt: NOW }, NOW, false), null);
  });

  it('lets no post through that could steer polling past what is made now', () => {
    fc.assert(
      fc.property(
        fc.bigInt(0n, 10n ** 21n),
        fc.integer({ min: 0, max: Date.UTC(2200, 0) }),
        (id, createdAt) => {
          if (postFault({ id: String(id), createdAt }, NOW) !== null) return;
          assert.ok((timeOfId(String(id)) ?? 0) <= NOW + 10 * MINUTE_MS);
        },
      ),
    );
  });

  it('finds nothing wrong with the posts of the stand-in world', () => {
    const timeline = createTimeline({
      seed: 5,
      startAt: NOW,
      accounts: accountsOf(5, 2),
      overrides: createOverrides(),
    });
    let posts = 0;
    for (const { id, createdAt } of timeline.newestFirst('a', NOW)) {
      assert.equal(postFault({ id, createdAt }, NOW), null, id);
      posts += 1;
    }
    assert.ok(posts > 1_000);
  });
});
