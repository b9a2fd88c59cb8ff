import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';

/** The name of a member of a cluster: the same after a restart, and another one for each data folder of each machine. */
export function memberName(role: 'engine' | 'edge', data: string): string {
  const place = createHash('sha256')
    .update(`${hostname()} ${resolve(data)}`)
    .digest('hex');
  return `${role}-${place.slice(0, 16)}`;
}
