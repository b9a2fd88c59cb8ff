import * as z from 'zod';
import type { PublicAccount } from '../account.ts';
import { API_PREFIX } from '../api-prefix.ts';
import { CLOSE_CODES } from '../feed/names.ts';
import { FEED_RECORDS } from '../feed/server-frames.ts';
import { firstNames } from '../first-names.ts';
import { type Json, tidied } from '../openapi/schemas.ts';
import { asOfRecord } from '../records/envelope.ts';
import { INTERFACE_VERSION } from '../version.ts';
import { MESSAGES } from './messages.ts';

const PREFIX = '#/components/schemas/';

const WHY_CLOSED: Readonly<Record<keyof typeof CLOSE_CODES, string>> = {
  goodbye: 'the service is stopping; reconnect and resume',
  policy: 'the reader violated the protocol',
  internal: 'a bug in the service; reconnect and resume',
  badKey: 'the key is unknown',
  tier: 'the tier of the key is too low for a channel',
  tooSlow: 'the reader is too far behind; reconnect and resume',
  tooMany: 'too many connections or messages',
};

function description(accounts: readonly PublicAccount[]): string {
  const segments = accounts.map(({ segment }) => `\`${segment}\``);
  const codes = Object.entries(WHY_CLOSED).map(
    ([name, why]) => `- ${CLOSE_CODES[name as keyof typeof CLOSE_CODES]}: ${why}`,
  );
  return `The records of the REST API, pushed as they change. Accounts: ${firstNames(segments)}.

After a subscription each channel starts with a \`snapshot\`; every \`update\` after it is a whole record, never a
difference. \`seq\` numbers the frames of a channel without gaps; \`prev_seq\` is the frame that this reader was sent
before. Drop frames with a \`seq\` that you have seen. After a lost connection subscribe with \`resume\`, the last
\`epoch\` and \`seq\` that you have seen: within 24 h all missed frames follow; later the error \`cursor_too_old\` and a
snapshot do. \`tweets\` is lossless; on the other channels a slow reader gets the newest record of each key, and
\`merged\` says how many frames were omitted.

\`heartbeat\` comes each second by the same path as the data, with the last \`seq\` of every channel and the age of every
source: while it comes, silence means that nothing happened.

Ignore unknown fields and unknown types of messages. The same path serves server-sent events to \`Accept:
text/event-stream\`, where \`Last-Event-ID\` is the cursor.

Close codes, besides those of the WebSocket protocol:

${codes.join('\n')}`;
}

const SERVER = {
  host: '{host}',
  protocol: 'ws',
  description: 'This server; `wss` behind a proxy with a certificate.',
  variables: { host: { default: '127.0.0.1:8080', description: 'Host and port of the service.' } },
  security: [{ $ref: '#/components/securitySchemes/ApiKey' }],
};

const messageRef = (name: string) => ({ $ref: `#/channels/feed/messages/${name}` });

function requestReply(name: string, reply: string): Json {
  return {
    action: 'receive',
    channel: { $ref: '#/channels/feed' },
    messages: [messageRef(name)],
    reply: { channel: { $ref: '#/channels/feed' }, messages: [messageRef(reply), messageRef('error')] },
  };
}

const UNREQUESTED = MESSAGES.filter(({ name }) => /Snapshot$|Update$|^(heartbeat|error|goodbye)$/.test(name));

/** The feed as an AsyncAPI 3.0 document. */
export function asyncApiDocument(accounts: readonly PublicAccount[]): Json {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'tallywire feed',
      version: INTERFACE_VERSION,
      description: description(accounts),
      license: { name: 'MIT' },
    },
    defaultContentType: 'application/json',
    servers: { feed: SERVER },
    channels: {
      feed: {
        address: `${API_PREFIX}/feed`,
        description:
          'One WebSocket for all channels. A key may be sent as a header, or in the first message.',
        messages: Object.fromEntries(
          MESSAGES.map(({ name }) => [name, { $ref: `#/components/messages/${name}` }]),
        ),
        bindings: { ws: { method: 'GET', bindingVersion: '0.1.0' } },
      },
    },
    operations: {
      authenticate: requestReply('auth', 'authenticated'),
      subscribe: requestReply('subscribe', 'subscribed'),
      unsubscribe: requestReply('unsubscribe', 'unsubscribed'),
      ping: requestReply('ping', 'pong'),
      tell: {
        action: 'send',
        channel: { $ref: '#/channels/feed' },
        messages: UNREQUESTED.map(({ name }) => messageRef(name)),
      },
    },
    components: {
      messages: Object.fromEntries(
        MESSAGES.map(({ name, summary }) => [name, { name, summary, payload: { $ref: `${PREFIX}${name}` } }]),
      ),
      schemas: schemas(accounts),
      securitySchemes: {
        ApiKey: {
          type: 'httpApiKey',
          in: 'header',
          name: 'X-API-Key',
          description:
            'The key of a caller; without a key the tier is FREE. In the demo: demo_free, demo_pro.',
        },
      },
    },
  };
}

let tidySchemas: Json | undefined;

/** In draft 7 of JSON Schema, which AsyncAPI uses. Records and messages refer to each other by name. */
function schemas(accounts: readonly PublicAccount[]): Json {
  tidySchemas ??= makeSchemas();
  const segments = accounts.map(({ segment }) => segment);
  return Object.fromEntries(
    Object.entries(tidySchemas).map(([name, schema]) => [
      name,
      REQUESTS.has(name) ? listingAccounts(schema, segments) : schema,
    ]),
  );
}

/** The same without accounts; made once, as it takes a while. */
function makeSchemas(): Json {
  const registry = z.registry<{ id: string }>();
  registry.add(asOfRecord, { id: 'AsOf' });
  for (const [channel, record] of Object.entries(FEED_RECORDS))
    registry.add(record, { id: `${channel}Record` });
  for (const { name, payload } of MESSAGES) registry.add(payload, { id: name });
  const made = z.toJSONSchema(registry, { target: 'draft-7', uri: (id) => `${PREFIX}${id}` });
  return Object.fromEntries(Object.entries(made.schemas).map(([name, schema]) => [name, tidied(schema)]));
}

/** The messages in which a caller names accounts. */
const REQUESTS = new Set(['subscribe', 'unsubscribe']);

/** The schema with the accounts there are as the values of each field `account`, so that programs can go through them. */
function listingAccounts(node: unknown, segments: readonly string[]): unknown {
  if (Array.isArray(node)) return node.map((each) => listingAccounts(each, segments));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      key === 'account' ? { ...Object(value), enum: segments } : listingAccounts(value, segments),
    ]),
  );
}
