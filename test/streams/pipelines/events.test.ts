import assert from 'node:assert/strict';
import { map } from 'rxjs';
import { DAY_MS, emptyState } from '../../../streams/internal.ts';
import { events as eventsPipeline } from '../../../streams/pipelines/events.ts';
import { type Entry, event, log, post, settings, tick, tracking } from '../../support/facts.ts';
import { marbles } from '../../support/marbles.ts';
import { lettered, neverFails, ofStream, run } from './run.ts';

const START = 20 * DAY_MS;
const END = 27 * DAY_MS;
const listed = event({ startAt: START, endAt: END });

const outputs = (...entries: Entry[]) => ofStream(run(log(...entries)), 'events');

const emitted = (...entries: Entry[]) =>
  outputs(...entries).map(({ key, at, cause, record }) => [key, at, cause, record.phase]);

describe('events', () => {
  it('lists an event, opens it and ends it by the clock', () =>
    marbles(({ hot, expectObservable }) => {
      const times = lettered({
        l: [0, listed],
        a: [START, tick()],
        b: [START + 1, tick()],
        c: [END, tick()],
      });
      const observation$ = hot('l-a-b-c-|', times);
      const expected = '        u-o---e-|';
      const phase$ = eventsPipeline({ observation$ }, new Map(), neverFails).pipe(
        map(({ record }) => record.phase),
      );
      expectObservable(phase$).toBe(expected, { u: 'upcoming', o: 'active', e: 'ended' });
    }));

  it('opens an event at its start to the millisecond and ends it at its end', () => {
    const times = [START - 1, START, START + 1, END - 1, END, END + 1];
    assert.deepEqual(emitted([0, listed], ...times.map((at) => [at, tick()] as const)), [
      ['1', 0, 'event_changed', 'upcoming'],
      ['1', START, 'event_opened', 'active'],
      ['1', END, 'event_closed', 'ended'],
    ]);
  });

  it('emits an event already open as opened, and one already over as closed', () => {
    assert.deepEqual(emitted([START, listed]), [['1', START, 'event_opened', 'active']]);
    assert.deepEqual(emitted([END, listed]), [['1', END, 'event_closed', 'ended']]);
  });

  it('emits nothing when the listing repeats itself', () => {
    assert.equal(outputs([START, listed], [START + 1, listed], [START + 2, tick()]).length, 1);
  });

  it('follows the market that closes early, and opens again', () => {
    assert.deepEqual(
      emitted(
        [START, listed],
        [START + 1, { ...listed, isClosed: true }],
        [START + 2, tick()],
        [START + 3, listed],
      ),
      [
        ['1', START, 'event_opened', 'active'],
        ['1', START + 1, 'event_closed', 'closed'],
        ['1', START + 3, 'event_opened', 'active'],
      ],
    );
  });

  it('emits closed after ended, as a settled market does', () => {
    assert.deepEqual(
      emitted([END, listed], [END + 1, { ...listed, isClosed: true }]).map(([, , cause, phase]) => [
        cause,
        phase,
      ]),
      [
        ['event_closed', 'ended'],
        ['event_closed', 'closed'],
      ],
    );
  });

  it('opens an event whose time has come when a fact of another comes first', () => {
    const other = event({ eventId: 2, slug: 'other', title: 'other', startAt: 0, endAt: END });
    const moved = { ...other, title: 'renamed' };
    assert.deepEqual(emitted([0, listed], [1, other], [START, moved], [START + 1, tick()]).slice(2), [
      ['1', START, 'event_opened', 'active'],
      ['2', START, 'event_changed', 'active'],
    ]);
    const strange = tracking({ slug: null, title: 'none' });
    assert.deepEqual(emitted([0, listed], [START, strange], [START + 1, tick()]).slice(1), [
      ['1', START, 'event_opened', 'active'],
    ]);
    const ofAnother = tracking({ account: 'b', slug: null, title: 'none' });
    assert.deepEqual(emitted([0, listed], [START, ofAnother], [START + 1, tick()]).slice(1), [
      ['1', START + 1, 'event_opened', 'active'],
    ]);
  });

  it('lets go of an event that the market says is about another account', () => {
    const state = emptyState();
    const moved = { ...listed, subject: { type: 'posts', account: 'b' } } as const;
    const outputs = ofStream(run(log([START, listed], [START + 1, moved], [END, tick()]), state), 'events');
    assert.deepEqual(
      outputs.map(({ at, record }) => [at, record.subject, record.phase]),
      [
        [START, listed.subject, 'active'],
        [START + 1, moved.subject, 'active'],
        [END, moved.subject, 'ended'],
      ],
    );
    assert.equal(state.events.get('posts:a')?.facts.size, 0);
  });

  it('follows a clock that is set back before the start, and opens again', () => {
    const other = event({ eventId: 2, slug: 'other', title: 'other', startAt: null, endAt: END });
    for (const between of [[], [[START - 500, other] as const]]) {
      assert.deepEqual(
        emitted([0, listed], [START, tick()], ...between, [START - 400, tick()], [START, tick()])
          .filter(([key]) => key === '1')
          .map(([, , , phase]) => phase),
        ['upcoming', 'active', 'upcoming', 'active'],
      );
    }
  });

  it('follows a window that moves', () => {
    const moved = { ...listed, endAt: END + DAY_MS };
    assert.deepEqual(emitted([START, listed], [END, tick()], [END + 1, moved], [END + DAY_MS, tick()]), [
      ['1', START, 'event_opened', 'active'],
      ['1', END, 'event_closed', 'ended'],
      ['1', END + 1, 'event_opened', 'active'],
      ['1', END + DAY_MS, 'event_closed', 'ended'],
    ]);
  });

  it('takes the start from the oracle, whichever of the two comes first', () => {
    const watched = tracking({ startAt: START + 5, endAt: END - 1_000 });
    for (const facts of [
      [listed, watched],
      [watched, listed],
    ]) {
      const record = outputs(...facts.map((fact) => [0, fact] as const)).at(-1)?.record;
      assert.deepEqual([record?.startAt, record?.endAt, record?.trackingId], [START + 5, END, 't1']);
    }
  });

  it('is never active without a start, and is once the oracle gives one', () => {
    const unknown = { ...listed, startAt: null };
    assert.deepEqual(emitted([0, unknown], [START, tick()], [START + 1, tracking({ startAt: START })]), [
      ['1', 0, 'event_changed', 'upcoming'],
      ['1', START + 1, 'event_opened', 'active'],
    ]);
  });

  it('matches no window to an event that is not about posts', () => {
    const subject = { type: 'crypto', symbol: 'X', kind: 'TOUCH', referencePrice: null } as const;
    const record = outputs([0, tracking()], [0, { ...listed, subject }]).at(-1)?.record;
    assert.deepEqual([record?.trackingId, record?.startAt, record?.isPartition], [null, START, false]);
  });

  it('marks whether the buckets tile the counts, and follows them', () => {
    const bucket = {
      title: '0+',
      lo: 0,
      hi: null,
      conditionId: 'c',
      marketSlug: 'm',
      yesToken: 'y',
      noToken: 'n',
      won: null,
    };
    const changes = [[], [bucket], [{ ...bucket, lo: 1 }], [{ ...bucket, won: true }]];
    assert.deepEqual(
      outputs(...changes.map((buckets, at) => [at, { ...listed, buckets }] as const)).map(
        ({ record }) => record.isPartition,
      ),
      [false, true, false, true],
    );
  });

  it('forgets an event a hundred days after its end', () => {
    const other = event({
      eventId: 2,
      slug: 'other',
      title: 'other',
      startAt: null,
      endAt: END + 100 * DAY_MS + 1,
    });
    assert.deepEqual(
      emitted(
        [END, listed],
        [END, other],
        [END + 100 * DAY_MS + 1, tick()],
        [END + 100 * DAY_MS + 2, listed],
      ).map(([key, , cause]) => [key, cause]),
      [
        ['1', 'event_closed'],
        ['2', 'event_changed'],
        ['2', 'event_closed'],
        ['1', 'event_closed'],
      ],
    );
  });

  it('remembers of an event that is over for days only what tells whether a listing is new', () => {
    const over = END + 10 * DAY_MS;
    const closed = { ...listed, isClosed: true };
    const other = event({ eventId: 2, slug: 'other', title: 'other', startAt: null, endAt: over });
    const entries: readonly Entry[] = [
      [START, listed],
      [START, tracking({ slug: listed.slug, startAt: START, endAt: END })],
      [END, closed],
      [END, other],
      [over, tick()],
    ];
    const state = emptyState();
    run(log(...entries), state);
    const { facts, records, settled } = state.events.get('posts:a') ?? assert.fail();
    assert.deepEqual([[...facts.keys()], [...records.keys()], [...settled.keys()]], [[2], [2], [1]]);
    const later = (fact: typeof closed) =>
      emitted(...entries, [over + 1, fact]).slice(emitted(...entries).length);
    assert.deepEqual(later(closed), []);
    assert.deepEqual(later({ ...closed, title: 'renamed' }), [['1', over + 1, 'event_closed', 'closed']]);
  });

  it('forgets a crypto event two days after its end', () => {
    const subject = { type: 'crypto', symbol: 'X', kind: 'UP_DOWN', referencePrice: null } as const;
    const next = event({ eventId: 2, slug: 'next', startAt: null, endAt: END + 2 * DAY_MS + 1, subject });
    for (const trigger of [tick(), next]) {
      const state = emptyState();
      run(log([END, { ...listed, subject }], [END, next], [END + 2 * DAY_MS + 1, trigger]), state);
      assert.deepEqual([...(state.events.get('crypto')?.records.keys() ?? [])], [2]);
    }
  });

  it('emits that an event ended, though nothing came until long after it is forgotten', () => {
    const later = END + 200 * DAY_MS;
    assert.deepEqual(emitted([START, listed], [later, tick()]).at(-1), ['1', later, 'event_closed', 'ended']);
  });

  it('emits nothing of facts that are not about events', () => {
    assert.deepEqual(emitted([0, settings()], [0, post()], [0, tick()]), []);
  });
});
