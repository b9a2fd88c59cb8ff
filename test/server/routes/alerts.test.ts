import assert from 'node:assert/strict';
import * as z from 'zod';
import { alertRuleRecord, madeRuleRecord } from '../../../src/contract/records/alert.ts';
import { checkedFetch } from '../../support/answer-check.ts';
import { json, type Running, start } from '../start.ts';

const PATH = '/api/v1/alerts';
const PRO = { 'X-API-Key': 'demo_pro' };
const INTERNAL = { 'X-API-Key': 'demo_internal' };
const RULE = {
  account: 'account_a',
  when: 'settlement_delta >= 2',
  target: { type: 'webhook', url: 'https://bot.example/alerts?secret=1' },
};
const listed = z.object({ timestamp: z.number(), data: z.array(alertRuleRecord.strict()) });
const faultsOf = z.object({ detail: z.array(z.object({ loc: z.array(z.union([z.string(), z.number()])) })) });

describe('/alerts', () => {
  let server: Running;
  beforeEach(async () => {
    server = await start();
  });
  afterEach(() => server.stop());

  const post = (body: unknown, headers: Record<string, string> = PRO) =>
    checkedFetch(server.url + PATH, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const remove = (id: string, headers: Record<string, string> = PRO) =>
    checkedFetch(`${server.url}${PATH}?id=${id}`, { method: 'DELETE', headers });
  const list = async (headers: Record<string, string> = PRO) =>
    listed.parse(await (await server.get(PATH, headers)).json()).data;

  it('makes a rule, shows its secret once and its address never, and removes it', async () => {
    const response = await post({ ...RULE, rearm: 0, cooldown: 5, name: 'ahead' });
    assert.equal(response.status, 200);
    const made = madeRuleRecord.strict().parse(await response.json());
    assert.match(made.secret ?? '', /^whsec_/);
    const { secret: _, ...rule } = made;
    assert.deepEqual(await list(), [rule]);
    assert.deepEqual([rule.when, rule.rearm, rule.cooldown], ['settlement_delta >= 2', 0, 5]);
    assert.deepEqual(rule.target, { type: 'webhook', host: 'bot.example' });
    const removed = await remove(rule.id);
    assert.deepEqual([removed.status, await json(removed)], [200, { id: rule.id }]);
    assert.deepEqual(await list(), []);
    const again = await remove(rule.id);
    assert.deepEqual([again.status, (await json(again)).code], [404, 'alert_unknown']);
  });

  it('keeps the rules of each key to itself', async () => {
    const { id } = await json(await post(RULE));
    assert.deepEqual(await list(INTERNAL), []);
    assert.equal((await remove(String(id), INTERNAL)).status, 404);
    assert.equal((await list()).length, 1);
  });

  it('needs a key of tier PRO', async () => {
    assert.equal((await json(await server.get(PATH))).code, 'key_missing');
    assert.equal((await json(await post(RULE, { 'X-API-Key': 'demo_free' }))).code, 'tier_too_low');
  });

  it('lists every fault of a rule with its place', async () => {
    const faults = async (body: unknown) => {
      const response = await post(body);
      assert.equal(response.status, 422, JSON.stringify(body));
      return faultsOf.parse(await response.json()).detail.map(({ loc }) => loc.join('.'));
    };
    assert.deepEqual(await faults({}), ['body.account', 'body.when', 'body.target']);
    assert.deepEqual(await faults({ ...RULE, when: 'nothing > 1' }), ['body.when']);
    assert.deepEqual(await faults({ ...RULE, rearm: 5 }), ['body.rearm']);
    assert.deepEqual(await faults({ ...RULE, rearm: '0' }), ['body.rearm']);
    assert.deepEqual(await faults({ ...RULE, bucket: '0-19' }), ['body.bucket']);
    assert.deepEqual(await faults({ ...RULE, account: 'nobody' }), ['body.account']);
    const target = (fields: object) => ({ ...RULE, target: { ...RULE.target, ...fields } });
    assert.deepEqual(await faults(target({ url: 'ftp://x' })), ['body.target.url']);
    assert.deepEqual(await faults(target({ url: 'http://127.0.0.1/' })), ['body.target.url']);
    assert.deepEqual(await faults(target({ secret: 'short' })), ['body.target.secret']);
    assert.deepEqual(await faults(target({ type: 'telegram' })), ['body.target.chat']);
    assert.deepEqual(await list(), []);
  });

  it('lists no dead alerts where there are none', async () => {
    const { data } = await json(await server.get(`${PATH}/dead?limit=5`, PRO));
    assert.deepEqual(data, []);
  });
});
