import { HOLDING_WALLET_START, TIGHT_KEY } from '../support/recorded-service.ts';

/** What is asked over HTTP in a recorded run. */

export interface Ask {
  /** Of the part of the result it belongs to: without what is another in each round. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For people: kept apart. */
  readonly isDocument: boolean;
  /** Whether an answer with a tag is asked for again with it. */
  readonly isConditional: boolean;
}

/** When in the recorded time it is asked. UTC ms. */
export interface Moment {
  readonly round: number;
  readonly firstAt: number;
  readonly now: number;
}

export const CALLERS = {
  none: undefined,
  free: 'demo_free',
  pro: 'demo_pro',
  internal: 'demo_internal',
} as const;

const ACCOUNTS = ['account_a', 'account_b'];
const HOLDING = `${HOLDING_WALLET_START}${'0b'.repeat(19)}`;
const EMPTY = `0x${'00'.repeat(19)}a1`;

/** Values that no number of the interface takes. */
const BAD_NUMBERS = [
  '',
  'abc',
  '-1',
  '1e400',
  'nan',
  'inf',
  'null',
  'true',
  '0x10',
  '1_000_',
  '9'.repeat(400),
];
const BAD_INTEGERS = [...BAD_NUMBERS, '1.5', '1e-1'];
const BAD_BOOLEANS = ['', '2', 'maybe', 'null', 'truee', '-1'];
const ODD_BOOLEANS = ['1', '0', 'yes', 'no', 'on', 'off', 't', 'F', 'TRUE'];
const BAD_WALLETS = ['', '0x', 'abc', `${HOLDING}0`, HOLDING.slice(2), `0x${'zz'.repeat(20)}`];

const each = (name: string, values: readonly string[]) => values.map((value) => `${name}=${value}`);

const TWEETS = [
  ...['limit=1', 'limit=100', 'limit=5&offset=3', 'offset=20', 'offset=100000', 'limit=015', 'limit=15.0'],
  ...['limit=%2015', 'limit=1_0', 'limit=%2B7', 'unknown=1', 'limit=3&unknown=x'],
  ...['limit=0', 'limit=101', 'limit=5&limit=6', 'limit=0&offset=-1', 'limit', 'limit=%zz', 'limit=%00'],
  ...each('limit', BAD_INTEGERS),
  ...each('offset', BAD_INTEGERS),
];
const SIGNALS = [
  ...['bankroll=1', 'bankroll=2500.5', 'bankroll=1000000', 'bankroll=1e3', 'only_with_signals=true'],
  ...['include_unproven=true', 'bankroll=500&include_unproven=true&only_with_signals=true'],
  ...['bankroll=0', 'bankroll=0.99', 'bankroll=1000000.01', 'bankroll=5&bankroll=6'],
  ...['bankroll=0&only_with_signals=x&include_unproven=y'],
  ...each('bankroll', BAD_NUMBERS),
  ...each('only_with_signals', [...BAD_BOOLEANS, ...ODD_BOOLEANS]),
  ...each('include_unproven', [...BAD_BOOLEANS, ...ODD_BOOLEANS]),
];
const WALLETS = [
  `wallet=${HOLDING}`,
  'wallet={fresh}',
  `wallet=${HOLDING.toUpperCase().replace('X', 'x')}`,
  `wallet=${EMPTY}`,
  '',
  `wallet=${EMPTY}&wallet=${HOLDING}`,
  ...each('wallet', BAD_WALLETS),
];
const PORTFOLIO = [
  ...['1', '1000', '250.75', '1000000', ...['0', '1000001', ...BAD_NUMBERS]].map(
    (bankroll) => `wallet=${HOLDING}&bankroll=${bankroll}`,
  ),
  `wallet=${EMPTY}&bankroll=1000`,
  'bankroll=1000',
  'wallet=x&bankroll=0',
];
const REBALANCING = [
  ...PORTFOLIO,
  ...['1', '5', '37.5', '100', '0', '0.5', '100.5', ...BAD_NUMBERS].map(
    (threshold) => `wallet=${HOLDING}&bankroll=1000&threshold=${threshold}`,
  ),
  'threshold=0',
];
const HISTORY = [
  ...['horizon=24', 'horizon=48', 'horizon=72', 'days=1', 'days=365', 'horizon=48&days=7', 'horizon=24.0'],
  ...['horizon=25', 'horizon=0', 'horizon=24&horizon=48', 'days=0', 'days=366', 'horizon=1&days=0'],
  ...each('horizon', BAD_INTEGERS),
  ...each('days', BAD_INTEGERS),
];
const PAST = [
  ...['as_of={now}', 'as_of={second}', 'as_of={minute}', 'as_of={half}', 'as_of={quarter}', 'as_of={first}'],
  ...['as_of={half}.0', 'as%5Fof={half}', 'as_of=%20{half}', 'as_of={half}&unknown=1'],
  ...['as_of={before}', 'as_of={future}', 'as_of=0', 'as_of', 'as_of={half}&as_of={now}', 'as_of={iso}'],
  ...each('as_of', BAD_INTEGERS),
];
const MINUTES = [
  ...[
    '',
    'step=60',
    'step=3600',
    'step=86400',
    'from={half}',
    'to={half}',
    'from={quarter}&to={half}&step=300',
  ],
  ...['bucket=200-219', 'bucket=nothing', 'bucket=', 'step=90', 'step=30', 'step=172800', 'from={future}'],
  ...['from={half}&to={quarter}', 'from={half}&to={half}', 'from={iso}', 'from=x&to=y&step=z', 'limit=1'],
  ...each('step', BAD_INTEGERS),
];
const USAGE_DAYS = ['days=1', 'days=90', 'days=0', 'days=91', ...each('days', BAD_INTEGERS)];
const USAGE_SPANS = [
  ...[
    'start={dayAgoS}&end={nowS}',
    'start={hourAgoS}&end={nowS}',
    'start={nowS}&end={nowS}',
    'start=0&end=1',
  ],
  ...[
    'start={nowS}&end={hourAgoS}',
    'start={nowS}',
    'end={nowS}',
    '',
    'start=x&end=y',
    'start=1.5&end={nowS}',
  ],
];
const USAGE_LIMITS = [
  'limit=1',
  'limit=20',
  'limit=1000',
  'limit=0',
  'limit=1001',
  ...each('limit', BAD_INTEGERS),
];

