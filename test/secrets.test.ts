import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mintKey } from '../src/access/keys/key-text.ts';
import { createLog } from '../src/cli/log.ts';
import { parseConfig } from '../src/config/config.ts';
import { openService } from '../src/service/service.ts';
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

describe('secrets of callers', () => {
  it('never reach the log, wherever a caller puts them', async function () {
    this.timeout(120_000);
    const folder = await mkdtemp(join(tmpdir(), 'tallywire-secrets-'));
    let text = '';
    const log = createLog('trace', {
      write(line: string) {
        text += line;
      },
    });
    const flags = { port: '0', data: join(folder, 'data'), historyDays: '1', connectionsPerAddress: '1000' };
    const service = await openService(parseConfig({ flags, env: {} }), log);
    const port = Number(new URL(service.url).port);
    const secrets: string[] = [];
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const canary = `canary${Math.random().toString(36).slice(2)}`;
        secrets.push(canary);
        const secret = round % 2 === 0 ? canary : mintKey('PRO');
        if (secret !== canary) secrets.push(secret.slice(7));
        await Promise.all(requestsWith(secret).map((bytes) => exchangeRaw({ port, bytes })));
      }
    } finally {
      await service.stop();
      await rm(folder, { recursive: true });
    }
    assert.match(text, /"msg":"listening"/);
    assert.deepEqual(
      secrets.filter((secret) => text.toLowerCase().includes(secret.toLowerCase())),
      [],
    );
  });
});
