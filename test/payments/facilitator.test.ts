import assert from 'node:assert/strict';
import { createFacilitator, type Facilitator } from '../../src/payments/facilitator.ts';
import {
  ANSWERED,
  openScriptedServer,
  type Script,
  type ScriptedServer,
} from '../support/scripted-server.ts';

const REQUEST = { x402Version: 2, paymentPayload: { a: 1 }, paymentRequirements: { b: 2 } } as const;
const HASH = `0x${'1'.repeat(64)}`;

describe('createFacilitator', () => {
  let server: ScriptedServer;
  let facilitator: Facilitator;
  before(async () => {
    server = await openScriptedServer();
    facilitator = createFacilitator({ url: `${server.url}/x` });
  });
  after(() => server.close());

  const answered = async (script: Script) => {
    server.answer(script);
    return [(await facilitator.verify(REQUEST)).type, (await facilitator.settle(REQUEST)).type];
  };
  const says = (body: unknown, status = 200) =>
    answered((_, response) => {
      response.statusCode = status;
      return body;
    });

  it('asks what the protocol asks', async () => {
    const asked = server.requests.length;
    await says({});
    const [verify, settle] = server.requests.slice(asked);
    assert.deepEqual([verify?.path, settle?.path], ['/x/verify', '/x/settle']);
    assert.deepEqual(JSON.parse(settle?.body ?? ''), REQUEST);
  });

  it('believes a clear yes', async () => {
    assert.deepEqual(await says({ isValid: true, success: true, transaction: HASH }), ['valid', 'settled']);
  });

  it('believes a clear no, whatever status below 500 it comes with', async () => {
    const no = { isValid: false, invalidReason: 'x', success: false, errorReason: 'insufficient_funds' };
    for (const status of [200, 400, 402]) assert.deepEqual(await says(no, status), ['invalid', 'refused']);
  });

  it('takes no failure for a refusal once a transaction may be on its way', async () => {
    for (const errorReason of [
      'invalid_transaction_state',
      'invalid_exact_evm_transaction_failed',
      'transaction_failed',
      'duplicate_settlement',
      'insufficient_funds_of_whom',
    ]) {
      assert.equal((await says({ success: false, errorReason }))[1], 'open', errorReason);
    }
    const sent = { success: false, errorReason: 'insufficient_funds', transaction: HASH };
    assert.equal((await says(sent))[1], 'open');
  });

  it('waits as long as a busy facilitator asks, whatever else it says', async () => {
    const waits = async (retryAfter: string | undefined) => {
      server.answer((_, response) => {
        response.statusCode = 429;
        if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
        return { isValid: false, success: false, errorReason: 'insufficient_funds' };
      });
      const answers = [await facilitator.verify(REQUEST), await facilitator.settle(REQUEST)];
      return answers.map((answer) => (answer.type === 'busy' ? answer.waitMs : answer.type));
    };
    assert.deepEqual(await waits('7'), [7_000, 7_000]);
    assert.deepEqual(await waits(undefined), [60_000, 60_000]);
    assert.deepEqual(await waits('0'), [1_000, 1_000]);
    assert.deepEqual(await waits('86400'), [600_000, 600_000]);
  });

  it('says whether the facilitator answers at all', async () => {
    for (const [status, expected] of [
      [200, true],
      [404, true],
      [500, false],
    ] as const) {
      server.answer((_, response) => {
        response.statusCode = status;
        return {};
      });
      assert.equal(await facilitator.isAnswering(), expected);
    }
    assert.equal(server.requests.at(-1)?.path, '/x/supported');
    assert.equal(server.requests.at(-1)?.method, 'GET');
  });

  it('distinguishes a used nonce from other failures', async () => {
    for (const errorReason of ['invalid_exact_evm_nonce_already_used', 'nonce_already_used']) {
      assert.equal((await says({ success: false, errorReason }))[1], 'used');
    }
  });

  it('takes nothing else for an answer', async () => {
    const unclear = ['unavailable', 'unavailable'];
    const no = { isValid: false, success: false, errorReason: 'insufficient_funds' };
    assert.deepEqual(await says(no, 500), unclear);
    assert.deepEqual(await says({ isValid: true, success: true, transaction: HASH }, 502), unclear);
    assert.deepEqual(await says({ error: 'bad request' }, 400), unclear);
    for (const status of [401, 403, 404, 408]) assert.deepEqual(await says(no, status), unclear);
    assert.deepEqual(await says([]), unclear);
    assert.deepEqual(await says('x'.repeat(70_000)), unclear);
    const raw = (text: string) =>
      answered((_, response) => {
        response.end(text);
        return ANSWERED;
      });
    assert.deepEqual(await raw('<html>'), unclear);
    const broken = await answered((_, response) => {
      response.destroy();
      return ANSWERED;
    });
    assert.deepEqual(broken, unclear);
  });

  it('waits no longer than it may', async () => {
    const hasty = createFacilitator({ url: server.url, verifyTimeoutMs: 20, settleTimeoutMs: 20 });
    server.answer(() => ANSWERED);
    assert.deepEqual(await hasty.verify(REQUEST), { type: 'unavailable', reason: 'no answer in 20 ms' });
    assert.deepEqual(await hasty.settle(REQUEST), { type: 'unavailable', reason: 'no answer in 20 ms' });
  });

  it('follows no redirect', async () => {
    const asked = server.requests.length;
    const moved = await answered(({ path }, response) => {
      if (path === '/elsewhere') return { isValid: true, success: true, transaction: HASH };
      response.statusCode = 307;
      response.setHeader('location', '/elsewhere');
      return {};
    });
    assert.deepEqual(moved, ['unavailable', 'unavailable']);
    assert.equal(server.requests.length, asked + 2);
  });

  it('counts a settlement as open without a hash, or with an unclear reason', async () => {
    assert.equal((await says({ success: true, transaction: '' }))[1], 'open');
    assert.equal((await says({ success: true }))[1], 'open');
    for (const errorReason of ['settlement_pending', 'unexpected_settle_error', undefined]) {
      assert.equal((await says({ success: false, errorReason }))[1], 'open');
    }
    assert.equal((await says({ success: false, errorReason: 'x', transaction: HASH }))[1], 'open');
  });

  it('ends a call when it is closed', async () => {
    const closing = new AbortController();
    const patient = createFacilitator({ url: server.url, signal: closing.signal });
    server.answer(() => ANSWERED);
    const settlement = patient.settle(REQUEST);
    closing.abort();
    assert.equal((await settlement).type, 'unavailable');
  });
});
