import assert from 'node:assert/strict';
import { uiSource } from '../../src/sources/ui.ts';
import { ACCOUNT, FAST, localEndpoints } from '../support/endpoints.ts';
import { activeEvent } from '../support/event-record.ts';
import { eventually } from '../support/eventually.ts';
import { wireEvent } from '../support/payloads.ts';
import { openScriptedServer, type ScriptedServer } from '../support/scripted-server.ts';
import { fakeKnown, runSource, type SourceRun } from '../support/source-run.ts';

describe('uiSource', () => {
  let server: ScriptedServer;
  let run: SourceRun | undefined;
  beforeEach(async () => {
    server = await openScriptedServer();
  });
  afterEach(async () => {
    run?.stop();
    await server.close();
  });

  function start(...eventIds: readonly number[]): SourceRun {
    const known = fakeKnown();
    for (const eventId of eventIds) known.records.set(eventId, activeEvent(eventId));
    run = runSource(uiSource(ACCOUNT, localEndpoints(server), FAST), known);
    return run;
  }

  it('tells the figure when it changes: up, down, to nothing and back', async () => {
    let tweetCount: unknown = 212;
    server.answer(() => wireEvent(1, { tweetCount }));
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
    server.answer(() => wireEvent(1));
    const { known, deliveries } = start(1);
    known.records.set(2, { ...activeEvent(2), phase: 'ended' });
    known.records.set(3, { ...activeEvent(3), subject: { type: 'posts', account: 'b' } });
    await eventually('polls pass', () => deliveries.length > 3);
    assert.deepEqual(
      new Set(server.requests.map(({ path }) => path)),
      new Set(['/events/slug/account-a-of-posts-1']),
    );
    run?.stop();
    const idle = start();
    await eventually('life is shown', () => idle.deliveries.length > 2);
    assert.deepEqual(idle.facts(), []);
  });

  it('tells nothing is shown when the page is gone', async () => {
    server.answer((_, response) => {
      response.statusCode = 404;
      return { type: 'not found error' };
    });
    const { facts } = start(1);
    await eventually('it is told', () => facts().length > 0);
    assert.deepEqual(facts()[0], { kind: 'ui', eventId: 1, count: null });
  });

  for (const [name, tweetCount] of [
    ['text', '212'],
    ['negative', -1],
    ['a fraction', 0.5],
    ['a list', [1]],
  ] as const) {
    it(`refuses a figure that is ${name}, after reading the other events`, async () => {
      server.answer(({ path }) => (path.endsWith('-1') ? wireEvent(1, { tweetCount }) : wireEvent(2)));
      const { facts, error, refusals } = start(1, 2);
      await eventually('it fails', () => error() !== undefined);
      assert.deepEqual(facts(), [{ kind: 'ui', eventId: 2, count: 212 }]);
      assert.equal(refusals.length, 1);
    });
  }

  it('refuses the figure of another event under the same slug', async () => {
    server.answer(() => wireEvent(99));
    const { facts, error } = start(1);
    await eventually('it fails', () => error() !== undefined);
    assert.deepEqual(facts(), []);
  });
});
