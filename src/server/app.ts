import { IncomingMessage, ServerResponse } from 'node:http';
import Koa, { type ParameterizedContext } from 'koa';
import type { Gate } from '../access/gate.ts';
import type { UsageRecorder } from '../access/usage/recorder.ts';
import type { Route } from './answer.ts';
import { createEndpoints, type EndpointDeps } from './endpoints.ts';
import { type RequestState, sendOutcomes } from './koa-protocol.ts';
import type { Operations } from './operations.ts';
import type { PaidAccess } from './paid-access.ts';
import { asksForPast } from './past/asks-for-past.ts';
import { createReadyAnswers, type ReadyAnswers } from './ready-answers.ts';
import { createRequestProtocol, type Outcome, unlimited } from './request-protocol.ts';
import { createRouteTable, type RouteTable, type TableRoute } from './route-table.ts';
import { operatorEndpoints } from './routes/operator.ts';
import { answerUnmatched } from './unmatched.ts';

export interface AppDeps extends EndpointDeps {
  readonly gate: Gate;
  /** Undefined when no calls are sold. */
  readonly paidAccess?: PaidAccess | undefined;
  /** Records every answered request. */
  readonly recorder?: UsageRecorder;
}

type RouteHandler = (ctx: ParameterizedContext<RequestState>) => Promise<Outcome>;

const UNRECORDED: UsageRecorder = { record: () => undefined };
const ANSWERED = Promise.resolve();

interface AppParts {
  readonly readyAnswers: ReadyAnswers;
  readonly endpoints: App['endpoints'];
  readonly routes: App['routes'];
  readonly close: () => void;
}

/**
 * The whole API as a Koa application. Its callback tries ready answers first, then the middleware; HTTP/2 requests go to
 * the middleware only. Bugs are emitted as `error` events, which the caller has to log.
 */
export class App extends Koa<RequestState> {
  /** Every endpoint, except those of the operator. */
  readonly endpoints: readonly (Route & { readonly method: 'GET' | 'POST' })[];
  readonly routes: RouteTable<RouteHandler>;
  readonly close: () => void;
  readonly #readyAnswers: ReadyAnswers;
  readonly #unfinished = new Set<ServerResponse>();
  #isDraining = false;

  constructor({ readyAnswers, endpoints, routes, close }: AppParts) {
    super();
    this.#readyAnswers = readyAnswers;
    this.endpoints = endpoints;
    this.routes = routes;
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
      if (this.#readyAnswers(req, res)) return ANSWERED;
      this.#unfinished.add(res);
      res.once('close', () => this.#unfinished.delete(res));
      return serveWithKoa(req, res);
    };
  }
}

export function createApp(deps: AppDeps): App {
  const report = (error: unknown) => void app.emit('error', error);
  const operations = withDraining(deps.operations, () => app.isDraining);
  const { ready, past, slow, close } = createEndpoints({ ...deps, operations }, report);
  const { gate, paidAccess, recorder = UNRECORDED } = deps;
  const { requestServed } = operations;
  const protocol = createRequestProtocol({ gate, paidAccess, recorder, requestServed, report });
  const pastByPath = new Map(past.map((endpoint) => [endpoint.path, endpoint]));
  const isPast = (path: string, query: string) => pastByPath.has(path) && asksForPast(query);
  const endpoints = [...ready.map((each) => ({ ...each, method: 'GET' as const })), ...slow];
  const apiRoutes = endpoints.map((endpoint): TableRoute<RouteHandler> => {
    const handler: RouteHandler = (ctx) => {
      const { path, querystring } = ctx;
      const served = (isPast(path, querystring) ? pastByPath.get(path) : undefined) ?? endpoint;
      return protocol.answerLater(served, ctx);
    };
    return { path: endpoint.path, method: endpoint.method, handler };
  });
  const operatorRoutes = operatorEndpoints(operations).map(({ path, answer }): TableRoute<RouteHandler> => {
    return { path, method: 'GET', handler: async () => unlimited(await answer()) };
  });
  const routes = createRouteTable([...apiRoutes, ...operatorRoutes]);
  const readyAnswers = createReadyAnswers(protocol, ready, isPast);
  const app = new App({ readyAnswers, endpoints, routes, close });

  const internalPaths = new Set(
    endpoints.filter(({ access }) => access === 'INTERNAL').map(({ path }) => path),
  );
  app.use(sendOutcomes(protocol, routes.paths, internalPaths));
  app.use(async (ctx) => {
    const { path, method } = ctx;
    const handler = routes.find(path, method);
    if (handler !== undefined) {
      ctx.state.outcome = await handler(ctx);
      return;
    }
    const answer = async () => answerUnmatched(routes.methodsOf(path), path, method);
    // The caller is identified, so that such requests appear in the usage of a key.
    const anything = { method: 'GET', path, access: 'open', answer } as const;
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
