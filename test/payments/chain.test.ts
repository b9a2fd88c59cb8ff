import assert from 'node:assert/strict';
import { toEventSelector, toFunctionSelector } from 'viem/utils';
import { type Chain, createChain, type SignedTransfer } from '../../src/payments/chain.ts';
import { type FacilitatorStand, openFacilitator } from '../support/payments.ts';
import { openScriptedServer, type ScriptedServer } from '../support/scripted-server.ts';

const START = Date.UTC(2026, 0, 1);
const CHAIN_ID = 84_532;
const TRANSFER: SignedTransfer = {
  asset: `0x${'aA'.repeat(20)}`,
  from: `0x${'bB'.repeat(20)}`,
  to: `0x${'cC'.repeat(20)}`,
  value: 10_000n,
  nonce: `0x${'0d'.repeat(32)}`,
  validBeforeAt: START + 60_000,
};

describe('createChain', () => {
  let clock: { now: number };
  let stand: FacilitatorStand;
  let chain: Chain;
  beforeEach(async () => {
    clock = { now: START };
    stand = await openFacilitator(() => clock.now);
    chain = createChain({ url: stand.nodeUrl, chainId: CHAIN_ID });
  });
  afterEach(() => stand.close());

  it('finds the transaction of a transfer', async () => {
    assert.deepEqual(await chain.evidenceOf(TRANSFER), { type: 'unused' });
    const transaction = stand.chain.transfer(TRANSFER);
    assert.deepEqual(await chain.evidenceOf(TRANSFER), { type: 'transferred', transaction });
    assert.deepEqual(await chain.evidenceOf({ ...TRANSFER, nonce: `0x${'0e'.repeat(32)}` }), {
      type: 'unused',
    });
  });

  it('proves that an expired transfer never happened once a final block is later', async () => {
    clock.now = TRANSFER.validBeforeAt + 60_000;
    assert.equal((await chain.evidenceOf(TRANSFER)).type, 'unused');
    clock.now += 20_000;
    assert.deepEqual(await chain.evidenceOf(TRANSFER), {
      type: 'failed',
      reason: 'authorization_expired_unused',
    });
    stand.chain.transfer(TRANSFER);
    assert.equal((await chain.evidenceOf(TRANSFER)).type, 'transferred');
  });

  it('tells a cancelled signature, and a nonce that paid for something else, once that is final', async () => {
    const others: readonly [string, () => void][] = [
      ['authorization_canceled', () => stand.chain.cancel(TRANSFER)],
      [
        'authorization_used_for_another_transfer',
        () => stand.chain.transfer({ ...TRANSFER, value: TRANSFER.value - 1n }),
      ],
      [
        'authorization_used_for_another_transfer',
        () => stand.chain.transfer({ ...TRANSFER, to: TRANSFER.from }),
      ],
    ];
    for (const [reason, use] of others) {
      await stand.close();
      stand = await openFacilitator(() => clock.now);
      chain = createChain({ url: stand.nodeUrl, chainId: CHAIN_ID });
      use();
      assert.equal((await chain.evidenceOf(TRANSFER)).type, 'unavailable');
      clock.now += 20_000;
      assert.deepEqual(await chain.evidenceOf(TRANSFER), { type: 'failed', reason });
    }
  });

  it('does not believe a node of another chain', async () => {
    clock.now += 1_000_000;
    const other = createChain({ url: stand.nodeUrl, chainId: 1 });
    assert.equal((await other.evidenceOf(TRANSFER)).type, 'unavailable');
  });

  it('knows nothing when the node fails in any way', async () => {
    clock.now += 1_000_000;
    for (const kind of ['status', 'html', 'truncated', 'wrong-types', 'reset'] as const) {
      stand.fail(kind, 'facilitator', { role: 'chain', contains: '', times: 1 });
      assert.equal((await chain.evidenceOf(TRANSFER)).type, 'unavailable', kind);
    }
    assert.equal((await chain.evidenceOf(TRANSFER)).type, 'failed');
    stand.fail('hang', 'facilitator', { role: 'chain', contains: '' });
    const hasty = createChain({ url: stand.nodeUrl, chainId: CHAIN_ID, timeoutMs: 20 });
    assert.equal((await hasty.evidenceOf(TRANSFER)).type, 'unavailable');
  });

  describe('with a node that gives some answers only', () => {
    let server: ScriptedServer;
    before(async () => {
      server = await openScriptedServer();
    });
    after(() => server.close());

    const evidence = (answers: Readonly<Record<string, unknown>>) => {
      server.answer(({ body }) => {
        const { id, method } = JSON.parse(body);
        const known = { eth_chainId: '0x14a34', ...answers };
        const error = { code: -32601, message: 'unknown method' };
        return { jsonrpc: '2.0', id, ...(method in known ? { result: Object(known)[method] } : { error }) };
      });
      return createChain({ url: server.url, chainId: CHAIN_ID }).evidenceOf(TRANSFER);
    };
    const FINAL = { number: '0x10', timestamp: `0x${(START / 1_000 + 1_000).toString(16)}` };
    const YES = `0x${'1'.padStart(64, '0')}`;
    const NO = `0x${'0'.repeat(64)}`;

    it('says that the nonce is used when it cannot learn by what', async () => {
      const used = { eth_getBlockByNumber: FINAL, eth_call: YES, eth_blockNumber: '0x20' };
      assert.equal((await evidence({ eth_getBlockByNumber: FINAL, eth_call: YES })).type, 'used');
      assert.equal((await evidence({ ...used, eth_getLogs: [] })).type, 'used');
      assert.equal((await evidence({ ...used, eth_getLogs: 'x' })).type, 'unavailable');
    });

    it('takes nothing for proof that is not whole', async () => {
      assert.equal((await evidence({ eth_getBlockByNumber: FINAL, eth_call: NO })).type, 'failed');
      for (const answers of [
        { eth_call: NO },
        { eth_getBlockByNumber: null, eth_call: NO },
        { eth_getBlockByNumber: FINAL },
        { eth_getBlockByNumber: FINAL, eth_call: '0x' },
        { eth_getBlockByNumber: FINAL, eth_call: NO, eth_chainId: '0x1' },
        { eth_getBlockByNumber: FINAL, eth_call: NO, eth_chainId: null },
      ]) {
        assert.equal((await evidence(answers)).type, 'unavailable', JSON.stringify(answers));
      }
    });

    it('asks with the selectors of the standard', async () => {
      const asked = server.requests.length;
      await evidence({ eth_getBlockByNumber: FINAL, eth_call: YES, eth_blockNumber: '0x1401' });
      const params = new Map(
        server.requests.slice(asked).map(({ body }) => {
          const { method, params } = JSON.parse(body);
          return [method, params[0]];
        }),
      );
      const { to, data } = params.get('eth_call');
      assert.equal(to, TRANSFER.asset);
      const selector = toFunctionSelector('authorizationState(address,bytes32)');
      assert.equal(data, `${selector}${'0'.repeat(24)}${'bb'.repeat(20)}${'0d'.repeat(32)}`);
      const { fromBlock, topics } = params.get('eth_getLogs');
      assert.equal(fromBlock, '0x79');
      assert.deepEqual(topics, [
        [
          toEventSelector('AuthorizationUsed(address,bytes32)'),
          toEventSelector('AuthorizationCanceled(address,bytes32)'),
        ],
        `0x${'0'.repeat(24)}${'bb'.repeat(20)}`,
        TRANSFER.nonce,
      ]);
    });
  });
});
