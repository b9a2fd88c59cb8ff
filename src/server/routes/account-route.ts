import { API_PREFIX } from '../../contract/api-prefix.ts';
import type { AccountPath } from '../../views/account-path.ts';
import type { Route } from '../answer.ts';

/** The path of an endpoint for one account; `below` is its path below the prefix, with `{account}` in it. */
export function accountRoute(below: string, { segment }: AccountPath): Pick<Route, 'path' | 'template'> {
  const template = API_PREFIX + below;
  return { path: template.replace('{account}', segment), template };
}