type Caller = keyof typeof CALLERS;

interface Place {
  readonly path: string;
  /** The first is asked in brief rounds too. */
  readonly queries: readonly string[];
  /** The callers that send all of them; others send the first few, as most would be refused in the same way. */
  readonly thorough: readonly Caller[];
  /** The callers that ask at all; everyone if it is absent. */
  readonly callers?: readonly Caller[];
}

const OPEN: Pick<Place, 'thorough'> = { thorough: ['none', 'pro'] };
const PRO: Pick<Place, 'thorough'> = { thorough: ['pro'] };
const INTERNAL: Pick<Place, 'thorough'> = { thorough: ['internal'] };
const FIRST_FEW = 5;

/** Every path with what may be put behind it. */
const PATHS: readonly Place[] = [
  ...ACCOUNTS.flatMap((account) => [
    { ...OPEN, path: `/api/v1/meta/${account}`, queries: ['', ...PAST] },
    {
      ...OPEN,
      path: `/api/v1/meta/${account}/tweets`,
      queries: ['', ...TWEETS, 'as_of={half}', 'limit=3&offset=2&as_of={quarter}'],
    },
    { ...OPEN, path: `/api/v1/meta/${account}/lag`, queries: ['', 'unknown=1', 'as_of={half}', 'limit=1'] },
    { ...OPEN, path: `/api/v1/prediction/${account}`, queries: ['', ...PAST] },
    {
      ...PRO,
      path: `/api/v1/signals/${account}`,
      queries: ['', ...SIGNALS, 'as_of={half}', 'bankroll=500&as_of={quarter}'],
    },
    { ...PRO, path: `/api/v1/portfolio/${account}`, queries: [...WALLETS, ...PORTFOLIO] },
    ...['130386', '230385', '999'].map((event) => ({
      ...OPEN,
      path: `/api/v1/history/${account}/${event}`,
      queries: MINUTES,
    })),
  ]),
  {
    ...OPEN,
    path: '/api/v1/accounts',
    queries: ['', 'unknown=1', 'as_of={half}'],
    // The usage of others is served as well, and would change with each new path.
    callers: OPEN.thorough,
  },
  { ...OPEN, path: '/api/v1/meta/crypto', queries: ['', 'unknown=1', 'as_of={half}'] },
  {
    ...PRO,
    path: '/api/v1/portfolio/account_a/rebalancing',
    queries: [`wallet=${HOLDING}&bankroll=1000`, ...WALLETS, ...REBALANCING],
  },
  { ...OPEN, path: '/api/v1/performance/overview', queries: ['', 'unknown=1'] },
  { ...OPEN, path: '/api/v1/performance/history', queries: ['', ...HISTORY] },
  { ...OPEN, path: '/api/v1/performance/calibration', queries: ['', 'unknown=1'] },
  { ...OPEN, path: '/api/v1/health', queries: ['', 'unknown=1'] },
  { ...INTERNAL, path: '/api/v1/usage/summary', queries: ['', ...USAGE_DAYS] },
  { ...INTERNAL, path: '/api/v1/usage/by-endpoint', queries: USAGE_SPANS },
  { ...INTERNAL, path: '/api/v1/usage/errors', queries: ['', ...USAGE_LIMITS] },
  { ...INTERNAL, path: '/api/v1/usage/stats', queries: ['', 'unknown=1'] },
  { ...OPEN, path: '/readyz', queries: [''] },
];

