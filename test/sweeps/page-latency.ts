import * as z from 'zod';
import { openServedPage, type ServedPage } from '../dashboard/served-page.ts';
import { readMeta } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';

interface PageLatency {
  /** From the request of the page until something is drawn, each time with an empty cache. */
  readonly firstPaintMs: readonly number[];
  /** From the request of the page until it shows a count, each time with an empty cache. */
  readonly firstNumberMs: readonly number[];
  /** From the moment the service saw a post until the post is on the screen. */
  readonly postMs: readonly number[];
}

const LOADS = 5;
const POSTS = 10;
const FIRST_NUMBER = '[data-counter=real] [data-value]:not([data-value=""])';
/** Records when each post appears on the screen. */
const WATCH_POSTS = `
  window.posts = {};
  new MutationObserver(() => {
    for (const { dataset } of document.querySelectorAll('[data-post]')) posts[dataset.post] ??= Date.now();
  }).observe(document.body, { childList: true, subtree: true });
`;
const Tweets = z.object({ data: z.array(z.object({ tweet_id: z.string(), seen_ts: z.int() })) });

/** Measures the program as a user runs it, on the machine of the browser. */
export async function measurePageLatency(): Promise<PageLatency> {
  const site = await openServedPage({ historyDays: 40 });
  try {
    const isCounted = async () =>
      (await readMeta(site.url, 'account_a')).data.some(({ real_counter }) => real_counter !== null);
    await eventually('posts are counted', isCounted);
    return { ...(await measureLoads(site)), postMs: await measurePosts(site) };
  } finally {
    await site.close();
  }
}

/** What the browser itself notes of the first time that it draws text. */
const FIRST_PAINT = `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Infinity`;

async function measureLoads(site: ServedPage): Promise<Pick<PageLatency, 'firstPaintMs' | 'firstNumberMs'>> {
  const firstPaintMs: number[] = [];
  const firstNumberMs: number[] = [];
  for (let load = 0; load < LOADS; load++) {
    const { page } = await site.openPage();
    const startedAt = performance.now();
    await page.goto(site.url);
    await page.waitForSelector(FIRST_NUMBER);
    firstNumberMs.push(performance.now() - startedAt);
    firstPaintMs.push(await page.evaluate<number>(FIRST_PAINT));
    await page.context().close();
  }
  return { firstPaintMs, firstNumberMs };
}

async function measurePosts(site: ServedPage): Promise<readonly number[]> {
  const { page } = await site.openPage();
  await page.goto(site.url);
  await page.waitForSelector('[data-state=live]');
  await page.evaluate(WATCH_POSTS);
  const times: number[] = [];
  for (let number = 0; number < POSTS; number++) {
    const { id } = site.world.control.post({ account: 'a', kind: 'original', text: `post ${number}` });
    await page.waitForSelector(`[data-post="${id}"]`);
    times.push((await page.evaluate<number>(`posts['${id}']`)) - (await seenAt(site.url, id)));
  }
  await page.context().close();
  return times;
}

async function seenAt(url: string, id: string): Promise<number> {
  const headers = { 'X-API-Key': 'demo_pro' };
  const answer = await fetch(`${url}/api/v1/meta/account_a/tweets?limit=20`, { headers });
  const found = Tweets.parse(await answer.json()).data.find(({ tweet_id }) => tweet_id === id);
  if (found === undefined) throw new Error(`the service does not list post ${id}`);
  return found.seen_ts;
}

/** Longest time until a page shows something, then numbers, and until a post that was seen is on the screen. */
const FIRST_PAINT_WITHIN_MS = 1_000;
const FIRST_NUMBER_WITHIN_MS = 2_000;
const POST_WITHIN_MS = 1_000;

/** Other programs share the machine, so the shortest first load and the median post count. */
export function isFastEnough({ firstPaintMs, firstNumberMs, postMs }: PageLatency): boolean {
  const median = postMs.toSorted((a, b) => a - b)[Math.floor(postMs.length / 2)] ?? Number.POSITIVE_INFINITY;
  return (
    Math.min(...firstPaintMs) < FIRST_PAINT_WITHIN_MS &&
    Math.min(...firstNumberMs) < FIRST_NUMBER_WITHIN_MS &&
    median < POST_WITHIN_MS
  );
}
