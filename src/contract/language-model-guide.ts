import type { PublicAccount } from './account.ts';
import { API_PREFIX } from './api-prefix.ts';
import { firstNames } from './first-names.ts';
import { accountsWith, isPerAccount, type Operation } from './operation.ts';
import { OPERATIONS } from './operations.ts';

/** The Markdown of `llms.txt`: how a language model can use the service. */
export function languageModelGuide(accounts: readonly PublicAccount[]): string {
  const first = accounts[0]?.segment ?? '{account}';
  const lines = OPERATIONS.filter(({ path }) => path.startsWith(API_PREFIX)).flatMap((operation) => {
    const having = isPerAccount(operation) ? accountsWith(operation, accounts) : accounts;
    if (having.length === accounts.length) return [lineOf(operation)];
    return having.length === 0 ? [] : [lineOf(operation, listOf(having))];
  });
  return `# tallywire

> Real-time intelligence for prediction markets that settle on how many posts an account makes inside a fixed window: what the settlement oracle, the trading page and this service count, forecasts of the count that settles, and trading signals. Estimates, no promise of profit.

- Base URL: the origin of this file. All JSON is under \`${API_PREFIX}\`.
- \`{account}\` is one of ${listOf(accounts)}. \`GET ${API_PREFIX}/accounts\` lists them with their active events.
- Whole interface: [OpenAPI 3.1](${API_PREFIX}/openapi.json), the feed [AsyncAPI 3.0](${API_PREFIX}/asyncapi.json); for people: [docs](/docs).
- Times are UTC ms; windows are half-open; prices and probabilities are 0 to 1; money is USD.
- \`null\` means unknown, never 0. Inputs listed in \`stale\` are late: do not trade on such a record. \`as_of.ages_ms\` says how old each input is. Counts with \`via\` \`oracle_list\` are minutes late.

## Access

- Send a key as \`X-API-Key\`. Without a key your tier is FREE. Tiers: FREE, PRO, INTERNAL; each includes those before it.
- An unknown key is 401 (\`key_invalid\`) everywhere but at health and the documents, never served as FREE.
- FREE has 100 requests in any hour, PRO 10,000; see the headers \`RateLimit\` and, with 429, \`Retry-After\`.
- Where payments are on, a 401 of a PRO endpoint, and a FREE answer of one with more for PRO, carries \`PAYMENT-REQUIRED\` (x402): sign it and send the payload in \`x402\` to buy this one call. On 409 and 503 send the same payment again instead of a new one. 402: nothing was charged.

## Endpoints

${lines.join('\n')}

## Polling

1. \`GET ${API_PREFIX}/meta/${first}\` and keep the \`ETag\` header.
2. Request it again with \`If-None-Match: <that tag>\`, at most once a second.
3. 304: nothing changed, and the call cost no quota. 200: a new state with a new tag.

## Errors

- 422: \`{"detail": [{"loc", "msg", "type"}]}\`, every fault of the request at once. Correct them all and send the request again.
- Every other error: \`{"detail": "<sentence>", "code": "<stable code>"}\`. Decide on \`code\`.
- 400 \`wallet_invalid\`; 404 \`account_unknown\`, with the \`accounts\` there are; 401 \`key_missing\`, \`key_invalid\`, \`tier_too_low\`; 429 \`rate_limited\`; 503: wait for \`Retry-After\` seconds.
`;
}

function listOf(accounts: readonly PublicAccount[]): string {
  return firstNames(accounts.map(({ segment }) => `\`${segment}\``));
}

/** `only` names the accounts that have this endpoint, when not all of them do. */
function lineOf({ method, path, query, access, summary, description }: Operation, only?: string): string {
  const names = Object.keys(query?.shape ?? {});
  const call = `${method.toUpperCase()} ${path}${names.length === 0 ? '' : `?${names.join('&')}`}`;
  const who = only === undefined ? TIERS[access] : `${TIERS[access]}; ${only}`;
  return `- \`${call}\` (${who}): ${summary}. ${description}`;
}

const TIERS: Readonly<Record<Operation['access'], string>> = {
  open: 'anyone',
  public: 'anyone',
  tiered: 'anyone, more with PRO',
  PRO: 'PRO',
  INTERNAL: 'INTERNAL',
};
