import type { Route } from './answer.ts';

export interface ServedRoute extends Route {
  readonly method: string;
}

/** A path with `{account}` in the place of the segment, and the routes of the accounts that have it. */
interface Template<Served> {
  readonly template: string;
  readonly method: string;
  readonly byPath: ReadonlyMap<string, Served>;
}

/** The routes by template and method. A path that is not of an account is a template by itself. */
export function templatesOf<Served extends ServedRoute>(
  routes: readonly Served[],
): readonly Template<Served>[] {
  const templates = new Map<string, Template<Served> & { readonly byPath: Map<string, Served> }>();
  for (const route of routes) {
    const { path, template = path, method } = route;
    const name = `${method} ${template}`;
    const known = templates.get(name) ?? { template, method, byPath: new Map<string, Served>() };
    known.byPath.set(path, route);
    templates.set(name, known);
  }
  return [...templates.values()];
}
