import type { PublicAccount } from '../account.ts';
import { accountsWith, isPerAccount, isPerEvent, isSold, type Operation } from '../operation.ts';
import { COMPONENTS, type ComponentName } from './components.ts';
import { headerRefs, LIMIT_HEADERS } from './headers.ts';
import { refusalsOf } from './refusals.ts';
import { type Json, queryParameters, schemaRef } from './schemas.ts';

/** The paths with their operations; one that no account has is left out. */
export function pathItems(operations: readonly Operation[], accounts: readonly PublicAccount[]): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations) {
    const { path, method } = operation;
    if (isPerAccount(operation) && accountsWith(operation, accounts).length === 0) continue;
    paths[path] = { ...paths[path], [method]: operationObject(operation, accounts) };
  }
  return paths;
}

function operationObject(operation: Operation, accounts: readonly PublicAccount[]): Json {
  const { id, tag, access, isCounted, summary, description, body } = operation;
  const parameters = [
    ...(isPerAccount(operation) ? [pathParameter(operation, accounts)] : []),
    ...(isPerEvent(operation) ? [EVENT_PARAMETER] : []),
    ...ownParameters(operation, accounts),
    ...(isSold(operation) ? [{ $ref: '#/components/parameters/x402' }] : []),
    ...(operation.isConditional ? [{ $ref: '#/components/parameters/IfNoneMatch' }] : []),
  ];
  return {
    operationId: id,
    tags: [tag],
    summary,
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

/** The parameter of paths that every account has. */
export function accountParameter(accounts: readonly PublicAccount[]): Json {
  return {
    name: 'account',
    in: 'path',
    required: true,
    description: 'Path segment of an account. GET /api/v1/accounts lists them.',
    schema: segmentSchema(accounts),
  };
}

const EVENT_PARAMETER: Json = {
  name: 'event',
  in: 'path',
  required: true,
  description:
    'Id of an event of the account. The counters list those that are active; a 404 lists others too.',
  schema: { type: 'integer' },
  example: 130_385,
};

function segmentSchema(accounts: readonly PublicAccount[]): Json {
  return { type: 'string', enum: accounts.map(({ segment }) => segment) };
}

function pathParameter(operation: Operation, accounts: readonly PublicAccount[]): Json {
  const having = accountsWith(operation, accounts);
  if (having.length === accounts.length) return { $ref: '#/components/parameters/Account' };
  return {
    ...accountParameter(having),
    description: 'Path segment of an account. Not every account has this endpoint.',
  };
}

/** The parameters of the query. Where only some accounts have one it says which, and none is there for no account. */
function ownParameters(
  { query, parameterNeeds = {} }: Operation,
  accounts: readonly PublicAccount[],
): readonly Json[] {
  if (query === undefined) return [];
  return queryParameters(query).flatMap((parameter) => {
    if (parameter.name === 'account') {
      return [{ ...parameter, schema: segmentSchema(accounts), example: accounts[0]?.segment }];
    }
    const needs = parameterNeeds[parameter.name];
    const having = needs === undefined ? accounts : accounts.filter(({ policy }) => policy[needs]);
    if (having.length === accounts.length) return [parameter];
    const only = having.map(({ segment }) => `\`${segment}\``).join(', ');
    return having.length === 0
      ? []
      : [{ ...parameter, description: `${parameter.description} Only for ${only}; otherwise answered 422.` }];
  });
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
