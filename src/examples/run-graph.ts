import { readFileSync } from 'node:fs';
import {
  createRunner,
  DAY_MS,
  emptyState,
  type Fact,
  MINUTE_MS,
  type Observation,
  type PostFact,
  USUAL_RULE,
} from 'tallywire/streams';

/**
 * Runs the pipelines over the posts of a file: `node build/src/examples/run-graph.js [posts.csv]`. The file has the
 * heading created_ts and one time a line, in UTC ms; without it a morning is made up. Counts and posts per hour of the
 * seven days up to the last post are printed as they change.
 */

const file = process.argv[2];
const times = file === undefined ? madeUp() : readTimes(file);
const firstAt = times.at(0);
const lastAt = times.at(-1);
if (firstAt === undefined || lastAt === undefined) throw new Error(`${file} has no times`);
const endAt = lastAt + MINUTE_MS;
const startAt = endAt - 7 * DAY_MS;

function readTimes(path: string): readonly number[] {
  const [heading, ...lines] = readFileSync(path, 'utf8').trim().split(/\r?\n/);
  if (heading !== 'created_ts') throw new Error(`${path} begins with ${heading}, expected created_ts`);
  return lines.map(Number).toSorted((a, b) => a - b);
}

/** Eight posts of a morning, closer and closer together. */
function madeUp(): readonly number[] {
  const nineAt = Date.UTC(2026, 0, 5, 9);
  return [0, 50, 90, 120, 140, 150, 155, 157].map((minute) => nineAt + minute * MINUTE_MS);
}

const kind = {
  isReply: false,
  isReplyToSelf: false,
  isQuote: false,
  isRepost: false,
  isFromCommunity: false,
};

/** The first facts of a log. */
const opening: readonly Fact[] = [
  {
    kind: 'settings',
    accounts: [{ id: 'a', rule: USUAL_RULE }],
    staleAfterMs: { posts: DAY_MS, oracle: DAY_MS, ui: DAY_MS, prices: DAY_MS },
  },
  { kind: 'coverage', account: 'a', fromAt: Math.min(firstAt, startAt) },
  {
    kind: 'event',
    eventId: 1,
    slug: 'mine',
    title: 'My window',
    image: '',
    subject: { type: 'posts', account: 'a' },
    startAt,
    endAt,
    isClosed: false,
    buckets: [],
  },
];

function post(createdAt: number, index: number): PostFact {
  const id = String(index + 1);
  return { kind: 'post', account: 'a', via: 'poll', id, text: '', url: '', createdAt, ...kind };
}

/** Posts in their order, with a minute of the clock wherever nothing happens: time is an observation too. */
function* facts(beginAt: number): Iterable<{ readonly at: number; readonly fact: Fact }> {
  for (const fact of opening) yield { at: beginAt, fact };
  let clockAt = beginAt;
  for (const [index, at] of times.entries()) {
    for (; clockAt < at; clockAt += MINUTE_MS) yield { at: clockAt, fact: { kind: 'tick', ages: {} } };
    yield { at, fact: post(at, index) };
  }
}

function* log(beginAt: number): Iterable<Observation> {
  let seq = 0;
  for (const { at, fact } of facts(beginAt)) yield { seq: ++seq, receivedAt: at, fact };
}

const { run } = createRunner(emptyState());
for (const observation of log(firstAt)) {
  for (const output of run(observation)) {
    const time = new Date(output.at).toISOString();
    if (output.stream === 'counters') process.stdout.write(`${time} count ${output.record.real}\n`);
    if (output.stream === 'velocity')
      process.stdout.write(`${time} in the last hour ${output.record.all1h}\n`);
  }
}
