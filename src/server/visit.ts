import type { Context } from 'koa';
import type { Gate } from '../access/gate.ts';
import type { Tier } from '../access/tiers.ts';
import { type Answer, type Call, callOf, type Door, serve } from './answer.ts';
import { internalError, refusal, sentenceOf } from './error-answer.ts';

/** What is known of a request once it is answered, for those who count. */
export interface VisitState {
  keyId?: string | null;
  message?: string;
}

/** Lets the caller of an endpoint through the gate, and his answer back. The way of the table, for Koa. */
export async function visit(
  ctx: Context,
  gate: Gate,
  door: Door,
  answer: (call: Call, tier: Tier) => Answer | Promise<Answer>,
): Promise<void> {
  const state: VisitState = ctx.state;
  const visitor = gate.identify(door, ctx.req);
  state.keyId = visitor.keyId;
  gate.admit(door, visitor);
  try {
    serve(ctx, await answer(callOf(ctx.req, visitor.keyId), visitor.tier));
  } catch (error) {
    serveError(ctx, error);
  }
  const limits = gate.settle(visitor, ctx.status);
  for (let at = 0; at < limits.length; at += 2) ctx.set(limits[at] ?? '', limits[at + 1] ?? '');
}

/** What is not a caller's fault is told on the app, to be logged. */
export function serveError(ctx: Context, error: unknown): void {
  const refused = refusal(error);
  if (refused === undefined) ctx.app.emit('error', error, ctx);
  const state: VisitState = ctx.state;
  state.message = sentenceOf(error);
  serve(ctx, refused ?? internalError());
}
