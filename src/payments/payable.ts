import type { IncomingMessage } from 'node:http';
import type { Access } from '../access/tiers.ts';
import { RequestError } from '../errors.ts';
import { carriesPayment } from './authorization.ts';

/** Whom an endpoint is for, and whether it is about what a key keeps, so that no payment buys it. */
interface Sellable {
  readonly access: Access;
  readonly isOfKey?: boolean;
}

/** Whether a request has to be charged: it carries a payment, and without it the caller would get less. */
export function isForSale(
  { access, isOfKey = false }: Sellable,
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
): boolean {
  return !isOfKey && (access === 'PRO' || access === 'tiered') && method === 'GET' && carriesPayment(headers);
}

/** Whether a request was refused for want of a key of tier PRO, so that a payment would help. */
export function canPayInstead(error: unknown, { access, isOfKey = false }: Sellable): boolean {
  return (
    access === 'PRO' &&
    !isOfKey &&
    error instanceof RequestError &&
    (error.code === 'key_missing' || error.code === 'tier_too_low')
  );
}

/** The address of the request, as the caller wrote it. */
export function requestUrlOf(headers: IncomingMessage['headers'], path: string): string {
  const { host = '' } = headers;
  if (!/^[\w.:[\]-]{1,255}$/.test(host)) return path;
  return `${headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'}://${host}${path}`;
}
