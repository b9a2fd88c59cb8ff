import type Koa from 'koa';

/** Codes of a connection that its caller broke off. */
const BROKEN: readonly unknown[] = ['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT'];

/**
 * Reports every error of an application that is a bug. Koa also tells, with the context of the request, that the connection
 * of a caller broke before the answer was sent: that is none.
 */
export function reportBugs(app: Koa, report: (error: unknown) => void): void {
  app.on('error', (error: unknown, context?: Koa.Context) => {
    const isBroken = error instanceof Error && 'code' in error && BROKEN.includes(error.code);
    if (context === undefined || !isBroken) report(error);
  });
}
