import assert from 'node:assert/strict';
import type { Answer } from './askers.ts';
import { createPublicContent } from './public-content.ts';
import { createViolations } from './violations.ts';

const POST = {
  tweet_id: '1',
  text: 'a text',
  created_ts: 1,
  is_reply: false,
  is_quote: false,
  is_retweet: false,
  is_counted: null,
  seen_ts: 1,
  deleted_ts: null,
  url: 'https://posts.invalid/1',
  via: 'timeline',
  oracle_ts: null,
  as_of: { seq: 1, ts: 1, ages_ms: { posts: 1, oracle: null, ui: null, prices: null } },
};

function answerOf(post: object, tier: Answer['tier']): Answer {
  return {
    path: '/api/v1/meta/account_a/tweets',
    tier,
    status: 200,
    headers: new Headers({ etag: 'W/"1"', 'content-type': 'application/json; charset=utf-8' }),
    body: JSON.stringify({ timestamp: 1, data: [post], limit: 15, offset: 0 }),
    askedAt: 0,
    answeredAt: 1,
  };
}

function found(show: (content: ReturnType<typeof createPublicContent>) => void): readonly string[] {
  const violations = createViolations(() => 0);
  show(createPublicContent(violations));
  return violations.found.map(({ message }) => message);
}

describe('createPublicContent', () => {
  it('finds nothing wrong with an answer as it is documented', () => {
    assert.deepEqual(
      found((content) => content.onAnswer(answerOf(POST, 'FREE'))),
      [],
    );
    assert.deepEqual(
      found((content) => content.onAnswer(answerOf({ ...POST, is_counted: true }, 'INTERNAL'))),
      [],
    );
  });

  it('finds what is not documented: a field, a type, a missing one', () => {
    for (const change of [
      { more: 1 },
      { created_ts: 'now' },
      { text: undefined },
      { created_ts: Number.NaN },
    ])
      assert.equal(
        found((content) => content.onAnswer(answerOf({ ...POST, ...change }, 'INTERNAL'))).length,
        1,
      );
  });

  it('finds what is not for FREE, in answers and in frames', () => {
    assert.equal(
      found((content) => content.onAnswer(answerOf({ ...POST, is_counted: false }, 'FREE'))).length,
      1,
    );
    const frame = JSON.stringify({ type: 'pong', ts: 1, pipeline_ts: 1, markets: [{ model_prob: null }] });
    const isPaid = (messages: readonly string[]) =>
      messages.some((message) => message.includes('model_prob to FREE'));
    assert.ok(isPaid(found((content) => content.onFrame(frame, true))));
    assert.ok(!isPaid(found((content) => content.onFrame(frame, false))));
  });
});