/** The parts of the pages are files of other packages, or bundled, and are left out. */
const DOCUMENTS = ['/api/v1/openapi.json', '/api/v1/asyncapi.json', '/docs', '/llms.txt'];

const STRAY_PATHS = [
  ...['/nothing', '/api', '/api/v1', '/api/v1/', '/api/v2/health', '/api/v1/health/', '/API/v1/health'],
  ...['/api/v1/meta/account_c', '/api/v1/meta/account_a/', '/api/v1/meta/Account_a', '/api/v1/signals'],
  ...[
    '/api/v1/portfolio/account_b/rebalancing',
    '/api/v1/meta/crypto/tweets',
    '/api/v1//health',
    '/%2e%2e/x',
  ],
  ...['/api/v1/prediction/%61ccount_a', '/api/v1/usage', '/api/v1/meta/a'],
];
const METHODS = ['HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'];
const METHOD_PATHS = [
  ...['/api/v1/meta/account_a', '/api/v1/signals/account_a', '/api/v1/portfolio/account_a'],
  ...[
    '/api/v1/performance/history',
    '/api/v1/usage/stats',
    '/api/v1/health',
    '/api/v1/feed',
    '/nothing',
    '/readyz',
  ],
];

/** Refused by the feed before anything is streamed. */
const STREAMS = [
  ...['', 'channels=', 'channels=nothing', 'channels=counters/account_c', 'channels=counters&bankroll=0'],
  ...['channels=counters&include_unproven=x', `channels=${'x'.repeat(1_001)}`],
];

interface Post {
  readonly name: string;
  readonly body: string;
  readonly type?: string;
  readonly encoding?: string;
}

function waitlistPosts(round: number): readonly Post[] {
  const agent = { type: 'agent', case: 'Weekly markets', name: 'count-bot_1', wallet: EMPTY };
  const human = { type: 'human', case: 'Curious', email: 'someone@example.org' };
  const json = (name: string, body: unknown): Post => ({ name, body: JSON.stringify(body) });
  return [
    json('agent', agent),
    json('agent again', { ...agent, name: 'other' }),
    json('human', human),
    json('another human each round', { ...human, email: `someone${round}@example.org` }),
    json('nulls', { ...human, name: null, wallet: null }),
    json('unknown field', { ...human, more: 1 }),
    json('agent without wallet', { type: 'agent', case: 'x', name: 'x' }),
    json('agent without anything', { type: 'agent', case: 'x' }),
    json('human without email', { type: 'human', case: 'x' }),
    json('bad type', { ...human, type: 'robot' }),
    json('no type', { case: 'x' }),
    json('empty case', { ...human, case: '' }),
    json('long case', { ...human, case: 'x'.repeat(501) }),
    json('bad name', { ...agent, name: 'a/b' }),
    json('bad wallet', { ...agent, wallet: '0x12' }),
    json('bad email', { ...human, email: 'nobody' }),
    json('numbers', { type: 1, case: 2, name: 3, wallet: 4, email: 5 }),
    json('an empty object', {}),
    json('a list', []),
    json('null', null),
    json('a string', 'x'),
    json('too large', { ...human, case: 'x'.repeat(20_000) }),
    { name: 'nothing', body: '' },
    { name: 'no JSON', body: '{"type":' },
    { name: 'a stray comma', body: '{"type":"human",}' },
    { ...json('as text', human), type: 'text/plain' },
    { ...json('without a type', human), type: '' },
    { ...json('with a charset', human), type: 'application/json; charset=utf-8' },
    { ...json('encoded', human), encoding: 'gzip' },
  ];
}

/** All that is asked in a round; a brief one asks for what there is, and for nothing that is refused. */
export function asksOf(moment: Moment, isFull: boolean): readonly Ask[] {
  const few = isFull ? FIRST_FEW : 1;
  const asks = callers().flatMap(([caller, headers]) =>
    PATHS.flatMap(({ path, queries, thorough, callers: asking }) => {
      if (asking?.every((each) => each !== caller)) return [];
      const isThorough = isFull && thorough.some((each) => each === caller);
      const asked = isThorough ? queries : queries.slice(0, few);
      return asked.map((query) => get(path, query, caller, headers, moment));
    }),
  );
  if (!isFull) return asks;
  return [...asks, ...documents(moment), ...refused(moment), ...tags(moment), ...posts(moment)];
}

