import assert from 'node:assert/strict';
import fc from 'fast-check';
import { from, map } from 'rxjs';
import { DAY_MS, type Fact, HOUR_MS, type PostFact, USUAL_RULE } from '../../../streams/internal.ts';
import type { PostChange } from '../../../streams/pipelines/messages.ts';
import { posts } from '../../../streams/pipelines/posts.ts';
import { type Entry, log, post, settings, tick } from '../../support/facts.ts';
import { marbles } from '../../support/marbles.ts';
import { lettered, neverFails, ofStream, run } from './run.ts';

const NOW = 10 * DAY_MS;
const recent = post({ createdAt: NOW - 11_500 });
/** The same post as the oracle's list has it. */
const listed = (more: Partial<PostFact> = {}) =>
  post({
    ...recent,
    via: 'list',
    isReply: null,
    isReplyToSelf: null,
    isQuote: null,
    isFromCommunity: null,
    importedAt: NOW - 3,
    ...more,
  });
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

  describe('of the oracle’s list', () => {
    const records = (...entries: Entry[]) =>
      ofStream(run(log([NOW, settings()], ...entries)), 'posts').map(({ cause, record }) => ({
        cause,
        id: record.id,
        text: record.text,
        flags: [record.isReply, record.isQuote, record.isRepost],
        isCounted: record.isCounted,
        via: record.via,
        oracleAt: record.oracleAt,
      }));
    const shown = {
      cause: 'new_post',
      id: '1',
      text: 'hello',
      flags: [false, false, false],
      isCounted: true,
      via: 'timeline',
      oracleAt: null,
    };
    const found = { ...shown, flags: [null, null, false], via: 'oracle_list', oracleAt: NOW - 3 };

    it('counts a post that nothing else shows, and leaves open whether it is a reply or a quote', () => {
      assert.deepEqual(records([NOW, listed()]), [found]);
      assert.deepEqual(records([NOW, listed({ importedAt: null })]), [{ ...found, oracleAt: NOW }]);
    });

    it('gives a listed post its kind once the timeline shows it, and counts it by that', () => {
      const reply = post({ ...recent, isReply: true, isQuote: true });
      assert.deepEqual(records([NOW, listed()], [NOW + 5, reply], [NOW + 6, listed()]), [
        found,
        {
          ...found,
          cause: 'post_edited',
          flags: [true, true, false],
          isCounted: false,
          via: 'timeline',
        },
      ]);
    });

    it('gives a listed post its kind from a look-up, though the timeline does not show it', () => {
      const lookedUp = post({ ...recent, via: 'list', isQuote: true, importedAt: NOW - 3 });
      const quote = { ...found, flags: [false, true, false] };
      assert.deepEqual(records([NOW, listed()], [NOW + 5, lookedUp], [NOW + 6, listed()]), [
        found,
        { ...quote, cause: 'post_edited' },
      ]);
      assert.deepEqual(records([NOW, lookedUp]), [quote]);
    });

    it('tells once that the oracle has a post, and prefers what the timeline showed of it', () => {
      const other = listed({ text: 'other', importedAt: NOW + 4 });
      assert.deepEqual(records([NOW, recent], [NOW + 5, other], [NOW + 6, listed({ importedAt: NOW + 5 })]), [
        shown,
        { ...shown, cause: 'oracle', oracleAt: NOW + 4 },
      ]);
    });

    it('leaves the kind open where an older log has false for want of a better answer', () => {
      const archived = post({ ...recent, via: 'archive', text: 'RT @x: hello', isRepost: true });
      assert.deepEqual(records([NOW, archived]), [
        { ...found, text: 'RT @x: hello', flags: [null, null, true], oracleAt: NOW },
      ]);
    });

    it('gives a post its kind even after it can no longer change, and only once', () => {
      const old = { createdAt: NOW - 4 * DAY_MS };
      const quote = post({ ...recent, ...old, isQuote: true });
      const clear = { ...found, cause: 'post_edited', flags: [false, true, false], via: 'timeline' };
      assert.deepEqual(
        records(
          [NOW, listed(old)],
          [NOW + 1, listed(old)],
          [NOW + 2, quote],
          [NOW + 3, { ...quote, text: 'x' }],
        ),
        [found, clear],
      );
      const sweptAt = NOW + 4 * DAY_MS;
      const shownLate = post({ ...recent, isQuote: true });
      assert.deepEqual(records([NOW, listed()], [sweptAt, tick()], [sweptAt, shownLate]), [found, clear]);
    });

    it('does not double a post that is listed under the id of an edit, whichever comes first', () => {
      const edited = post({ ...recent, text: 'hello again', editIds: ['2', '3'] });
      const underEdit = listed({ id: '3', text: 'hello again' });
      const whole = { ...shown, text: 'hello again' };
      assert.deepEqual(records([NOW, edited], [NOW + 5, underEdit], [NOW + 6, underEdit]), [
        whole,
        { ...whole, cause: 'oracle', oracleAt: NOW - 3 },
      ]);
      assert.deepEqual(records([NOW, underEdit], [NOW + 5, edited], [NOW + 6, underEdit]), [
        { ...found, id: '3', text: 'hello again' },
        { ...found, id: '3', text: 'hello again', cause: 'post_edited', isCounted: false },
        { ...whole, oracleAt: NOW - 3 },
      ]);
    });

    it('counts each post once, in whatever order the timeline, look-ups and the list show it', () => {
      const sights = fc.constantFrom<Fact[]>(
        recent,
        post({ ...recent, via: 'backfill' }),
        post({ ...recent, text: 'hello again', editIds: ['2'] }),
        post({ ...recent, via: 'list', importedAt: NOW - 3, editIds: ['2'] }),
        listed(),
        listed({ id: '2', via: 'archive' }),
      );
      fc.assert(
        fc.property(fc.array(sights, { minLength: 1, maxLength: 12 }), (facts) => {
          // Only the edit's history tells that both ids are one post.
          const story = [...facts, post({ ...recent, text: 'hello again', editIds: ['2'] })];
          const outputs = ofStream(
            run(log([NOW, settings()], ...story.map((fact, index): Entry => [NOW + index, fact]))),
            'posts',
          );
          const last = new Map(outputs.map(({ key, record }) => [key, record]));
          const counted = [...last.values()].filter(({ isCounted }) => isCounted);
          assert.deepEqual(
            counted.map(({ id, via, isReply }) => [id, via, isReply]),
            [['1', 'timeline', false]],
          );
        }),
      );
    });
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

  it('marks an imported post until the timeline shows it, and lets it replace nothing', () => {
    const imported = post({ ...recent, via: 'import', text: 'from a file' });
    const marks = (...entries: Entry[]) =>
      ofStream(run(log([NOW, settings()], ...entries)), 'posts').map(({ cause, record: { via, text } }) => [
        cause,
        via,
        text,
      ]);
    assert.deepEqual(marks([NOW, imported], [NOW + 1, imported], [NOW + 2, recent], [NOW + 3, imported]), [
      ['new_post', 'import', 'from a file'],
      ['post_edited', 'timeline', 'hello'],
    ]);
    assert.deepEqual(marks([NOW, recent], [NOW + 1, imported]), [['new_post', 'timeline', 'hello']]);
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
