import type { IncomingMessage } from 'node:http';
import { clientAddressOf, type Proxies } from '../access/client-address.ts';
import type { EndpointAccess } from '../access/gate.ts';
import { RequestError } from '../errors.ts';
import { carriesPayment, paymentIn } from '../payments/authorization.ts';
import type { Offer } from '../payments/offer.ts';
import type { PaymentService } from '../payments/payment-service.ts';
import {
  type Answer,
  callOf,
  type Endpoint,
  type RequestContext,
  type Route,
  type SlowEndpoint,
} from './answer.ts';

/** How single calls are paid for, and the proxies whose word on a payer's address is taken. */
export interface PaidAccess {
  readonly payments: PaymentService;
  readonly proxies: Proxies;
}

/** Whether a call is to be sold: it carries a payment, and without one its caller may get less. */
export function isForSale({ access }: EndpointAccess, { method, headers }: IncomingMessage): boolean {
  return (access === 'PRO' || access === 'tiered') && method === 'GET' && carriesPayment(headers);
}

/** The answer of tier PRO, once it is paid for. A payment neither uses up nor extends the caller's hour. */
export async function sellAnswer(
  { payments, proxies }: PaidAccess,
  endpoint: Endpoint | SlowEndpoint,
  ctx: RequestContext,
): Promise<Answer> {
  const { req, res } = ctx;
  const { path } = endpoint;
  const { reply, sent } = await payments.sell({
    payment: paymentIn(req.headers),
    path,
    resource: req.url ?? path,
    url: urlOf(req, path),
    address: clientAddressOf(req, proxies),
    // Whoever pays gets the whole answer, even when its tag is known.
    answer: async () => endpoint.answer({ ...callOf(req, null), ifNoneMatch: undefined }, 'PRO', ctx),
    isGone: () => res.closed || req.socket.destroyed,
  });
  res.once('finish', sent);
  return reply;
}

/** How to pay instead, where that would help. */
export function offerAfter(
  error: unknown,
  { access, path }: Route,
  req: IncomingMessage,
  payments: PaymentService | undefined,
): Offer | undefined {
  if (payments === undefined || access !== 'PRO' || !(error instanceof RequestError)) return undefined;
  if (error.code !== 'key_missing' && error.code !== 'tier_too_low') return undefined;
  return payments.offer(path, urlOf(req, path));
}

/** As the caller wrote it: it is shown to nobody else. */
function urlOf({ headers }: IncomingMessage, path: string): string {
  const { host = '' } = headers;
  if (!/^[\w.:[\]-]{1,255}$/.test(host)) return path;
  return `${headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'}://${host}${path}`;
}
