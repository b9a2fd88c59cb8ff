import assert from 'node:assert/strict';
import { createHttpServer, type HttpServer } from '../../../src/server/http.ts';
import { createPositions } from '../../../src/sources/sources.ts';
import { percentile } from '../../../streams/internal.ts';
import { localEndpoints } from '../../support/endpoints.ts';
import { eventOutput } from '../../support/outputs.ts';
import { ANSWERED, openScriptedServer, type ScriptedServer } from '../../support/scripted-server.ts';
import { type Running, start } from '../start.ts';
import { PATH, PRO } from './stage.ts';

const MARKET_MS = 300;
const walletsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => `0x${String(first + index).padStart(40, '0')}`);

interface Timed {
  readonly status: number;
  readonly ms: number;
}

function p99(answers: readonly Timed[]): number {
  const ascending = answers.map(({ ms }) => ms).sort((a, b) => a - b);
  return percentile(ascending, 99) ?? Number.POSITIVE_INFINITY;
}

// Times are measured on a machine that may be busy with other things, so each limit grows with the time that
// something takes which has nothing to do with wallets, and the crowd may come three times.
describe('many wallets', function () {
  this.timeout(60_000);
  let server: ScriptedServer;
  let running: Running;
  let http: HttpServer;
  let url: string;
  const open = async (timeoutMs: number) => {
    server = await openScriptedServer();
    const positions = createPositions(localEndpoints(server), () => {}, { timeoutMs });
    running = await start({ loaded: [eventOutput()], deps: { positions } });
    // All of the crowd comes from one address.
    http = createHttpServer(running.app);
    url = await http.listen(0, '127.0.0.1');
  };
  afterEach(async () => {
    await http.drain({ noticeMs: 0, deadlineMs: 0 });
    await running.stop();
    await server.close();
  });

  async function timed(address: string): Promise<Timed> {
    const startedMs = performance.now();
    const response = await fetch(address, { headers: PRO });
    await response.arrayBuffer();
    return { status: response.status, ms: performance.now() - startedMs };
  }
  const ask = (wallet: string) => timed(`${url}${PATH}?wallet=${wallet}`);

  it('are answered within a second by a market that takes 300 ms, each asked about once', async () => {
    await open(10_000);
    server.answer((_, response) => {
      setTimeout(() => response.end('[]'), MARKET_MS);
      return ANSWERED;
    });
    await Promise.all(walletsFrom(5_000, 20).map(ask));
    const ratios: number[] = [];
    for (const first of [10_000, 20_000, 30_000]) {
      const fresh = walletsFrom(first, 200);
      const bare = p99(await Promise.all(fresh.map(() => timed(`${server.url}/bare`))));
      const before = server.requests.length;
      const answers = await Promise.all([...fresh, ...fresh.slice(0, 50)].map(ask));
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
      const asked = server.requests.slice(before).map(({ query }) => query.get('user'));
      assert.deepEqual([asked.length, new Set(asked).size], [200, 200]);
      ratios.push(p99(answers) / Math.max(MARKET_MS, bare));
      if (p99(answers) < 1_000) return;
    }
    const best = Math.min(...ratios);
    assert.ok(best < 1_000 / MARKET_MS, `p99 is ${best} times that of the market itself`);
  });

  it('are refused at once while the market hangs, and nobody else notices', async () => {
    await open(200);
    server.answer(() => ANSWERED);
    const refused = [];
    const others = [];
    const [first = '', ...rest] = walletsFrom(0, 100);
    assert.equal((await ask(first)).status, 503);
    for (const wallet of rest) {
      refused.push(await ask(wallet));
      others.push(await timed(`${url}/api/v1/meta/account_a`));
    }
    assert.ok(refused.every(({ status }) => status === 503) && others.every(({ status }) => status === 200));
    const limit = Math.max(50, 3 * p99(others));
    assert.ok(p99(refused) < limit, `p99 is ${p99(refused)} ms and that of others ${p99(others)} ms`);
    assert.ok(server.requests.length < 10, `${server.requests.length} calls`);
  });

  it('are refused when the market takes no connections', async () => {
    await open(2_000);
    await server.close();
    const answers = await Promise.all(walletsFrom(0, 50).map(ask));
    assert.ok(answers.every(({ status }) => status === 503));
  });
});
