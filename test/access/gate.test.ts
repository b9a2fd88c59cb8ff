import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { proxiesOf } from '../../src/access/client-address.ts';
import { createGate, createShares, type EndpointAccess, type Gate } from '../../src/access/gate.ts';
import { demoKeys, type Holder } from '../../src/access/keys/key-lookup.ts';
import type { Access } from '../../src/access/tiers.ts';
import { RequestError } from '../../src/errors.ts';
import { request } from './request.ts';

const NOON = Date.UTC(2026, 0, 1, 12);

function pass(
  gate: Gate,
  endpoint: EndpointAccess,
  req: IncomingMessage,
  status = 200,
): Record<string, string> {
  const caller = gate.identify(endpoint, req);
  gate.share(caller);
  void gate.admit(endpoint, caller);
  const list = gate.settle(caller, status, 0);
  return Object.fromEntries(
    Array.from({ length: list.length / 2 }, (_, at) => [list[2 * at] ?? '', list[2 * at + 1] ?? '']),
  );
}

function refusalOf(act: () => unknown): RequestError {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof RequestError);
    return error;
  }
  return assert.fail('nothing was refused');
}

describe('createGate', () => {
  const clock = { now: NOON };
  const now = () => clock.now;
  const keyed = (key: string) => request({ 'X-API-Key': key });
  let gate: Gate;
  beforeEach(() => {
    clock.now = NOON;
    gate = createGate({ keys: demoKeys(), now });
  });

  it('admits each caller where the key is enough', () => {
    const outcome = (access: Access, key: string): string => {
      try {
        const caller = gate.identify({ access }, keyed(key));
        void gate.admit({ access }, caller);
        return caller.tier;
      } catch (error) {
        assert.ok(error instanceof RequestError);
        assert.equal(error.status, 401);
        assert.ok(error.headers['WWW-Authenticate']);
        return error.code;
      }
    };
    const keys = ['', 'demo_free', 'demo_pro', 'demo_internal', 'nobody'];
    const table = (['open', 'public', 'tiered', 'PRO', 'INTERNAL'] as const).map((access) =>
      keys.map((key) => outcome(access, key)),
    );
    assert.deepEqual(table, [
      ['FREE', 'FREE', 'PRO', 'INTERNAL', 'FREE'],
      ['FREE', 'FREE', 'PRO', 'INTERNAL', 'key_invalid'],
      ['FREE', 'FREE', 'PRO', 'INTERNAL', 'key_invalid'],
      ['key_missing', 'tier_too_low', 'PRO', 'INTERNAL', 'key_invalid'],
      ['key_missing', 'tier_too_low', 'tier_too_low', 'INTERNAL', 'key_invalid'],
    ]);
  });

  it('refuses a key that is not known, also one named like a property of every object', () => {
    for (const key of ['demo_Pro', ' demo_pro', 'demo_pro, demo_pro', '__proto__', 'constructor']) {
      assert.equal(refusalOf(() => gate.identify({ access: 'tiered' }, keyed(key))).code, 'key_invalid');
    }
  });

  it('refuses a key of more than 128 characters without looking it up', () => {
    const asked: string[] = [];
    const find = (key: string): Holder => {
      asked.push(key);
      return { id: 'x', tier: 'PRO', limit: null, lastUsedAt: null };
    };
    const gateOnce = createGate({ keys: { find }, now });
    assert.equal(gateOnce.identify({ access: 'PRO' }, keyed('k'.repeat(128))).tier, 'PRO');
    assert.throws(() => gateOnce.identify({ access: 'PRO' }, keyed('k'.repeat(129))));
    assert.equal(asked.length, 1);
  });

  it('notes when a key was last used', () => {
    const keys = demoKeys();
    createGate({ keys, now }).identify({ access: 'open' }, keyed('demo_pro'));
    assert.equal(keys.find('demo_pro')?.lastUsedAt, NOON);
    assert.equal(keys.find('demo_free')?.lastUsedAt, null);
  });

  it('sends limit, remaining calls and reset in both styles of headers', () => {
    assert.deepEqual(pass(gate, { access: 'tiered' }, request()), {
      'RateLimit-Policy': '"free";q=100;w=3600',
      RateLimit: '"free";r=99;t=3600',
      'X-RateLimit-Limit': '100',
      'X-RateLimit-Remaining': '99',
      'X-RateLimit-Reset': String(NOON / 1_000 + 3_600),
    });
    clock.now += 90_500;
    assert.equal(pass(gate, { access: 'tiered' }, request()).RateLimit, '"free";r=98;t=3510');
    assert.equal(
      pass(gate, { access: 'PRO' }, keyed('demo_pro'))['RateLimit-Policy'],
      '"pro";q=10000;w=3600',
    );
  });

  it('counts calls of endpoints with tiers, and of others that ask for it', () => {
    assert.deepEqual(pass(gate, { access: 'open' }, request()), {});
    assert.deepEqual(pass(gate, { access: 'public' }, request()), {});
    assert.equal(pass(gate, { access: 'public', isCounted: true }, request())['X-RateLimit-Remaining'], '99');
    assert.deepEqual(pass(gate, { access: 'tiered', isCounted: false }, request()), {});
    assert.deepEqual(pass(gate, { access: 'INTERNAL' }, keyed('demo_internal')), {});
  });

  it('refuses the call after the last one allowed, with the same numbers in headers and body', () => {
    const endpoint: EndpointAccess = { access: 'public', isCounted: true };
    for (let call = 0; call < 100; call++) pass(gate, endpoint, request());
    clock.now += 30_000;
    const refused = refusalOf(() => pass(gate, endpoint, request()));
    assert.deepEqual([refused.status, refused.code], [429, 'rate_limited']);
    assert.match(
      refused.message,
      /requests an hour is reached; a PRO key, sent as the header X-API-Key, has \d+ an hour$/,
    );
    assert.equal(refused.headers['Retry-After'], '3570');
    assert.equal(refused.headers.RateLimit, '"free";r=0;t=3570');
    const reset = NOON / 1_000 + 3_600;
    assert.equal(refused.headers['X-RateLimit-Reset'], String(reset));
    assert.deepEqual(refused.fields, {
      limit: 100,
      remaining: 0,
      reset,
      reset_ts: reset * 1_000,
      retry_after: 3_570,
      retry_after_ms: 3_570_000,
    });
    clock.now += 3_569_999;
    assert.equal(refusalOf(() => pass(gate, endpoint, request())).headers['Retry-After'], '1');
    clock.now += 1;
    assert.equal(pass(gate, endpoint, request())['X-RateLimit-Remaining'], '99');
  });

  it('gives back what an unchanged answer or a failure of ours cost, and nothing else', () => {
    const left = (status: number) =>
      pass(gate, { access: 'tiered' }, request(), status)['X-RateLimit-Remaining'];
    assert.deepEqual([304, 500, 503].map(left), ['100', '100', '100']);
    assert.deepEqual([200, 422, 404, 400].map(left), ['99', '98', '97', '96']);
  });

  it('counts keys apart from addresses, and a limit of its own before that of the tier', () => {
    const holder = (id: string, limit: number | null): Holder => ({
      id,
      tier: 'FREE',
      limit,
      lastUsedAt: null,
    });
    const holders = new Map([
      ['one', holder('one', null)],
      ['two', holder('two', 2)],
    ]);
    const ours = createGate({ keys: { find: (key) => holders.get(key) }, now });
    const left = (req: IncomingMessage) => pass(ours, { access: 'tiered' }, req)['X-RateLimit-Remaining'];
    assert.deepEqual([left(request()), left(keyed('one')), left(keyed('two'))], ['99', '99', '1']);
    assert.deepEqual([left(request()), left(keyed('one')), left(keyed('two'))], ['98', '98', '0']);
    assert.equal(refusalOf(() => left(keyed('two'))).fields.limit, 2);
  });

  it('charges the address nothing for a key it does not know', () => {
    const endpoint: EndpointAccess = { access: 'public', isCounted: true };
    assert.equal(refusalOf(() => pass(gate, endpoint, keyed('nobody'))).code, 'key_invalid');
    assert.equal(pass(gate, endpoint, request())['X-RateLimit-Remaining'], '99');
  });

  it('lets an address try a hundred unknown keys a minute', () => {
    const attempt = (peer: string) =>
      refusalOf(() => gate.identify({ access: 'tiered' }, request({ 'X-API-Key': 'no' }, peer)));
    for (let tries = 0; tries < 100; tries++) assert.equal(attempt('192.0.2.1').code, 'key_invalid');
    clock.now += 20_000;
    const refused = attempt('192.0.2.1');
    assert.deepEqual([refused.status, refused.code], [429, 'too_many_bad_keys']);
    assert.equal(refused.headers['Retry-After'], '40');
    assert.equal(attempt('192.0.2.2').code, 'key_invalid');
    assert.equal(gate.identify({ access: 'PRO' }, keyed('demo_pro')).tier, 'PRO');
    clock.now += 40_000;
    assert.equal(attempt('192.0.2.1').code, 'key_invalid');
  });

  it('believes what a proxy forwards only when it is trusted', () => {
    const proxied = createGate({ keys: demoKeys(), now, proxies: proxiesOf(['10.0.0.0/8']) });
    const left = (peer: string, forwardedFor: string) =>
      pass(proxied, { access: 'tiered' }, request({ 'X-Forwarded-For': forwardedFor }, peer))[
        'X-RateLimit-Remaining'
      ];
    assert.equal(left('10.0.0.1', '198.51.100.1'), '99');
    assert.equal(left('10.0.0.2', '6.6.6.6, 198.51.100.1'), '98');
    assert.equal(left('198.51.100.1', '6.6.6.6'), '97');
    assert.equal(left('10.0.0.1', '6.6.6.6'), '99');
  });
});

