import assert from 'node:assert/strict';
import { endpointsOf } from '../../src/service/upstream.ts';
import { eventsSource } from '../../src/sources/market/events.ts';
import { createPositions } from '../../src/sources/positions/positions.ts';
import { SOURCE_SETTINGS } from '../../src/sources/settings.ts';
import { createSources } from '../../src/sources/sources.ts';
import { openWorld, type World } from '../../src/world/world.ts';
import { eventually } from '../support/eventually.ts';
import { faultOf } from '../support/fact-check.ts';
import { fakeLookups, runSource, type SourceRun } from '../support/source-run.ts';

/** The sources against the stand-in world, which was written apart from them. */
describe('createSources on the stand-in world', function () {
  this.timeout(120_000);
  let world: World;
  const runs: SourceRun[] = [];
  before(async () => {
    world = await openWorld({ seed: 11 });
  });
  after(async () => {
    for (const run of runs) run.stop();
    await world.close();
  });

  it('reads every role without a refusal or a false fact', async () => {
    const lookups = fakeLookups();
    const activate = () => {
      for (const event of lookups.records.values()) {
        const isOpen = event.startAt !== null && event.startAt <= Date.now() && Date.now() < event.endAt;
        if (event.phase === 'upcoming' && isOpen)
          lookups.records.set(event.eventId, { ...event, phase: 'active' });
      }
      return true;
    };
    const settings = {
      historyDays: 5,
      uiPeriodMs: 50,
      oraclePeriodMs: 50,
      subscriptionsPeriodMs: 50,
      // A busy machine takes its time.
      timeoutMs: 60_000,
      slowTimeoutMs: 60_000,
    };
    for (const source of createSources(endpointsOf(world.addresses), settings)) {
      // Posts of two accounts would meet in one fake log; account A is enough.
      if (!source.name.endsWith(':b')) runs.push(runSource(source, lookups));
    }
    const facts = () => runs.flatMap((run) => run.facts());
    const kinds = [
      'post',
      'history',
      'coverage',
      'listing',
      'tracking',
      'oracle',
      'event',
      'ui',
      'prices',
      'spot',
    ];
    const missing = () => kinds.filter((kind) => !facts().some((fact) => fact.kind === kind));
    await eventually('every kind of fact', () => activate() && missing().length === 0).catch(() =>
      assert.fail(`missing ${missing()}, errors ${runs.map((run) => run.error())}`),
    );
    assert.deepEqual(
      runs.flatMap((run) => run.refusals),
      [],
    );
    assert.deepEqual(runs.map((run) => run.error()).filter(Boolean), []);
    assert.deepEqual(facts().map(faultOf).filter(Boolean), []);
    const events = facts().filter((fact) => fact.kind === 'event');
    assert.ok(events.every(({ startAt, endAt }) => startAt !== null && startAt < endAt));
  });

  it('reads every event of ours when each page of the market begins with an odd one of others', async () => {
    const endpoints = endpointsOf(world.addresses);
    const historyDays = 5;
    const endedAfter = new Date(Date.now() - (historyDays - 1) * 86_400_000).toISOString();
    const listed = async (
      query: string,
    ): Promise<readonly { readonly id: string; readonly slug: string }[]> => {
      const response = await fetch(`${endpoints.market.baseUrl}/events?limit=500&${query}`);
      return response.json() as Promise<readonly { readonly id: string; readonly slug: string }[]>;
    };
    const queries = endpoints.market.tagIds.flatMap((tag) => [
      `tag_id=${tag}`,
      `tag_id=${tag}&closed=true&end_date_min=${endedAfter}`,
    ]);
    const expected = (await Promise.all(queries.map(listed))).flat().map(({ id }) => Number(id));
    assert.ok(expected.length > 50);
    world.control.fault({ role: 'market', kind: 'odd-element' });
    const source = eventsSource(endpoints, { ...SOURCE_SETTINGS, historyDays });
    const run = runSource(source, fakeLookups());
    runs.push(run);
    const missing = () => {
      const ids = new Set(run.facts().flatMap((fact) => (fact.kind === 'event' ? [fact.eventId] : [])));
      return expected.filter((id) => !ids.has(id));
    };
    await eventually('every event', () => missing().length === 0);
    world.control.clearFaults({});
    assert.deepEqual([run.refusals, run.error()], [[], undefined]);
  });

  it('reads the positions of its wallets', async () => {
    const positions = createPositions(endpointsOf(world.addresses));
    for (const wallet of Object.values(world.addresses.wallets)) await positions.of(wallet);
  });
});
