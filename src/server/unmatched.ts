import { API_PREFIX } from '../contract/api-prefix.ts';
import { RequestError } from '../errors.ts';
import type { Answer } from './answer.ts';
import { API_HEADERS, PREFLIGHT_HEADERS, SECURITY_HEADERS } from './headers.ts';

/** Answers what no route handles: a preflight request, a wrong method, or an unknown path. `methods` are those of the path. */
export function answerUnmatched(methods: readonly string[], path: string, method: string): Answer {
  if (methods.length === 0) throw new RequestError(404, 'not_found', 'Not Found');
  const allow = [...methods, 'OPTIONS'].sort().join(', ');
  if (method !== 'OPTIONS') {
    throw new RequestError(405, 'method_not_allowed', 'Method Not Allowed', { Allow: allow });
  }
  const headers = path.startsWith(`${API_PREFIX}/`)
    ? { ...API_HEADERS, Allow: allow, ...PREFLIGHT_HEADERS, 'Access-Control-Allow-Methods': allow }
    : { ...SECURITY_HEADERS, Allow: allow };
  return { status: 204, headers, body: '' };
}
