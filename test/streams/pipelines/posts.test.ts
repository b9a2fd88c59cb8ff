import assert from 'node:assert/strict';
import { from } from 'rxjs';
import type { PostChange } from '../../../streams/pipelines/messages.ts';
import { posts } from '../../../streams/pipelines/posts.ts';
import { DAY_MS, type Entry, HOUR_MS, log, post, RULE, settings, tick } from '../../support/facts.ts';
import { ofStream, run } from './run.ts';

const NOW = 10 * DAY_MS;
const recent = post({ createdAt: NOW - 11_500 });
const gone = { kind: 'post_gone', account: 'a', id: '1' } as const;

const said = (...entries: Entry[]) =>
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
  it('says a post once, however often and however it comes again', () => {
    const backfilled = post({ ...recent, via: 'backfill' });
    assert.deepEqual(said([NOW, recent], [NOW + 1, recent], [NOW + 2, backfilled], [NOW + 3, recent]), [
      first,
    ]);
  });

  it('keeps posts of two accounts apart though they share an id', () => {
    assert.equal(said([NOW, recent], [NOW, post({ ...recent, account: 'b' })]).length, 2);
  });

  it('says nothing of an account it was not told to follow', () => {
    assert.deepEqual(said([NOW, post({ ...recent, account: 'c' })]), []);
  });

  it('says an edit, with the time of the first sight', () => {
    const edited = post({ ...recent, text: 'hello again' });
    assert.deepEqual(said([NOW, recent], [NOW + 5, edited], [NOW + 6, edited]), [
      first,
      { ...first, at: NOW + 5, cause: 'post_edited' },
    ]);
  });

  it('says a changed kind, even one that only the count shows', () => {
    const reply = post({ ...recent, isReply: true, isReplyToSelf: true });
    const toAnother = post({ ...reply, isReplyToSelf: false });
    assert.deepEqual(said([NOW, reply], [NOW + 5, toAnother]), [
      first,
      { ...first, at: NOW + 5, cause: 'post_edited', isCounted: false },
    ]);
  });

  it('believes what it saw of a post over the archive', () => {
    const seen = post({ ...recent, isReply: true });
    assert.deepEqual(
      said([NOW, seen], [NOW, post({ ...recent, via: 'archive', text: 'other' })]),
      said([NOW, seen]),
    );
  });

  it('counts whatever the archive holds', () => {
    assert.deepEqual(said([NOW, post({ ...recent, via: 'archive', isReply: true })]), [first]);
  });

  it('applies a new rule to what is seen after it', () => {
    const accounts = [{ id: 'a', rule: { ...RULE, originals: false } }];
    assert.deepEqual(said([NOW, recent], [NOW, settings({ accounts })], [NOW + 5, recent]), [
      first,
      { ...first, at: NOW + 5, cause: 'post_edited', isCounted: false },
    ]);
  });

  it('says a deletion once, and keeps it through a later sight and an edit', () => {
    const edited = post({ ...recent, text: 'hello again' });
    assert.deepEqual(
      said([NOW, recent], [NOW + 5, gone], [NOW + 6, gone], [NOW + 7, recent], [NOW + 8, edited]),
      [
        first,
        { ...first, at: NOW + 5, cause: 'post_deleted', deletedAt: NOW + 5 },
        { ...first, at: NOW + 8, cause: 'post_edited', deletedAt: NOW + 5 },
      ],
    );
  });

  it('says nothing of a deletion of a post it never saw, and takes the post for new when it comes', () => {
    assert.deepEqual(said([NOW - 1, gone], [NOW, recent]), [first]);
  });

  it('hears edits and deletions for three days and none after', () => {
    const edited = post({ ...recent, text: 'hello again' });
    const lastAt = recent.createdAt + 3 * DAY_MS;
    const causes = (at: number) =>
      said([NOW, recent], [at, tick()], [at, edited], [at, gone]).map(({ cause }) => cause);
    assert.deepEqual(causes(lastAt), ['new_post', 'post_edited', 'post_deleted']);
    assert.deepEqual(causes(lastAt + 1), ['new_post']);
  });

  it('says a post older than three days once', () => {
    const old = post({ createdAt: NOW - 3 * DAY_MS - 1 });
    const edited = post({ ...old, text: 'hello again' });
    assert.deepEqual(said([NOW, old], [NOW + 1, old], [NOW + HOUR_MS, tick()], [NOW + HOUR_MS, edited]), [
      first,
    ]);
  });

  it('tells with every change how the post first came, and what it was before', () => {
    const edited = post({ ...recent, text: 'hello again' });
    const story = log(
      [NOW, settings()],
      [NOW, post({ ...recent, via: 'backfill' })],
      [NOW, edited],
      [NOW, gone],
    );
    const changes: PostChange[] = [];
    posts({ observation$: from(story) }, new Map(), ({ error }) => assert.fail(String(error))).subscribe(
      (change) => changes.push(change),
    );
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
