import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { clientAddressOf, type Proxies } from '../access/client-address.ts';
import type { Access } from '../access/gate.ts';
import { includes, type Tier } from '../access/tiers.ts';
import { RequestError } from '../errors.ts';
import { carriesPayment, paymentIn } from '../payments/authorization.ts';
import type { Offer } from '../payments/offer.ts';
import type { PaymentService } from '../payments/payment-service.ts';
import { type Answer, type Call, callOf, type Door, serve } from './answer.ts';

/** Sales, and whose word on the addresses of payers is taken. */
export interface PaidAccess {
  readonly till: PaymentService;
  readonly proxies: Proxies;
}

/** Whether a call is to be sold: it carries a payment, and its caller would get less without. */
export function isForSale({ access }: { access: Access }, { method, headers }: IncomingMessage): boolean {
  return (access === 'PRO' || access === 'tiered') && method === 'GET' && carriesPayment(headers);
}

export function needsNoPayment(tier: Tier): boolean {
  return includes(tier, 'PRO');
}

/** The answer of tier PRO, once it is paid for. A payment neither uses up nor extends the caller's hour. */
export async function servePaid(
  ctx: Context,
  { till, proxies }: PaidAccess,
  { path }: Door,
  answer: (call: Call, tier: Tier) => Answer | Promise<Answer>,
): Promise<void> {
  const { req, res } = ctx;
  const { reply, sent } = await till.sell({
    payment: paymentIn(req.headers),
    path,
    resource: req.url ?? path,
    url: urlOf(req, path),
    address: clientAddressOf(req, proxies),
    // Whoever pays gets the whole answer, also when he has it already.
    answer: async () => answer({ ...callOf(req, null), ifNoneMatch: undefined }, 'PRO'),
    isGone: () => res.closed || req.socket.destroyed,
  });
  res.once('finish', sent);
  serve(ctx, reply);
}

/** How to pay instead, where that would help. */
export function offerAfter(
  error: unknown,
  { access, path }: Door,
  req: IncomingMessage,
  till: PaymentService | undefined,
): Offer | undefined {
  if (till === undefined || access !== 'PRO' || !(error instanceof RequestError)) return undefined;
  if (error.code !== 'key_missing' && error.code !== 'tier_too_low') return undefined;
  return till.offer(path, urlOf(req, path));
}

/** As the caller wrote it: it is told to nobody else. */
function urlOf({ headers }: IncomingMessage, path: string): string {
  const { host = '' } = headers;
  if (!/^[\w.:[\]-]{1,255}$/.test(host)) return path;
  return `${headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'}://${host}${path}`;
}
