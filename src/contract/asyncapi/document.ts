import { z } from 'zod';
import { API_PREFIX } from '../api-prefix.ts';
import { CLOSE_CODES, FEED_RECORDS } from '../feed.ts';
import type { AccountPath } from '../openapi/paths.ts';
import { type Json, tidied } from '../openapi/schemas.ts';
import { asOfRecord } from '../records/envelope.ts';
import { INTERFACE_VERSION } from '../version.ts';
import { MESSAGES } from './messages.ts';

const PREFIX = '#/components/schemas/';

const WHY_CLOSED: Readonly<Record<keyof typeof CLOSE_CODES, string>> = {
  goodbye: 'the service stops; come back and resume',
  policy: 'the reader broke the rules of the protocol',
  badKey: 'the key is not known',
  tier: 'the key is of too low a tier for a channel',
  tooSlow: 'the reader is too far behind; come back and resume',
  tooMany: 'too many connections or messages',
};

function description(accounts: readonly AccountPath[]): string {
  const segments = accounts.map(({ segment }) => `\`${segment}\``).join(', ');
  const codes = Object.entries(WHY_CLOSED).map(
    ([name, why]) => `- ${CLOSE_CODES[name as keyof typeof CLOSE_CODES]}: ${why}`,
  );
  return `What the REST API tells, pushed as it changes. Accounts: ${segments}.

Subscribe, and each channel begins with a \`snapshot\`; every \`update\` after it is a whole record, never a difference.
\`seq\` is the channel's own and has no gaps; \`prev_seq\` is what this reader was sent before. Frames with a \`seq\` that
was seen are to be dropped. After a lost connection subscribe with \`resume\`, the \`epoch\` and \`seq\` seen last: within
24 h everything missed follows; later the error \`cursor_too_old\` and a snapshot do. \`tweets\` is lossless; of the other
channels a slow reader gets the newest record of each key, and \`merged\` says how many frames were left out.

\`heartbeat\` comes each second by the same way as the data, with the last \`seq\` of every channel and the age of every
source: as long as it comes, silence means that nothing happened.

Unknown fields and types of messages are to be ignored. The same path serves server-sent events to \`Accept:
text/event-stream\`, where \`Last-Event-ID\` is the cursor.

Close codes, beside those of the protocol:

${codes.join('\n')}`;
}

const SERVER = {
  host: '{host}',
  protocol: 'ws',
  description: 'This server; `wss` behind a proxy with a certificate.',
  variables: { host: { default: '127.0.0.1:8080', description: 'Where the service is reached.' } },
  security: [{ $ref: '#/components/securitySchemes/ApiKey' }],
};

const said = (name: string) => ({ $ref: `#/channels/feed/messages/${name}` });

function question(name: string, reply: string): Json {
  return {
    action: 'receive',
    channel: { $ref: '#/channels/feed' },
    messages: [said(name)],
    reply: { channel: { $ref: '#/channels/feed' }, messages: [said(reply), said('error')] },
  };
}

const TOLD_UNASKED = MESSAGES.filter(({ name }) =>
  /Snapshot$|Update$|^(heartbeat|error|goodbye)$/.test(name),
);

/** Everything said over the feed as an AsyncAPI 3.0 document. */
export function asyncApiDocument(accounts: readonly AccountPath[]): Json {
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
        description: 'One WebSocket for everything. A key may be sent as a header, or in the first message.',
        messages: Object.fromEntries(
          MESSAGES.map(({ name }) => [name, { $ref: `#/components/messages/${name}` }]),
        ),
        bindings: { ws: { method: 'GET', bindingVersion: '0.1.0' } },
      },
    },
    operations: {
      authenticate: question('auth', 'authenticated'),
      subscribe: question('subscribe', 'subscribed'),
      unsubscribe: question('unsubscribe', 'unsubscribed'),
      ping: question('ping', 'pong'),
      tell: {
        action: 'send',
        channel: { $ref: '#/channels/feed' },
        messages: TOLD_UNASKED.map(({ name }) => said(name)),
      },
    },
    components: {
      messages: Object.fromEntries(
        MESSAGES.map(({ name, summary }) => [name, { name, summary, payload: { $ref: `${PREFIX}${name}` } }]),
      ),
      schemas: schemas(),
      securitySchemes: {
        ApiKey: {
          type: 'httpApiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'The key of a caller; without one he is FREE. In the demo: demo_free, demo_pro.',
        },
      },
    },
  };
}

/** In the dialect of JSON Schema that AsyncAPI builds on. Records and messages refer to each other by name. */
function schemas(): Json {
  const registry = z.registry<{ id: string }>();
  registry.add(asOfRecord, { id: 'AsOf' });
  for (const [channel, record] of Object.entries(FEED_RECORDS))
    registry.add(record, { id: `${channel}Record` });
  for (const { name, payload } of MESSAGES) registry.add(payload, { id: name });
  const made = z.toJSONSchema(registry, { target: 'draft-7', uri: (id) => `${PREFIX}${id}` });
  return Object.fromEntries(Object.entries(made.schemas).map(([name, schema]) => [name, tidied(schema)]));
}
