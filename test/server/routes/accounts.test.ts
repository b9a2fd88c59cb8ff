import assert from 'node:assert/strict';
import * as z from 'zod';
import { accountPath } from '../../support/accounts.ts';
import { eventOutput, FRESH_AGES, freshnessOutput, NOON } from '../../support/outputs.ts';
import { type Running, start } from '../start.ts';

const PATH = '/api/v1/accounts';
const answered = z.object({
  data: z.array(z.looseObject({ account: z.string(), active_events: z.array(z.unknown()).nullable() })),
});

describe('GET /accounts', () => {
  let running: Running;
  afterEach(() => running.stop());

  async function read() {
    const response = await running.get(PATH);
    assert.equal(response.status, 200);
    return answered.parse(await response.json()).data;
  }
  const ofC = (eventId: number, endAt: number) =>
    eventOutput({ eventId, endAt, subject: { type: 'posts', account: 'c' } });

  it('lists the accounts in the order of the configuration, with what they have and their active events', async () => {
    const accounts = [accountPath('c'), accountPath('a'), accountPath('b')];
    running = await start({ deps: { accounts }, loaded: [ofC(2, NOON + 2), ofC(1, NOON + 1)] });
    const event = ofC(1, NOON + 1).record;
    const shape = (eventId: number, endAt: number) => ({
      event_id: eventId,
      event_title: event.title,
      event_slug: event.slug,
      start_ts: event.startAt,
      end_ts: endAt,
    });
    const has = { velocity: true, sizing: true, rebalancing: true, buy_only: false, free_fields: [] };
    const none = { velocity: false, sizing: false, rebalancing: false, buy_only: true, free_fields: [] };
    assert.deepEqual(await read(), [
      {
        account: 'account_c',
        name: 'Account C',
        ...has,
        active_events: [shape(1, NOON + 1), shape(2, NOON + 2)],
      },
      { account: 'account_a', name: 'Account A', ...has, active_events: [] },
      { account: 'account_b', name: 'Account B', ...none, active_events: [] },
    ]);
  });

  it('says null for events that are not known, and another tag when they are', async () => {
    running = await start({ areEventsKnown: false });
    const before = (await running.get(PATH)).headers.get('etag') ?? '';
    const known = (await read()).map(({ active_events }) => active_events);
    assert.deepEqual(known, [null, null]);
    const ages = freshnessOutput(FRESH_AGES, { seq: 9 });
    running.put({ ...ages, record: { ...ages.record, listedAt: { posts: NOON, crypto: null } } });
    const response = await running.get(PATH, { 'If-None-Match': before });
    assert.equal(response.status, 200);
    assert.deepEqual(
      answered.parse(await response.json()).data.map(({ active_events }) => active_events),
      [[], []],
    );
  });

  it('needs no key and no quota', async () => {
    running = await start({ limits: { FREE: 1, PRO: null, INTERNAL: null } });
    for (let call = 0; call < 5; call++) assert.equal((await running.get(PATH)).status, 200);
  });

  it('serves every endpoint of a third account as those of account A', async () => {
    const accounts = ['a', 'b', 'c'].map((id) => accountPath(id));
    running = await start({ deps: { accounts }, loaded: [ofC(5, NOON + 1_000)] });
    const pro = { 'X-API-Key': 'demo_pro' };
    const wallet = `0x${'1'.repeat(40)}`;
    const paths = [
      '/meta/account_c',
      '/meta/account_c/tweets',
      '/meta/account_c/lag',
      '/prediction/account_c',
      '/signals/account_c',
      `/portfolio/account_c?wallet=${wallet}&bankroll=5`,
      `/portfolio/account_c/rebalancing?wallet=${wallet}&bankroll=5`,
    ];
    for (const path of paths) assert.equal((await running.get(`/api/v1${path}`, pro)).status, 200, path);
    assert.equal(
      (await running.get(`/api/v1/portfolio/account_b?wallet=${wallet}&bankroll=5`, pro)).status,
      422,
    );
  });
});
