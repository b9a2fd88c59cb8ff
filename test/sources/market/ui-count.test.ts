import assert from 'node:assert/strict';
import { uiSource } from '../../../src/sources/market/ui-count.ts';
import type { SourceSettings } from '../../../src/sources/settings.ts';
import { ACCOUNT, FAST, localEndpoints } from '../../support/endpoints.ts';
import { activeEvent } from '../../support/event-record.ts';
import { eventually } from '../../support/eventually.ts';
import { wireEvent } from '../../support/payloads.ts';
import { ANSWERED } from '../../support/scripted-server.ts';
import { type FakeLookups, fakeLookups, type SourceRun, sourceStage } from '../../support/source-run.ts';

describe('uiSource', () => {
  const stage = sourceStage();
  let run: SourceRun | undefined;

  function start(...eventIds: readonly number[]): SourceRun {
    const lookups = fakeLookups();
    for (const eventId of eventIds) lookups.records.set(eventId, activeEvent(eventId));
    return follow(lookups, FAST);
  }

  function follow(lookups: FakeLookups, settings: SourceSettings): SourceRun {
    run = stage.run(uiSource(ACCOUNT, localEndpoints(stage.server), settings), lookups);
    return run;
  }

  it('delivers the figure when it changes: up, down, to nothing and back', async () => {
    let tweetCount: unknown = 212;
    stage.server.answer(() => wireEvent(1, { tweetCount }));
    const { facts } = start(1);
    const counts = () => facts().flatMap((fact) => (fact.kind === 'ui' ? [fact.count] : []));
    await eventually('first', () => counts().length === 1);
    for (const [index, next] of [1212, 200, null, 201, undefined].entries()) {
      tweetCount = next;
      await eventually(`figure ${next}`, () => counts().length === index + 2);
    }
    assert.deepEqual(counts(), [212, 1212, 200, null, 201, null]);
  });

  it('asks for the active events of its account only, and shows life when there is none', async () => {
    stage.server.answer(() => wireEvent(1));
    const { lookups, deliveries } = start(1);
    lookups.records.set(2, { ...activeEvent(2), phase: 'ended' });
    lookups.records.set(3, { ...activeEvent(3), subject: { type: 'posts', account: 'b' } });
    await eventually('polls pass', () => deliveries.length > 3);
    assert.deepEqual(
      new Set(stage.server.requests.map(({ path }) => path)),
      new Set(['/events/slug/account-a-of-posts-1']),
    );
    run?.stop();
    const idle = start();
    await eventually('an empty list is delivered', () => idle.deliveries.length > 2);
    assert.deepEqual(idle.facts(), []);
  });

  it('delivers null when the page is gone', async () => {
    stage.server.answer((_, response) => {
      response.statusCode = 404;
      return { type: 'not found error' };
    });
    const { facts } = start(1);
    await eventually('it is delivered', () => facts().length > 0);
    assert.deepEqual(facts()[0], { kind: 'ui', eventId: 1, count: null });
  });

  for (const [name, tweetCount] of [
    ['text', '212'],
    ['negative', -1],
    ['a fraction', 0.5],
    ['a list', [1]],
  ] as const) {
    it(`takes a figure that is ${name} for an unknown one, tells it once, and goes on`, async () => {
      let figure: unknown = 211;
      stage.server.answer(({ path }) =>
        path.endsWith('-1') ? wireEvent(1, { tweetCount: figure }) : wireEvent(2),
      );
      const { facts, error, refusals, deliveries } = start(1, 2);
      await eventually('both come', () => facts().length === 2);
      figure = tweetCount;
      await eventually('it is unknown', () => facts().length === 3);
      const before = deliveries.length;
      await eventually('rounds pass', () => deliveries.length > before + 6);
      assert.deepEqual(facts(), [
        { kind: 'ui', eventId: 1, count: 211 },
        { kind: 'ui', eventId: 2, count: 212 },
        { kind: 'ui', eventId: 1, count: null },
      ]);
      assert.equal(refusals.length, 1);
      assert.match(
        refusals[0] ?? '',
        /^event 1 \(account-a-of-posts-1\) shows a count that cannot be read: /,
      );
      assert.equal(error(), undefined);
      figure = 213;
      await eventually('it is known again', () => facts().length === 4);
    });
  }

  it('shows no count, and tells it, when another event has taken the slug', async () => {
    stage.server.answer(() => wireEvent(99));
    const { facts, error, refusals } = start(1);
    await eventually('it is told', () => facts().length === 1);
    assert.deepEqual(facts(), [{ kind: 'ui', eventId: 1, count: null }]);
    assert.deepEqual(refusals, ['event 1 (account-a-of-posts-1) has a page that is now of event 99']);
    assert.equal(error(), undefined);
  });

  it('keeps the count and fails, after the other events, when a page is no event at all', async () => {
    stage.server.answer(({ path }) => (path.endsWith('-1') ? { id: null } : wireEvent(2)));
    const { facts, error, refusals } = start(1, 2);
    await eventually('it fails', () => error() !== undefined);
    assert.deepEqual(facts(), [{ kind: 'ui', eventId: 2, count: 212 }]);
    assert.equal(refusals.length, 1);
  });

  describe('between two rounds', () => {
    const rare = { ...FAST, uiPeriodMs: 3_600_000, uiFirstPeriodMs: 5 };

    it('follows an event from then on, so that its count is as old as its own answer', async () => {
      stage.server.answer(({ path }) => wireEvent(Number(path.slice(-1))));
      const { lookups, facts, deliveries, followed } = follow(fakeLookups(), rare);
      await eventually('the first round is over', () => deliveries.length === 1);
      for (const eventId of [1, 2]) lookups.records.set(eventId, activeEvent(eventId));
      await eventually('both are delivered', () => facts().length === 2);
      assert.deepEqual(followed(), ['1', '2']);
    });

    it('asks for an event as soon as it becomes active, once', async () => {
      stage.server.answer(({ path }) => wireEvent(Number(path.slice(-1))));
      const { lookups, facts, deliveries } = follow(fakeLookups(), rare);
      await eventually('the first round is over', () => deliveries.length === 1);
      assert.deepEqual([facts(), stage.server.requests.length], [[], 0]);
      for (const eventId of [1, 2]) {
        lookups.records.set(eventId, activeEvent(eventId));
        await eventually(`event ${eventId} is delivered`, () => facts().length === eventId);
      }
      lookups.records.set(3, activeEvent(3));
      await eventually('event 3 is delivered', () => facts().length === 3);
      assert.deepEqual(
        stage.server.requests.map(({ path }) => path.slice(-1)),
        ['1', '2', '3'],
      );
      assert.equal(deliveries.length, 4);
    });

    it('asks again for an event that was closed and opened again', async () => {
      stage.server.answer(({ path }) => wireEvent(Number(path.slice(-1))));
      const { lookups, deliveries, followed } = follow(fakeLookups(), rare);
      await eventually('the first round is over', () => deliveries.length === 1);
      lookups.records.set(1, activeEvent(1));
      await eventually('it is delivered', () => deliveries.length === 2);
      lookups.records.set(1, { ...activeEvent(1), phase: 'closed' });
      assert.deepEqual(followed(), []);
      lookups.records.set(2, activeEvent(2));
      await eventually('it has looked since', () => deliveries.length === 3);
      lookups.records.set(1, activeEvent(1));
      await eventually('it is answered again', () => deliveries.length === 4);
      assert.deepEqual(followed(), ['1', '2']);
    });

    it('has one request under way, however long it takes', async () => {
      let underWay = 0;
      let most = 0;
      stage.server.answer((_, response) => {
        underWay += 1;
        most = Math.max(most, underWay);
        setTimeout(() => {
          underWay -= 1;
          response.end(JSON.stringify(wireEvent(1)));
        }, 15);
        return ANSWERED;
      });
      const lookups = fakeLookups();
      lookups.records.set(1, activeEvent(1));
      follow(lookups, { ...rare, uiPeriodMs: 5 });
      await eventually('several rounds pass', () => stage.server.requests.length > 8);
      assert.equal(most, 1);
    });

    it('does not ask again for a page that is gone', async () => {
      stage.server.answer((_, response) => {
        response.statusCode = 404;
        return {};
      });
      const { lookups, deliveries } = follow(fakeLookups(), rare);
      await eventually('the first round is over', () => deliveries.length === 1);
      lookups.records.set(1, activeEvent(1));
      await eventually('it is answered', () => deliveries.length === 2);
      // That the other one is asked shows that turns went by.
      lookups.records.set(2, activeEvent(2));
      await eventually('the other is answered', () => deliveries.length === 3);
      assert.deepEqual(
        stage.server.requests.map(({ path }) => path.slice(-1)),
        ['1', '2'],
      );
    });
  });
});
