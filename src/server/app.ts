import { IncomingMessage, ServerResponse } from 'node:http';
import { Router } from '@koa/router';
import Koa from 'koa';
import type { Gate } from '../access/gate.ts';
import type { UsageRecorder } from '../access/usage/recorder.ts';
import { eventPathOf, queryOf, type Route } from './answer.ts';
import { createEndpoints, type EndpointDeps } from './endpoints.ts';
import type { Forward } from './forwarded.ts';
import { type RequestState, sendOutcomes } from './koa-protocol.ts';
import type { Operations } from './operations.ts';
import type { PaidAccess } from './paid-access.ts';
import { createReadyAnswers, type ReadyAnswers } from './ready-answers.ts';
import { receiveBody } from './request-body.ts';
import { createRequestProtocol, unlimited } from './request-protocol.ts';
import { probeEndpoints } from './routes/operator.ts';
import { templatesOf } from './templates.ts';
import { createUnmatched } from './unmatched.ts';

export interface AppDeps extends EndpointDeps {
  readonly gate: Gate;
  /** Undefined when no calls are sold. */
  readonly paidAccess?: PaidAccess | undefined;
  /** Records every answered request. */
  readonly recorder?: UsageRecorder;
}

const UNRECORDED: UsageRecorder = { record: () => undefined };
const ANSWERED = Promise.resolve();

interface AppParts {
  readonly readyAnswers: ReadyAnswers;
  readonly endpoints: App['endpoints'];
  readonly answerForwarded: Forward;
  readonly close: () => void;
}

/**
 * The whole API as a Koa application. Its callback tries ready answers first, then the middleware; HTTP/2 requests go to
 * the middleware only. Bugs are emitted as `error` events, which the caller has to log.
 */
export class App extends Koa<RequestState> {
  /** Every endpoint, except the probes. */
  readonly endpoints: readonly (Route & { readonly method: 'GET' | 'POST' | 'DELETE' })[];
  /** Answers what other processes forward. */
  readonly answerForwarded: Forward;
  readonly close: () => void;
  readonly #readyAnswers: ReadyAnswers;
  readonly #unfinished = new Set<ServerResponse>();
  #isDraining = false;

  constructor({ readyAnswers, endpoints, answerForwarded, close }: AppParts) {
    super();
    this.#readyAnswers = readyAnswers;
    this.endpoints = endpoints;
    this.answerForwarded = answerForwarded;
    this.close = close;
    // Keeps Koa from printing errors; the event is still emitted.
    this.silent = true;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** From now on the service is not ready, health is unavailable, and connections are closed after their answer. */
  beginDrain(): void {
    this.#isDraining = true;
    for (const res of this.#unfinished) res.shouldKeepAlive = false;
  }

  override callback(): ReturnType<Koa['callback']> {
    const serveWithKoa = super.callback();
    return (req, res) => {
      if (!(req instanceof IncomingMessage && res instanceof ServerResponse)) return serveWithKoa(req, res);
      if (this.#isDraining) res.shouldKeepAlive = false;
      const answered = this.#readyAnswers(req, res);
      if (answered === true) return ANSWERED;
      this.#unfinished.add(res);
      res.once('close', () => this.#unfinished.delete(res));
      if (answered !== false) return answered;
      // The body first: what Koa makes for a request takes more memory than most bodies, and some never end.
      return req.method === 'POST'
        ? receiveBody(req).then(() => serveWithKoa(req, res))
        : serveWithKoa(req, res);
    };
  }
}

export function createApp(deps: AppDeps): App {
  const report = (error: unknown) => void app.emit('error', error);
  const operations = withDraining(deps.operations, () => app.isDraining);
  const { ready, later, slow, events, answerForwarded, close } = createEndpoints(
    { ...deps, operations },
    report,
  );
  const { gate, paidAccess, recorder = UNRECORDED } = deps;
  const endpoints = [...ready.map((each) => ({ ...each, method: 'GET' as const })), ...slow];
  const routed = [...endpoints, ...events];
  const templates = new Map(routed.map(({ path, template = path }) => [path, template]));
  const protocol = createRequestProtocol({
    gate,
    paidAccess,
    recorder,
    // The accounts of an endpoint share its figures, which would be too many for each.
    requestServed: (route, status, ms) => operations.requestServed(templates.get(route) ?? route, status, ms),
    report,
  });
  const isLater = (path: string, query: string) => later(path, query) !== undefined;
  const readyAnswers = createReadyAnswers(protocol, ready, isLater);
  const app = new App({ readyAnswers, endpoints: routed, answerForwarded, close });

  const router = new Router<RequestState>({ sensitive: true, strict: true });
  for (const { template, method, byPath } of templatesOf(endpoints)) {
    // One route for all accounts, as the router tries its routes one by one.
    router.register(template.replace('{account}', ':account'), [method], async (ctx, next) => {
      const { path, req } = ctx;
      const endpoint = byPath.get(path);
      // There is no such account, or it does not have this.
      if (endpoint === undefined) return next();
      const served = later(path, queryOf(req.url ?? '')) ?? endpoint;
      ctx.state.outcome = await protocol.answerLater(served, ctx);
    });
  }
  for (const { template, method, byPath } of templatesOf(events)) {
    const pattern = template.replace('{account}', ':account').replace('{event}', ':event');
    router.register(pattern, [method], async (ctx, next) => {
      const { path, event } = eventPathOf(ctx.path);
      const endpoints = byPath.get(path);
      if (endpoints === undefined) return next();
      // Its events share a name, as callers may write any number of them.
      ctx.state.route = path;
      ctx.state.outcome = await protocol.answerLater(endpoints.of(event), ctx);
    });
  }
  const probes = probeEndpoints(operations);
  for (const { path, answer } of probes) {
    router.get(path, async (ctx) => {
      ctx.state.outcome = unlimited(answer());
    });
  }
  const routes = new Set([...endpoints, ...probes].map(({ path }) => path));
  const internalPaths = new Set(
    endpoints.filter(({ access }) => access === 'INTERNAL').map(({ path }) => path),
  );
  const answerUnmatched = createUnmatched(
    [...routed, ...probes.map((probe) => ({ ...probe, method: 'GET', access: 'open' as const }))],
    deps.accounts.map(({ segment }) => segment),
  );
  app.use(sendOutcomes(protocol, routes, internalPaths));
  app.use(router.routes());
  app.use(async (ctx) => {
    const answer = async () => answerUnmatched(ctx.path, ctx.method);
    // The caller is identified, so that such requests appear in the usage of a key.
    const anything = { method: 'GET', path: ctx.path, access: 'open', answer } as const;
    ctx.state.outcome = await protocol.answerLater(anything, ctx);
  });
  return app;
}

function withDraining(operations: Operations, isDraining: () => boolean): Operations {
  return {
    ...operations,
    health: () => ({ ...operations.health(), ...(isDraining() && { status: 'unavailable' as const }) }),
    isReady: () => !isDraining() && operations.isReady(),
  };
}
