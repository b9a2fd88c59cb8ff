import type { Config } from '../config/config.ts';
import { API_PREFIX } from '../contract/api-prefix.ts';
import { firstNames } from '../contract/first-names.ts';
import type { Service } from '../service/service.ts';
import type { ProcessLike } from './process-like.ts';

type Running = Pick<Service, 'url' | 'banner'>;

function forTerminal({ url, banner }: Running): string {
  const api = `${url}${API_PREFIX}`;
  const [first = '', second] = banner.accounts;
  const key = banner.isDemo ? "-H 'X-API-Key: demo_pro' " : '';
  return [
    '',
    `  tallywire is running at ${url}`,
    `  world ${banner.world}, data in ${banner.data}`,
    '',
    `  dashboard ${url}/`,
    `  API       ${url}/docs`,
    `  counters  ${api}/meta/${first}`,
    ...(second === undefined ? [] : [`            ${api}/meta/${second}`]),
    ...(banner.accounts.length <= 2
      ? []
      : [`  accounts  ${api}/accounts (${banner.accounts.length} of them)`]),
    `  health    ${api}/health`,
    '',
    `  curl ${api}/meta/${first}`,
    `  curl ${key}'${api}/meta/${first}/tweets?limit=5'`,
    `  curl ${api}/health`,
    '',
    '  Ctrl+C stops it.',
    '',
  ].join('\n');
}

const MOST_NAMED = 5;

/** Prints that the service runs: JSON lines, a banner on a terminal, or two plain lines. */
export function printBanner(service: Running, { json }: Config, { stdout }: ProcessLike): void {
  const { url, banner } = service;
  if (json) {
    stdout.write(`${JSON.stringify({ type: 'listening', url })}\n`);
    stdout.write(`${JSON.stringify({ type: 'running', ...banner })}\n`);
  } else if (stdout.isTTY) {
    stdout.write(`${forTerminal(service)}\n`);
  } else {
    stdout.write(`tallywire is running at ${url}\n`);
    const accounts = firstNames(banner.accounts, MOST_NAMED);
    stdout.write(`world ${banner.world}, data in ${banner.data}, accounts ${accounts}\n`);
  }
}
