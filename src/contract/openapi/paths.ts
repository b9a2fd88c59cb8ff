import { isSold, type Operation } from '../operation.ts';
import { COMPONENTS, type ComponentName } from './components.ts';
import { headerRefs, LIMIT_HEADERS } from './headers.ts';
import { refusalsOf } from './refusals.ts';
import { type Json, queryParameters, schemaRef } from './schemas.ts';

/** A tracked account and its path segment. */
export interface AccountPath {
  readonly id: string;
  readonly segment: string;
}

/** One path with one method. */
interface Route {
  readonly path: string;
  readonly operation: Operation;
  readonly account: AccountPath | undefined;
}

/** The operations with each account's path in place of `{account}`. */
export function routesOf(
  operations: readonly Operation[],
  accounts: readonly AccountPath[],
): readonly Route[] {
  const [first] = accounts;
  return operations.flatMap((operation): readonly Route[] => {
    const { path, accounts: which } = operation;
    if (!path.includes('{account}')) return [{ path, operation, account: undefined }];
    return accounts
      .filter((account) => which === undefined || (which === 'first') === (account === first))
      .map((account) => ({ path: path.replace('{account}', account.segment), operation, account }));
  });
}

export function pathItems(routes: readonly Route[]): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.operation.method]: operationObject(route) };
  }
  return paths;
}

function operationObject({ operation, account }: Route): Json {
  const { id, tag, access, isCounted, summary, description, query, body } = operation;
  const parameters = [
    ...(query === undefined ? [] : queryParameters(query)),
    ...(isSold(operation) ? [{ $ref: '#/components/parameters/x402' }] : []),
    ...(operation.isConditional ? [{ $ref: '#/components/parameters/IfNoneMatch' }] : []),
  ];
  return {
    operationId: account === undefined ? id : `${id}${account.id.toUpperCase()}`,
    tags: [tag],
    summary: account === undefined ? summary : `${summary} (${account.segment})`,
    description: `${description} ${tierSentence(operation)}`,
    'x-tier': access,
    'x-counted': isCounted,
    security: securityOf(operation),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: schemaRef(body) } } } }),
    responses: { 200: success(operation), ...unavailable(operation), ...refusalsOf(operation) },
  };
}

function tierSentence({ access, isCounted }: Operation): string {
  const who = {
    open: 'Tier: none needed.',
    public: 'Tier: none needed.',
    tiered: 'Tier: FREE, more with PRO.',
    PRO: 'Tier: PRO.',
    INTERNAL: 'Tier: INTERNAL.',
  }[access];
  return `${who} ${isCounted ? 'Counts towards the hourly limit.' : 'Not limited.'}`;
}

/** A key makes no difference to an open operation. */
function securityOf({ access }: Operation): readonly Json[] {
  if (access === 'PRO' || access === 'INTERNAL') return [{ ApiKey: [] }];
  return access === 'open' ? [] : [{}, { ApiKey: [] }];
}

function success(operation: Operation): Json {
  const { answer, summary, isCounted, isConditional } = operation;
  const headers = headerRefs([
    ...(isConditional ? (['ETag'] as const) : []),
    ...(isCounted ? LIMIT_HEADERS : []),
    ...(isSold(operation) ? (['PAYMENT-RESPONSE'] as const) : []),
    ...(operation.access === 'tiered' ? (['PAYMENT-REQUIRED'] as const) : []),
  ]);
  return {
    description: summary,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    content: isComponent(answer)
      ? { 'application/json': { schema: schemaRef(answer) } }
      : { [answer]: { schema: answer === 'application/json' ? { type: 'object' } : { type: 'string' } } },
  };
}

function unavailable({ unavailable: name }: Operation): Json {
  if (name === undefined) return {};
  return {
    503: {
      description: 'Not available now; the body has the same meaning as with 200.',
      headers: headerRefs(['Retry-After']),
      content: { 'application/json': { schema: schemaRef(name) } },
    },
  };
}

function isComponent(name: string): name is ComponentName {
  return Object.hasOwn(COMPONENTS, name);
}
