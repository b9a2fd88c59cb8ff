import { WORLD_WALLETS } from '../../src/world/world.ts';

/** The tier that somebody asks with. */
type Tier = 'FREE' | 'INTERNAL';

/** What somebody was answered who asked over HTTP. */
export interface Answer {
  readonly path: string;
  readonly tier: Tier;
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** Virtual ms. */
  readonly askedAt: number;
  readonly answeredAt: number;
}

interface AskersOptions {
  readonly url: string;
  readonly now: () => number;
  /** Between this request of who may see all and the next one. */
  readonly everyMs: () => number;
  readonly onAnswer: (answer: Answer) => void;
}

/** More often than an hour of FREE has calls, unless all else is seldom asked for too. */
const FREE_EVERY_MS = 13_000;
const TIMEOUT_MS = 5_000;
const KEYS = { FREE: 'demo_free', INTERNAL: 'demo_internal' } as const;

const ACCOUNTS = ['account_a', 'account_b'];
/** What counts toward the hourly limit. */
const FREE_PATHS = ACCOUNTS.flatMap((account) => [
  `/api/v1/meta/${account}`,
  `/api/v1/prediction/${account}`,
  `/api/v1/meta/${account}/tweets`,
]);
const wallets = Object.values(WORLD_WALLETS);
/** The newest posts between any two of the others: they are to be on disk before they are shown. */
const INTERNAL_PATHS = ACCOUNTS.flatMap((account) => [
  `/api/v1/meta/${account}`,
  `/api/v1/prediction/${account}`,
  `/api/v1/signals/${account}`,
  `/api/v1/meta/${account}/lag`,
  ...wallets.map((wallet) => `/api/v1/portfolio/${account}?wallet=${wallet}`),
  ...(account === 'account_a' ? [`/api/v1/portfolio/${account}?wallet=${wallets[0]}&bankroll=1000`] : []),
  ...(account === 'account_a'
    ? [`/api/v1/portfolio/${account}/rebalancing?wallet=${wallets[1]}&bankroll=1000`]
    : []),
]).flatMap((path, at) => [`/api/v1/meta/${ACCOUNTS[at % 2]}/tweets?limit=3`, path]);
const OTHER_PATHS = ['/api/v1/meta/crypto', '/api/v1/health', '/api/v1/accounts', '/api/v1/usage/stats'];

/** Asks for one thing; undefined where no answer comes, as for a while after a kill. */
export async function ask(
  { url, now, onAnswer }: AskersOptions,
  path: string,
  tier: Tier,
): Promise<Answer | undefined> {
  const askedAt = now();
  const read = await readAnswer(url + path, KEYS[tier]);
  if (read === undefined) return undefined;
  const answer = { path, tier, ...read, askedAt, answeredAt: now() };
  onAnswer(answer);
  return answer;
}

async function readAnswer(
  url: string,
  key: string,
): Promise<Pick<Answer, 'status' | 'headers' | 'body'> | undefined> {
  try {
    const headers = { 'X-API-Key': key };
    const answered = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
    return { status: answered.status, headers: answered.headers, body: await answered.text() };
  } catch (error) {
    // The connection was refused, broke off, or nothing came in time.
    if (error instanceof TypeError || (error instanceof Error && error.name === 'TimeoutError'))
      return undefined;
    throw error;
  }
}

/** Ask for everything in turn: one who may see all of it, and one who asks more often than they may where much happens. */
export function startAsking(options: AskersOptions): void {
  const inTurn = (paths: readonly string[], tier: Tier, leastMs: number) => {
    let asked = 0;
    const askLater = () => {
      setTimeout(
        () => {
          askLater();
          void ask(options, paths[asked++ % paths.length] ?? '', tier);
        },
        Math.max(leastMs, options.everyMs()),
      );
    };
    askLater();
  };
  inTurn([...INTERNAL_PATHS, ...OTHER_PATHS], 'INTERNAL', 0);
  inTurn(FREE_PATHS, 'FREE', FREE_EVERY_MS);
}
