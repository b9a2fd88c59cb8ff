import type { Context } from 'koa';
import type { Gate } from '../access/gate.ts';
import type { Tier } from '../access/tiers.ts';
import type { Offer } from '../payments/offer.ts';
import { type Answer, type Call, callOf, type Door, type FileEndpoint, serve } from './answer.ts';
import { internalError, refusal, sentenceOf } from './error-answer.ts';
import { isForSale, needsNoPayment, offerAfter, type PaidAccess, servePaid } from './paid-access.ts';

/** What is known of a request once it is answered, for those who count. */
export interface VisitState {
  keyId?: string | null;
  message?: string;
}

/** Who is in the way of a caller: the gate and, when payments are on, the paidAccess. */
export interface Entry {
  readonly gate: Gate;
  readonly paidAccess?: PaidAccess | undefined;
}

/** Lets the caller of an endpoint through the gate, and his answer back. The way of the table, for Koa. */
export async function visit(
  ctx: Context,
  { gate, paidAccess }: Entry,
  door: Door,
  answer: (call: Call, tier: Tier) => Answer | Promise<Answer>,
): Promise<void> {
  const state: VisitState = ctx.state;
  const visitor = gate.identify(door, ctx.req);
  state.keyId = visitor.keyId;
  if (paidAccess !== undefined && isForSale(door, ctx.req) && !needsNoPayment(visitor.tier)) {
    await servePaid(ctx, paidAccess, door, answer);
    return;
  }
  try {
    gate.admit(door, visitor);
  } catch (error) {
    serveError(ctx, error, offerAfter(error, door, ctx.req, paidAccess?.payments));
    return;
  }
  try {
    serve(ctx, await answer(callOf(ctx.req, visitor.keyId), visitor.tier));
  } catch (error) {
    serveError(ctx, error);
  }
  const limits = gate.settle(visitor, ctx.status);
  for (let at = 0; at < limits.length; at += 2) ctx.set(limits[at] ?? '', limits[at + 1] ?? '');
}

/** The same for a file, which nobody has to pay for. */
export async function visitFile(ctx: Context, gate: Gate, file: FileEndpoint): Promise<void> {
  const state: VisitState = ctx.state;
  const visitor = gate.identify(file, ctx.req);
  state.keyId = visitor.keyId;
  gate.admit(file, visitor);
  serve(ctx, await file.answer(callOf(ctx.req, visitor.keyId), ctx));
}

/** What is not a caller's fault is told on the app, to be logged. */
export function serveError(ctx: Context, error: unknown, offer?: Offer): void {
  const refused = refusal(error, offer);
  if (refused === undefined) ctx.app.emit('error', error, ctx);
  const state: VisitState = ctx.state;
  state.message = sentenceOf(error);
  serve(ctx, refused ?? internalError());
}