function callers(): readonly (readonly [string, Readonly<Record<string, string>>])[] {
  return Object.entries(CALLERS).map(([name, key]) => [name, key === undefined ? {} : { 'x-api-key': key }]);
}

function get(
  path: string,
  query: string,
  caller: string,
  headers: Readonly<Record<string, string>>,
  moment: Moment,
): Ask {
  const mark = query === '' ? '' : '?';
  return {
    name: `GET ${path}${mark}${shortened(query)} ${caller}`,
    method: 'GET',
    path: `${path}${mark}${filled(query, moment)}`,
    headers,
    body: '',
    isDocument: false,
    isConditional: true,
  };
}

function shortened(query: string): string {
  return query.replace(/(.)\1{30,}/g, (run, letter: string) => `${letter}*${run.length}`);
}

/** Puts times of the log in the place of their names. */
function filled(query: string, { round, firstAt, now }: Moment): string {
  const at = {
    now,
    second: now - 1_000,
    minute: now - 60_000,
    half: Math.trunc((firstAt + now) / 2),
    quarter: Math.trunc((3 * firstAt + now) / 4),
    first: firstAt,
    before: firstAt - 1,
    future: now + 60_000,
    nowS: Math.trunc(now / 1_000),
    hourAgoS: Math.trunc(now / 1_000) - 3_600,
    dayAgoS: Math.trunc(now / 1_000) - 86_400,
    iso: new Date(now).toISOString(),
    // A new wallet each round, so that its positions are not cached.
    fresh: `${HOLDING_WALLET_START}${round.toString(16).padStart(38, '0')}`,
  };
  const texts = new Map<string, string>(Object.entries(at).map(([name, value]) => [name, String(value)]));
  return query.replace(/\{(\w+)\}/g, (_match, name: string) => texts.get(name) ?? '');
}

function documents(moment: Moment): readonly Ask[] {
  return DOCUMENTS.map((path) => ({ ...get(path, '', 'none', {}, moment), isDocument: true }));
}

function refused(moment: Moment): readonly Ask[] {
  const pro = { 'x-api-key': CALLERS.pro };
  const keys = ['nope', '', 'demo_pro ', 'x'.repeat(200)].map((key) => [key, { 'x-api-key': key }] as const);
  const keyed = [
    '/api/v1/meta/account_a',
    '/api/v1/signals/account_a',
    '/api/v1/usage/stats',
    '/api/v1/health',
  ];
  return [
    ...STRAY_PATHS.map((path) => get(path, '', 'none', {}, moment)),
    ...METHOD_PATHS.flatMap((path) =>
      METHODS.map((method) => {
        const ask = get(path, '', 'pro', pro, moment);
        return { ...ask, method, name: ask.name.replace('GET', method), isConditional: false };
      }),
    ),
    ...keyed.flatMap((path) =>
      keys.map(([key, headers]) => get(path, '', `key ${JSON.stringify(shortened(key))}`, headers, moment)),
    ),
    ...Array.from({ length: 8 }, () =>
      get('/api/v1/signals/account_b', '', 'tight', { 'x-api-key': TIGHT_KEY }, moment),
    ),
    ...callers().flatMap(([name, headers]) => [
      get('/api/v1/feed', '', name, headers, moment),
      ...STREAMS.map((query) =>
        get('/api/v1/feed', query, `${name} stream`, { ...headers, accept: 'text/event-stream' }, moment),
      ),
    ]),
    get('/api/v1/feed', 'channels=signals', 'none stream', { accept: 'text/event-stream' }, moment),
  ];
}

/** Tags that name nothing, everything, or are no tags. */
function tags(moment: Moment): readonly Ask[] {
  const paths = ['/api/v1/meta/account_a', '/api/v1/prediction/account_a', '/api/v1/performance/history'];
  return [...paths, '/api/v1/health'].flatMap((path) =>
    ['*', '""', 'W/"x"', '"a", "b"', 'x'].map((tag) =>
      get(path, '', `pro tag ${tag}`, { 'x-api-key': CALLERS.pro, 'if-none-match': tag }, moment),
    ),
  );
}

function posts({ round }: Moment): readonly Ask[] {
  return waitlistPosts(round).map(({ name, body, type = 'application/json', encoding }) => ({
    name: `POST /api/v1/waitlist ${name}`,
    method: 'POST',
    path: '/api/v1/waitlist',
    headers: {
      ...(type === '' ? {} : { 'content-type': type }),
      ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
    },
    body,
    isDocument: false,
    isConditional: false,
  }));
}
