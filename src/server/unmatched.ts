import { API_PREFIX } from '../contract/api-prefix.ts';
import { firstNames } from '../contract/first-names.ts';
import { RequestError } from '../errors.ts';
import { type Answer, eventPathOf } from './answer.ts';
import { API_HEADERS, PREFLIGHT_HEADERS, SECURITY_HEADERS } from './headers.ts';
import { type ServedRoute, templatesOf } from './templates.ts';

/** Answers what no route handles: a preflight request, a wrong method, an unknown account, or an unknown path. */
export function createUnmatched(
  routes: readonly ServedRoute[],
  segments: readonly string[],
): (path: string, method: string) => Answer {
  const allowed = new Map<string, string>();
  for (const { path, method } of routes) {
    const methods = method === 'GET' ? ['GET', 'HEAD', 'OPTIONS'] : [method, 'OPTIONS'];
    const others = allowed.get(path)?.split(', ') ?? [];
    allowed.set(path, [...new Set([...others, ...methods])].sort().join(', '));
  }
  const places = placesOf(routes);
  const known = new Set(segments);

  return (path, method) => {
    const eventPath = path.endsWith('/') ? path : eventPathOf(path).path;
    const allow = allowed.get(path) ?? allowed.get(eventPath);
    if (allow === undefined) {
      const { account, accounts = [] } = accountIn(path, places) ?? accountIn(eventPath, places) ?? {};
      if (account === undefined || known.has(account)) throw new RequestError(404, 'not_found', 'Not Found');
      const detail = `There is no such account, only ${firstNames(accounts)}`;
      throw new RequestError(404, 'account_unknown', detail, {}, { accounts });
    }
    if (method !== 'OPTIONS') {
      throw new RequestError(405, 'method_not_allowed', 'Method Not Allowed', { Allow: allow });
    }
    const headers = path.startsWith(`${API_PREFIX}/`)
      ? { ...API_HEADERS, Allow: allow, ...PREFLIGHT_HEADERS, 'Access-Control-Allow-Methods': allow }
      : { ...SECURITY_HEADERS, Allow: allow };
    return { status: 204, headers, body: '' };
  };
}

/** What comes before and after an account in its paths, and the accounts that have such a path. */
interface Place {
  readonly before: string;
  readonly after: string;
  readonly accounts: readonly string[];
}

function placesOf(routes: readonly ServedRoute[]): readonly Place[] {
  return templatesOf(routes).flatMap(({ template, byPath }) => {
    const [before = '', after] = template.split('{account}');
    if (after === undefined) return [];
    const accounts = Array.from(byPath.keys(), (path) =>
      path.slice(before.length, path.length - after.length),
    );
    return [{ before, after, accounts }];
  });
}

function accountIn(path: string, places: readonly Place[]) {
  for (const { before, after, accounts } of places) {
    if (!path.startsWith(before) || !path.endsWith(after)) continue;
    const account = path.slice(before.length, path.length - after.length);
    if (account !== '' && !account.includes('/')) return { account, accounts };
  }
  return undefined;
}
