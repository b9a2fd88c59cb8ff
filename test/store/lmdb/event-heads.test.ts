import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyParts, isDamaged } from '../../../src/store/lmdb/copy-parts.ts';
import {
  type Environment,
  environmentPath,
  openEnvironment,
  PART_NAMES,
} from '../../../src/store/lmdb/environment.ts';
import { openStore } from '../../../src/store/lmdb/open-store.ts';
import { rebuild } from '../../../src/store/lmdb/rebuild.ts';
import type { EventHead } from '../../../src/store/store.ts';
import { DAY_MS, type EventRecord, type OutputOf } from '../../../streams/internal.ts';
import { activeEvent } from '../../support/event-record.ts';
import { ticks } from '../../support/store-records.ts';

function eventOutput(seq: number, eventId: number, changes: Partial<EventRecord> = {}): OutputOf<'events'> {
  const record = { ...activeEvent(eventId), ...changes };
  return { stream: 'events', key: String(eventId), seq, at: 1_000 * seq, cause: 'event_changed', record };
}

const OF_CRYPTO = { type: 'crypto', symbol: 'BTC', kind: 'UP_DOWN', referencePrice: null } as const;

/** Of two accounts and of none, over half a year. */
const events = Array.from({ length: 120 }, (_, n) =>
  eventOutput(1, 100 + n, {
    endAt: n * 1.5 * DAY_MS,
    phase: n < 100 ? 'closed' : 'active',
    subject: n % 3 === 2 ? OF_CRYPTO : { type: 'posts', account: n % 3 === 0 ? 'a' : 'b' },
  }),
);

function headOf({ key, seq, at, record }: OutputOf<'events'>): EventHead {
  const { subject, startAt, endAt, phase } = record;
  const account = subject.type === 'posts' ? subject.account : null;
  return { key, seq, at, account, startAt, endAt, isClosed: phase === 'closed' };
}

const byKey = (a: EventHead, b: EventHead) => Number(a.key) - Number(b.key);

describe('heads of events', () => {
  let folder = '';
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tallywire-heads-'));
    const store = await openStore(folder);
    await store.journal.append(ticks(1, 2));
    await store.outputs.prepare();
    await store.outputs.append(events, 1);
    await store.close();
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  async function change(task: (environment: Environment) => void): Promise<void> {
    const environment = await openEnvironment(folder, { isReadOnly: false });
    await environment.root.batch(() => task(environment));
    await environment.close();
  }

  async function heads(isPrepared = false): Promise<readonly EventHead[]> {
    const store = await openStore(folder);
    if (isPrepared) await store.outputs.prepare();
    const found = [...store.outputs.eventHeads()].sort(byKey);
    await store.close();
    return found;
  }

  async function rowCount(): Promise<number> {
    const environment = await openEnvironment(folder, { isReadOnly: true });
    const rows = environment.eventHeads?.size() ?? 0;
    await environment.close();
    return rows;
  }

  const expected = events.map(headOf);

  it('are there when the store is opened again, in few rows', async () => {
    assert.deepEqual(await heads(), expected);
    const count = await rowCount();
    assert.ok(count > 0 && count < events.length / 2, `${count} rows`);
  });

  it('follow an event that changes its end, its account and its phase', async () => {
    const moved = [
      eventOutput(2, 100, { endAt: 300 * DAY_MS }),
      eventOutput(2, 101, { endAt: events[1]?.record.endAt ?? 0, subject: { type: 'posts', account: 'c' } }),
      eventOutput(2, 219, { ...events[119]?.record, phase: 'closed' }),
    ];
    const store = await openStore(folder);
    await store.outputs.append(moved, 2);
    await store.outputs.check(async () => true);
    await store.close();
    const changed = new Map([...events, ...moved].map((event) => [event.key, headOf(event)]));
    assert.deepEqual(await heads(), [...changed.values()]);
    const { parts } = await examined();
    assert.deepEqual(parts.filter(isDamaged), []);
  });

  it('are read from the events where an older program wrote those without heads, until they are made', async () => {
    await change(({ eventHeads, meta }) => {
      void eventHeads?.clear();
      void meta.remove('eventHeads');
    });
    assert.deepEqual(await heads(), expected);
    assert.equal(await rowCount(), 0);
    assert.deepEqual(await heads(true), expected);
    assert.ok((await rowCount()) > 0);
  });

  it('are made again when rows of them got lost', async () => {
    const before = await rowCount();
    await change(({ eventHeads }) => {
      void eventHeads?.remove(['a', 0]);
    });
    assert.deepEqual(await heads(), expected);
    assert.deepEqual(await heads(true), expected);
    assert.equal(await rowCount(), before);
  });

  it('are gone with the outputs', async () => {
    const store = await openStore(folder);
    await store.outputs.clear();
    assert.deepEqual([...store.outputs.eventHeads()], []);
    await store.outputs.append([eventOutput(1, 7)], 1);
    assert.deepEqual([...store.outputs.eventHeads()], [headOf(eventOutput(1, 7))]);
    await store.close();
    assert.deepEqual(await heads(), [headOf(eventOutput(1, 7))]);
  });

  it('are damaged when one is older than its event, which a look through all and an examination find', async () => {
    await makeOlder();
    const store = await openStore(folder);
    await store.outputs.prepare();
    await assert.rejects(
      store.outputs.check(async () => true),
      /the head of event 100 is missing, or older than the event/,
    );
    await store.close();
    const { parts } = await examined();
    assert.deepEqual(
      parts.flatMap(({ part, faults }) => (faults.length === 0 ? [] : [part])),
      ['eventHeads'],
    );
  });

  it('follow from the events after a repair', async () => {
    await makeOlder();
    const { lost, recomputes } = await rebuild(folder, { keepAs: 'db.before' });
    assert.deepEqual({ lost, recomputes }, { lost: [], recomputes: false });
    assert.deepEqual(await heads(true), expected);
    const { parts } = await examined();
    assert.deepEqual(parts.filter(isDamaged), []);
  });

  function makeOlder(): Promise<void> {
    return change(({ eventHeads }) => {
      const text = eventHeads?.get(['a', 0]) ?? '';
      assert.ok(text.startsWith('[["100",1,'));
      void eventHeads?.put(['a', 0], text.replace('["100",1,', '["100",0,'));
    });
  }

  async function examined() {
    const outcome = await copyParts({ source: environmentPath(folder), parts: PART_NAMES });
    assert.ok(outcome.is === 'read');
    return outcome;
  }
});
