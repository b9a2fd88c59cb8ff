import assert from 'node:assert/strict';
import { SourceError } from '../../../src/errors.ts';
import { oracleSource } from '../../../src/sources/oracle/oracle.ts';
import { slugOfLink } from '../../../src/sources/oracle/oracle-payload.ts';
import { ACCOUNT, FAST, localEndpoints } from '../../support/endpoints.ts';
import { activeEvent } from '../../support/event-record.ts';
import { eventually } from '../../support/eventually.ts';
import { trackingAnswer, wireTracking } from '../../support/payloads.ts';
import type { Script } from '../../support/scripted-server.ts';
import { fakeLookups, type SourceRun, sourceStage } from '../../support/source-run.ts';

const NOW = Date.parse('2026-04-09T14:00:00Z');
const DAY_MS = 86_400_000;

describe('oracleSource', () => {
  const stage = sourceStage();

  function start(settings = FAST, lookups = fakeLookups()): SourceRun {
    return stage.run(oracleSource(ACCOUNT, localEndpoints(stage.server), settings), lookups, () => NOW);
  }

  function serve(trackings: readonly unknown[], total: Script) {
    stage.server.answer((request, response) =>
      request.path.endsWith('/trackings') ? { success: true, data: trackings } : total(request, response),
    );
  }

  const open = wireTracking('open', NOW - DAY_MS, NOW + DAY_MS);

  it('delivers windows once, with trimmed titles and the slug of their market', async () => {
    serve([open, wireTracking('old', NOW - 20 * DAY_MS, NOW - 19 * DAY_MS, { marketLink: null })], () =>
      trackingAnswer('open', 5),
    );
    const { facts, deliveries } = start({ ...FAST, trackingsPeriodMs: 10 });
    await eventually('several lists are read', () => deliveries.length > 8);
    const trackings = facts().filter((fact) => fact.kind === 'tracking');
    assert.deepEqual(
      trackings.map(({ slug }) => slug),
      ['account-a-of-posts-open', null],
    );
    assert.deepEqual(trackings[0], {
      kind: 'tracking',
      account: 'a',
      trackingId: 'open',
      slug: 'account-a-of-posts-open',
      title: 'Account A # posts, open?',
      startAt: NOW - DAY_MS,
      endAt: NOW + DAY_MS,
    });
    assert.equal(stage.server.requests[0]?.query.get('platform'), 'X');
  });

  it('delivers a window again when it has moved', async () => {
    serve([open], () => trackingAnswer('open', 5));
    const { facts } = start({ ...FAST, trackingsPeriodMs: 10 });
    await eventually('it is delivered', () => facts().some(({ kind }) => kind === 'tracking'));
    serve([wireTracking('open', NOW - DAY_MS, NOW + 2 * DAY_MS)], () => trackingAnswer('open', 5));
    await eventually(
      'it is delivered again',
      () => facts().filter(({ kind }) => kind === 'tracking').length === 2,
    );
  });

  it('delivers a total when it or the time of the look has changed, whichever way it went', async () => {
    let answer = trackingAnswer('open', 212);
    serve([open], () => answer);
    const { facts } = start();
    const totals = () => facts().flatMap((fact) => (fact.kind === 'oracle' ? [fact.total] : []));
    await eventually('the first', () => totals().length === 1);
    for (const [total, length] of [
      [213, 2],
      [1213, 3],
      [200, 4],
    ] as const) {
      answer = trackingAnswer('open', total);
      await eventually(`total ${total}`, () => totals().length === length);
    }
    answer = trackingAnswer('open', 200, null);
    await eventually('a look without a time', () => totals().length === 5);
    assert.deepEqual(totals(), [212, 213, 1213, 200, 200]);
    assert.equal(facts().findLast((fact) => fact.kind === 'oracle')?.syncedAt, null);
  });

  it('reads windows from their start until two hours after their end, and ended ones once', async () => {
    const windows: readonly (readonly [string, number, number])[] = [
      ['upcoming', NOW + 1, NOW + DAY_MS],
      ['starting', NOW, NOW + DAY_MS],
      ['ending', NOW - DAY_MS, NOW - 7_199_999],
      ['past', NOW - 3 * DAY_MS, NOW - 7_200_000],
      ['ancient', NOW - 103 * DAY_MS, NOW - 101 * DAY_MS],
    ];
    serve(
      windows.map(([id, from, to]) => wireTracking(id, from, to)),
      ({ path }) => trackingAnswer(path.split('/').at(-1) ?? '', 5),
    );
    start();
    const asked = (id: string) =>
      stage.server.requests.filter(({ path }) => path.endsWith(`/trackings/${id}`)).length;
    await eventually('several polls pass', () => asked('starting') > 4);
    assert.ok(asked('ending') > 3);
    assert.deepEqual(['upcoming', 'past', 'ancient'].map(asked), [0, 1, 0]);
  });

  it('goes without the total of an ended window that is not there', async () => {
    serve([wireTracking('past', NOW - 3 * DAY_MS, NOW - DAY_MS)], (_, response) => {
      response.statusCode = 404;
      return { success: false, error: 'Tracking not found' };
    });
    const { error, deliveries } = start();
    await eventually('polls go on', () => deliveries.length > 5);
    assert.equal(error(), undefined);
    assert.equal(stage.server.requests.length, 2);
  });

  it('reads the other windows before it fails for one that is refused', async () => {
    serve([open, wireTracking('second', NOW - DAY_MS, NOW + DAY_MS)], ({ path }) =>
      path.endsWith('/open') ? trackingAnswer('open', '212') : trackingAnswer('second', 7),
    );
    const { error, facts, refusals } = start();
    await eventually('it fails', () => error() !== undefined);
    assert.deepEqual(
      facts().flatMap((fact) => (fact.kind === 'oracle' ? [fact.trackingId] : [])),
      ['second'],
    );
    assert.equal(refusals.length, 1);
  });

  /** A log with an active event whose count is that of the window `open`. */
  function lookupsWithEvent() {
    const lookups = fakeLookups();
    lookups.records.set(1, { ...activeEvent(1), trackingId: 'open' });
    return lookups;
  }

  it('calls nothing answered while the list was never read, and the counts that are shown as old as they are', async () => {
    stage.server.answer((_, response) => {
      response.statusCode = 500;
      return {};
    });
    const source = oracleSource(ACCOUNT, localEndpoints(stage.server), FAST);
    const first = stage.run(source, lookupsWithEvent(), () => NOW);
    await eventually('it fails', () => first.error() !== undefined);
    // Started again, it leaves the list alone for a while.
    const second = stage.run(source, lookupsWithEvent(), () => NOW);
    await eventually('it looks for open windows', () => second.followed().length > 0);
    assert.deepEqual(second.followed(), ['open']);
    assert.deepEqual([...first.deliveries, ...second.deliveries], []);
  });

  it('knows a total that the log has before an event shows it, and no other', async () => {
    serve([open, wireTracking('second', NOW - DAY_MS, NOW + DAY_MS)], ({ path }) =>
      trackingAnswer(path.endsWith('/open') ? 'open' : 'second', 5),
    );
    const lookups = { ...fakeLookups(), hasTotal: (_: string, trackingId: string) => trackingId === 'open' };
    const run = start(FAST, lookups);
    await eventually('both are followed', () => run.followed().length === 2);
    assert.deepEqual(
      run.followedValues().map(({ value, isLogged }) => [value, isLogged?.()]),
      [
        ['open', true],
        ['second', false],
      ],
    );
  });

  it('lets the count of a window grow old that is listed no more', async () => {
    serve([open], () => trackingAnswer('open', 5));
    const run = start({ ...FAST, trackingsPeriodMs: 10 }, lookupsWithEvent());
    await eventually('its count is read', () => run.answeredAt.has('open'));
    serve([], () => trackingAnswer('open', 5));
    await eventually('only the list is read', () =>
      stage.server.requests.slice(-5).every(({ path }) => path.endsWith('/trackings')),
    );
    assert.deepEqual(run.followed(), ['open']);
  });

  for (const [name, total] of [
    ['text', '5'],
    ['negative', -1],
    ['broken', 1.5],
    ['nothing', null],
    ['too large', 1e300],
  ] as const) {
    it(`refuses a total that is ${name}`, async () => {
      serve([open], () => trackingAnswer('open', total));
      const { error, facts } = start();
      await eventually('it fails', () => error() !== undefined);
      assert.ok(facts().every(({ kind }) => kind === 'tracking'));
    });
  }

  it('refuses a failure that comes with status 200', async () => {
    stage.server.answer(() => ({ success: false, error: 'database asleep' }));
    const { error, refusals } = start();
    await eventually('it fails', () => error() !== undefined);
    const cause = error();
    assert.ok(cause instanceof SourceError && cause.code === 'SOURCE_REFUSED');
    assert.equal(refusals.length, 1);
  });
});

describe('slugOfLink', () => {
  for (const [link, slug] of [
    ['https://market.invalid/event/a-b-c', 'a-b-c'],
    ['https://market.invalid/event/a-b-c/?x=1#y', 'a-b-c'],
    ['/event/a-b-c', 'a-b-c'],
    ['https://market.invalid', null],
    ['https://market.invalid/event/a b', null],
    ['', null],
  ] as const) {
    it(`finds ${slug} in ${JSON.stringify(link)}`, () => assert.equal(slugOfLink(link), slug));
  }
});