describe('the share of the service', () => {
  const open = { access: 'open' } as const;
  const keyed = (key: string) => ({ 'x-api-key': key });
  const gateWith = (bytesPerMinute: number) => {
    const clock = { now: NOON };
    return {
      clock,
      gate: createGate({ keys: demoKeys(), now: () => clock.now, shares: createShares(bytesPerMinute) }),
    };
  };
  const serve = (gate: Gate, req: IncomingMessage, bytes: number) => {
    const caller = gate.identify(open, req);
    gate.share(caller);
    gate.settle(caller, 200, bytes);
  };

  it('is used up by the bytes of answers that no hour counts, and comes back', () => {
    const { clock, gate } = gateWith(1_000_000);
    serve(gate, request(), 1_000_000);
    const { status, code, headers, fields } = refusalOf(() => serve(gate, request(), 0));
    assert.deepEqual([status, code], [429, 'too_much_traffic']);
    const waitMs = Number(fields.retry_after_ms);
    assert.equal(headers['Retry-After'], String(Math.ceil(waitMs / 1_000)));
    clock.now += waitMs;
    serve(gate, request(), 0);
  });

  it('is that of the key, or of the address without one, and the operator has no limit', () => {
    const { gate } = gateWith(100_000);
    serve(gate, request(), 200_000);
    assert.equal(refusalOf(() => serve(gate, request(), 0)).code, 'too_much_traffic');
    serve(gate, request(keyed('demo_pro')), 200_000);
    assert.equal(refusalOf(() => serve(gate, request(keyed('demo_pro')), 0)).code, 'too_much_traffic');
    for (let n = 0; n < 10; n++) serve(gate, request(keyed('demo_internal')), 1e9);
    serve(gate, request({}, '192.0.2.9'), 0);
  });

  it('counts unknown keys too', () => {
    const { gate } = gateWith(4_096 * 10);
    const ask = () => gate.identify({ access: 'public' }, request(keyed('nobody')));
    for (let n = 0; n < 10; n++) assert.equal(refusalOf(ask).code, 'key_invalid');
    assert.equal(refusalOf(ask).code, 'too_much_traffic');
  });
});
