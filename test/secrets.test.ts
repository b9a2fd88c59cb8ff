import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mintKey } from '../src/access/keys/key-text.ts';
import { createLog } from '../src/cli/log.ts';
import { parseConfig } from '../src/config/config.ts';
import { openService } from '../src/service/service.ts';
import { createRng } from '../src/world/rng.ts';
import { withSeed } from './support/with-seed.ts';
import { exchangeRaw } from './sweeps/raw-http.ts';

const ROUNDS = 20;

/** Requests with a secret in every place one may be put. */
function requestsWith(secret: string): readonly string[] {
  const tail = 'Connection: close\r\n\r\n';
  const headers = [
    'X-API-Key',
    'x402',
    'PAYMENT-SIGNATURE',
    'X-PAYMENT',
    'Authorization',
    'Cookie',
    'User-Agent',
    'Referer',
  ];
  const body = JSON.stringify({ type: 'human', case: secret, email: `${secret}@${secret}.invalid` });
  const post = (text: string, type = 'application/json') =>
    `POST /api/v1/waitlist HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${text.length}\r\n${tail}${text}`;
  return [
    ...headers.flatMap((name) =>
      ['/api/v1/meta/account_a/tweets', '/api/v1/portfolio/account_a?wallet=0x1', '/api/v1/usage/stats'].map(
        (path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n${name}: ${secret}\r\n${tail}`,
      ),
    ),
    `GET /api/v1/${secret} HTTP/1.1\r\nHost: x\r\n${tail}`,
    `GET /api/v1/meta/account_a/tweets?limit=${secret}&${secret}=1 HTTP/1.1\r\nHost: x\r\n${tail}`,
    `GET /api/v1/portfolio/account_a?wallet=${secret} HTTP/1.1\r\nHost: x\r\nX-API-Key: demo_pro\r\n${tail}`,
    `${secret} / HTTP/1.1\r\nHost: x\r\n${tail}`,
    `GET / HTTP/1.1\r\nHost: ${secret}\r\n${secret}\r\n${tail}`,
    `GET http://${secret}@x/api/v1/health HTTP/1.1\r\nHost: ${secret}\r\n${tail}`,
    post(body),
    post(`{"${secret}":`),
    post(body, secret),
  ];
}

/** Texts that no log holds by chance, half of them of the form of a key. */
function secretsOf(seed: number): readonly string[] {
  const { next } = createRng(seed);
  const byte = () => Math.trunc(256 * next());
  const bytesOf = (length: number) => Uint8Array.from({ length }, byte);
  return Array.from({ length: ROUNDS }, (_, round) =>
    round % 2 === 0 ? `canary${Buffer.from(bytesOf(8)).toString('hex')}` : mintKey('PRO', bytesOf),
  );
}

describe('secrets of callers', () => {
  it('never reach the log, wherever a caller puts them', function () {
    this.timeout(120_000);
    return withSeed(async (seed) => {
      const folder = await mkdtemp(join(tmpdir(), 'tallywire-secrets-'));
      let text = '';
      const log = createLog('trace', {
        write(line: string) {
          text += line;
        },
      });
      const flags = {
        port: '0',
        data: join(folder, 'data'),
        historyDays: '1',
        connectionsPerAddress: '1000',
      };
      const service = await openService(parseConfig({ flags, env: {} }), log);
      const port = Number(new URL(service.url).port);
      const secrets = secretsOf(seed);
      try {
        for (const secret of secrets) {
          await Promise.all(requestsWith(secret).map((bytes) => exchangeRaw({ port, bytes })));
        }
      } finally {
        await service.stop();
        await rm(folder, { recursive: true });
      }
      assert.match(text, /"msg":"listening"/);
      // What all keys begin with is no secret.
      const parts = secrets.map((secret) => secret.replace(/^tw_pro_/, ''));
      assert.deepEqual(
        parts.filter((part) => text.toLowerCase().includes(part.toLowerCase())),
        [],
      );
    });
  });
});
