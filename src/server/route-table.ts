/** The paths that are served, each with its methods. All are literal: an account is part of its paths. */
export interface RouteTable<Handler> {
  readonly paths: ReadonlySet<string>;
  /** Undefined when nothing answers this method there. */
  find(path: string, method: string): Handler | undefined;
  /** None for an unknown path. */
  methodsOf(path: string): readonly string[];
}

export interface TableRoute<Handler> {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly handler: Handler;
}

/** Who may GET may also ask for the HEAD alone. */
export function createRouteTable<Handler>(routes: readonly TableRoute<Handler>[]): RouteTable<Handler> {
  const byPath = new Map<string, Map<string, Handler>>();
  for (const { path, method, handler } of routes) {
    const methods = byPath.get(path) ?? new Map<string, Handler>();
    methods.set(method, handler);
    if (method === 'GET') methods.set('HEAD', handler);
    byPath.set(path, methods);
  }
  return {
    paths: new Set(byPath.keys()),
    find: (path, method) => byPath.get(path)?.get(method),
    methodsOf: (path) => [...(byPath.get(path)?.keys() ?? [])],
  };
}
