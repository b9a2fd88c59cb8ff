import type { KeyCommandAnswer } from '../access/keys/key-commands.ts';
import { textTable } from './table.ts';

type ShownKey = KeyCommandAnswer['keys'][number];

function timeOf(at: number | null): string {
  return at === null ? '-' : new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
}

const HEADINGS = ['ID', 'TIER', 'LIMIT', 'CREATED', 'LAST USED', 'REVOKED', 'NAME'];

function cellsOf({ id, tier, limit, createdAt, lastUsedAt, revokedAt, name }: ShownKey): readonly string[] {
  const times = [createdAt, lastUsedAt, revokedAt].map(timeOf);
  return [id, tier, limit === null ? '-' : String(limit), ...times, name];
}

/** One line per key under its headings; `-` stands for nothing. */
export function keysTable(keys: readonly ShownKey[]): string {
  if (keys.length === 0) return 'There are no keys.\n';
  return textTable([HEADINGS, ...keys.map(cellsOf)]);
}

/** Describes a key in one line; the key itself follows on a line of its own. */
export function keyLines({ id, tier, name, limit, revokedAt }: ShownKey, key: string | null): string {
  const what = [
    `${tier} key ${id}`,
    ...(name === '' ? [] : [name]),
    ...(limit === null ? [] : [`${limit} an hour`]),
  ];
  const state = revokedAt === null ? '' : `, revoked ${timeOf(revokedAt)}`;
  return `${what.join(', ')}${state}\n${key === null ? '' : `${key}\n`}`;
}
