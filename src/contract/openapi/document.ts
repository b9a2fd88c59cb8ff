import type { PublicAccount } from '../account.ts';
import { API_PREFIX } from '../api-prefix.ts';
import { OPERATIONS } from '../operations.ts';
import { INTERFACE_VERSION } from '../version.ts';
import { HEADERS } from './headers.ts';
import { accountParameter, pathItems } from './paths.ts';
import { refusalResponses } from './refusals.ts';
import { componentSchemas, type Json, usedSchemas } from './schemas.ts';

const DESCRIPTION = `Real-time intelligence for prediction markets that settle on how many posts an account makes inside a window.

Times are UTC ms unless a field says otherwise; windows are half-open, \`[start_ts, end_ts)\`; probabilities and prices
are 0 to 1 with 4 decimals; money is USD. \`null\` means unknown, never 0. Fields may be added; none is renamed or
removed within \`${API_PREFIX}\`.

**Accounts.** \`GET ${API_PREFIX}/accounts\` lists the accounts that are followed, with their active events; \`{account}\`
in a path is one of their segments. Any other is answered 404, with those there are.

**Tiers.** A caller without a key is FREE; a key in \`X-API-Key\` makes it PRO or INTERNAL, and each tier includes
those before it. An unknown key is answered 401 by every endpoint but health and the documents. FREE has 100 requests in any hour, PRO 10,000.

**Polling.** Send the \`ETag\` of the last answer as \`If-None-Match\`: unchanged state is a 304, which costs no quota.

Estimates of a model are no promise of profit.`;

const TAGS = [
  {
    name: 'Counters',
    description: 'Counts of the oracle, the trading page and this service, and crypto price events',
  },
  { name: 'Posts', description: 'The posts of an account, and their delays' },
  { name: 'Predictions', description: 'Forecasts of the count that settles' },
  { name: 'Trading', description: 'Signals, orders and wallets' },
  { name: 'Performance', description: 'How good the forecasts were' },
  {
    name: 'Alerts',
    description: 'Rules of a key that send alerts, and the alerts that could not be delivered',
  },
  { name: 'Usage', description: 'Usage of a key' },
  { name: 'Service', description: 'The service itself' },
];

const PARAMETERS = {
  x402: {
    name: 'x402',
    in: 'header',
    required: false,
    description:
      'Payment for this one call, which is then of tier PRO: base64 of an x402 payload of version 2 or 1. ' +
      'PAYMENT-SIGNATURE and X-PAYMENT mean the same. Ignored while payments are off, and for a caller with a key of tier PRO.',
    schema: { type: 'string' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'ETags of answers that the caller still has.',
    schema: { type: 'string' },
    example: 'W/"17044-2-e1-meta-account_a"',
  },
};

/** The REST interface as an OpenAPI 3.1 document. */
export function openApiDocument(accounts: readonly PublicAccount[]): Json {
  const paths = pathItems(OPERATIONS, accounts);
  const responses = refusalResponses();
  return {
    openapi: '3.1.0',
    info: {
      title: 'tallywire',
      version: INTERFACE_VERSION,
      summary: 'Counts, forecasts and signals of post-count markets',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This server' }],
    tags: TAGS,
    paths,
    components: {
      schemas: usedSchemas(componentSchemas(), [paths, responses]),
      responses,
      parameters: { Account: accountParameter(accounts), ...PARAMETERS },
      headers: HEADERS,
      securitySchemes: {
        ApiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'The key of a caller. In the demo: demo_free, demo_pro, demo_internal.',
        },
      },
    },
  };
}
