import assert from 'node:assert/strict';
import { from, map } from 'rxjs';
import { DAY_MS, HOUR_MS, USUAL_RULE } from '../../../streams/internal.ts';
import type { PostChange } from '../../../streams/pipelines/messages.ts';
import { posts } from '../../../streams/pipelines/posts.ts';
import { type Entry, log, post, settings, tick } from '../../support/facts.ts';
import { marbles } from '../../support/marbles.ts';
import { lettered, neverFails, ofStream, run } from './run.ts';

const NOW = 10 * DAY_MS;
const recent = post({ createdAt: NOW - 11_500 });
const gone = { kind: 'post_gone', account: 'a', id: '1' } as const;

const emitted = (...entries: Entry[]) =>
  ofStream(run(log([NOW, settings()], ...entries)), 'posts').map(({ key, at, cause, record }) => ({
    key,
    at,
    cause,
    isCounted: record.isCounted,
    deletedAt: record.deletedAt,
    seenAt: record.seenAt,
  }));

const first = {
  key: '1',
  at: NOW,
  cause: 'new_post',
  isCounted: true,
  deletedAt: null,
  seenAt: NOW,
} as const;

describe('posts', () => {
  it('emits a new post, an edit and a deletion, and nothing for a repetition', () =>
    marbles(({ hot, expectObservable }) => {
      const observation$ = hot('s-p-p-e-g-g-|', {
        ...lettered({ s: [NOW, settings()], p: [NOW, recent], g: [NOW + 2, gone] }),
        ...lettered({ e: [NOW + 1, post({ ...recent, text: 'hello again' })] }),
      });
      const expected = '        --n---e-d---|';
      const cause$ = posts({ observation$ }, new Map(), neverFails).pipe(map(({ output }) => output.cause));
      expectObservable(cause$).toBe(expected, { n: 'new_post', e: 'post_edited', d: 'post_deleted' });
    }));

  it('emits a post once, however often and however it comes again', () => {
    const backfilled = post({ ...recent, via: 'backfill' });
    assert.deepEqual(emitted([NOW, recent], [NOW + 1, recent], [NOW + 2, backfilled], [NOW + 3, recent]), [
      first,
    ]);
  });

  it('keeps posts of two accounts apart though they share an id', () => {
    assert.equal(emitted([NOW, recent], [NOW, post({ ...recent, account: 'b' })]).length, 2);
  });

  it('emits nothing of an account that is not in the settings', () => {
    assert.deepEqual(emitted([NOW, post({ ...recent, account: 'c' })]), []);
  });

  it('emits an edit, with the time of the first sight', () => {
    const edited = post({ ...recent, text: 'hello again' });
    assert.deepEqual(emitted([NOW, recent], [NOW + 5, edited], [NOW + 6, edited]), [
      first,
      { ...first, at: NOW + 5, cause: 'post_edited' },
    ]);
  });

  it('emits a changed kind, even one that only the count shows', () => {
    const reply = post({ ...recent, isReply: true, isReplyToSelf: true });
    const toAnother = post({ ...reply, isReplyToSelf: false });
    assert.deepEqual(emitted([NOW, reply], [NOW + 5, toAnother]), [
      first,
      { ...first, at: NOW + 5, cause: 'post_edited', isCounted: false },
    ]);
  });

  it('prefers what it saw of a post to the archive', () => {
    const seen = post({ ...recent, isReply: true });
    assert.deepEqual(
      emitted([NOW, seen], [NOW, post({ ...recent, via: 'archive', text: 'other' })]),
      emitted([NOW, seen]),
    );
  });

  it('counts whatever the archive holds', () => {
    assert.deepEqual(emitted([NOW, post({ ...recent, via: 'archive', isReply: true })]), [first]);
  });

  it('applies a new rule to what is seen after it', () => {
    const accounts = [{ id: 'a', rule: { ...USUAL_RULE, originals: false } }];
    assert.deepEqual(emitted([NOW, recent], [NOW, settings({ accounts })], [NOW + 5, recent]), [
      first,
      { ...first, at: NOW + 5, cause: 'post_edited', isCounted: false },
    ]);
  });

  it('emits a deletion once, and keeps it through a later sight and an edit', () => {
    const edited = post({ ...recent, text: 'hello again' });
    assert.deepEqual(
      emitted([NOW, recent], [NOW + 5, gone], [NOW + 6, gone], [NOW + 7, recent], [NOW + 8, edited]),
      [
        first,
        { ...first, at: NOW + 5, cause: 'post_deleted', deletedAt: NOW + 5 },
        { ...first, at: NOW + 8, cause: 'post_edited', deletedAt: NOW + 5 },
      ],
    );
  });

  it('emits nothing of a deletion of a post it never saw, and takes the post for new when it comes', () => {
    assert.deepEqual(emitted([NOW - 1, gone], [NOW, recent]), [first]);
  });

  it('takes edits and deletions for three days and none after', () => {
    const edited = post({ ...recent, text: 'hello again' });
    const lastAt = recent.createdAt + 3 * DAY_MS;
    const causes = (at: number) =>
      emitted([NOW, recent], [at, tick()], [at, edited], [at, gone]).map(({ cause }) => cause);
    assert.deepEqual(causes(lastAt), ['new_post', 'post_edited', 'post_deleted']);
    assert.deepEqual(causes(lastAt + 1), ['new_post']);
  });

  it('emits a post older than three days once', () => {
    const old = post({ createdAt: NOW - 3 * DAY_MS - 1 });
    const edited = post({ ...old, text: 'hello again' });
    assert.deepEqual(emitted([NOW, old], [NOW + 1, old], [NOW + HOUR_MS, tick()], [NOW + HOUR_MS, edited]), [
      first,
    ]);
  });

  it('gives with every change how the post was first found, and what it was before', () => {
    const edited = post({ ...recent, text: 'hello again' });
    const story = log(
      [NOW, settings()],
      [NOW, post({ ...recent, via: 'backfill' })],
      [NOW, edited],
      [NOW, gone],
    );
    const changes: PostChange[] = [];
    posts({ observation$: from(story) }, new Map(), neverFails).subscribe((change) => changes.push(change));
    assert.deepEqual(
      changes.map(({ via, previous }) => [via, previous?.text]),
      [
        ['backfill', undefined],
        ['backfill', 'hello'],
        ['backfill', 'hello again'],
      ],
    );
  });

  it('carries any text as it is', () => {
    for (const text of ['', 'a\0b', '\ud800', '👩‍🚀', '\u202e', '{"$map":[]}', 'x'.repeat(10_000)]) {
      const [output] = ofStream(run(log([NOW, settings()], [NOW, post({ ...recent, text })])), 'posts');
      assert.equal(output?.record.text, text);
    }
  });
});
