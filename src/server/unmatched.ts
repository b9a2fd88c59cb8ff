import type { Router } from '@koa/router';
import { API_PREFIX } from '../contract/api-prefix.ts';
import { RequestError } from '../errors.ts';
import type { Answer } from './answer.ts';
import { API_HEADERS, PREFLIGHT_HEADERS, SECURITY_HEADERS } from './headers.ts';

/** Answers what no route handles: a preflight request, a wrong method, or an unknown path. */
export function answerUnmatched(router: Router, path: string, method: string): Answer {
  const methods = new Set(router.match(path, method).path.flatMap((layer) => layer.methods));
  if (methods.size === 0) throw new RequestError(404, 'not_found', 'Not Found');
  const allow = [...methods, 'OPTIONS'].sort().join(', ');
  if (method !== 'OPTIONS') {
    throw new RequestError(405, 'method_not_allowed', 'Method Not Allowed', { Allow: allow });
  }
  const headers = path.startsWith(`${API_PREFIX}/`)
    ? { ...API_HEADERS, Allow: allow, ...PREFLIGHT_HEADERS, 'Access-Control-Allow-Methods': allow }
    : { ...SECURITY_HEADERS, Allow: allow };
  return { status: 204, headers, body: '' };
}
