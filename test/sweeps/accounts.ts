import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { type AccountId, DAY_MS, type Observation } from '../../streams/internal.ts';
import type { TestBrowser } from '../dashboard/test-browser.ts';
import { checkedFetch } from '../support/answer-check.ts';
import { accountOutputs, onlyAccounts } from '../support/only-accounts.ts';
import { readLog } from '../support/recorded-service.ts';
import { openStage, type Stage } from '../support/service.ts';
import { askEverything } from './every-answer.ts';
import { followEverything } from './every-channel.ts';
import { showEverything } from './every-section.ts';

/** A Wednesday. */
const START_AT = Date.parse('2026-11-04T15:00:00Z');
const KEY = 'demo_internal';
/** Far longer than any machine needs to read the past of all accounts and to forecast their events. */
const GIVE_UP_MS = 600_000;
const LOOK_MS = 200;
/** Each world has a port of its own. */
const WORLD_ADDRESS = /http:\/\/127\.0\.0\.1:\d+/g;
/** The accounts of the specification. */
const isSpecified = (account: AccountId) => account === 'a' || account === 'b';

export interface AccountsSweep {
  readonly accounts: number;
  readonly seed: number;
  readonly historyDays: number;
  readonly browser: TestBrowser;
  readonly report: (line: string) => void;
}

export interface AccountsFigures {
  /** Answers, beginnings of channels, and sections of the page, of which each is one of an account. */
  readonly answers: number;
  readonly channels: number;
  readonly sections: number;
  /** Outputs about the accounts of the specification that are the same bytes without the other accounts. */
  readonly outputs: number;
  /** Posts, events and windows that a world with two accounts showed in the same words. */
  readonly facts: number;
  /** Those that only one of the two runs has read. */
  readonly inOneOnly: number;
}

/**
 * Follows so many accounts, and asks, follows and shows everything there is of each; then looks whether those of the
 * specification are what they are without the others.
 */
export async function sweepAccounts(sweep: AccountsSweep): Promise<AccountsFigures> {
  const { accounts, seed, historyDays, report } = sweep;
  const many = await openStage({ startAt: START_AT, accounts, seed, historyDays });
  let figures: Omit<AccountsFigures, 'outputs' | 'facts' | 'inOneOnly'>;
  let log: readonly Observation[];
  try {
    await untilKnown(many, accounts);
    report(`${accounts} accounts are counted and forecast`);
    figures = await useEverything(many, sweep);
    await many.stop();
    log = await readLog(many.data, Number.POSITIVE_INFINITY);
  } finally {
    await many.close();
  }
  const outputs = compareOutputs(log);
  report(`${outputs} outputs of the first two are the same bytes without the others`);
  const { facts, inOneOnly } = await compareWorlds(log, sweep);
  report(
    `${facts} facts about the first two are those of a world that has no others, ${inOneOnly} were read by one only`,
  );
  return { ...figures, outputs, facts, inOneOnly };
}

async function untilKnown(stage: Stage, accounts: number): Promise<void> {
  const read = async (path: string) => {
    const response = await checkedFetch(`${stage.url()}/api/v1${path}`, {
      headers: { 'X-API-Key': KEY },
    }).catch(
      // The connection of the last look may have ended meanwhile.
      () => undefined,
    );
    return response?.status === 200 ? Object(await response.json()).data : [];
  };
  const isKnown = async (account: string) => {
    const events: readonly Record<string, unknown>[] = await read(`/prediction/${account}`);
    return events.some(({ real_counter, forecast }) => real_counter !== null && forecast !== null);
  };
  const listed: readonly { readonly account: string }[] = await read('/accounts');
  assert.equal(listed.length, accounts);
  const from = performance.now();
  for (const { account } of listed) {
    while (!(await isKnown(account))) {
      if (performance.now() - from > GIVE_UP_MS) throw new Error(`${account} is not forecast`);
      await delay(LOOK_MS);
    }
  }
}

async function useEverything(stage: Stage, { accounts, browser, report }: AccountsSweep) {
  const asked = await askEverything(stage.url(), KEY);
  const answers = sameForEach(asked.map(({ path, account }) => ({ name: withoutAccount(path), account })));
  report(
    `${answers.length} answers are as documented, of ${answers.length / accounts} kinds for each account`,
  );
  const followed = await followEverything(stage.url(), KEY);
  const channels = sameForEach(followed.map(({ channel, account }) => ({ name: channel, account })));
  report(`${channels.length} channels begin as documented`);
  const { page, faults } = await browser.openPage({ viewport: { width: 1_600, height: 1_000 } });
  const shown = await showEverything(page, stage.url(), KEY);
  assert.deepEqual(faults, []);
  const sections = sameForEach(shown.map(({ section, account }) => ({ name: section, account })));
  report(`${sections.length} sections of the page are filled`);
  return { answers: answers.length, channels: channels.length, sections: sections.length };

  /** Those of an account; the accounts have the same ones, except those that only some have. */
  function sameForEach(used: readonly { readonly name: string; readonly account: string | undefined }[]) {
    const own = used.flatMap(({ name, account }) => (account === undefined ? [] : [{ name, account }]));
    const names = new Set(own.map(({ name }) => name));
    for (const name of names) {
      const having = own.filter((each) => each.name === name);
      assert.ok(
        having.length === accounts || (/rebalancing/.test(name) && having.length === accounts - 1),
        `${name} is there for ${having.length} accounts of ${accounts}`,
      );
    }
    return own;
  }
}

function withoutAccount(path: string): string {
  return path.replace(/account_[a-z]+/, '{account}');
}

function compareOutputs(log: readonly Observation[]): number {
  const expected = accountOutputs(onlyAccounts(log, isSpecified), isSpecified);
  const found = accountOutputs(log, isSpecified);
  assert.deepEqual([...found.keys()].sort(), [...expected.keys()].sort());
  let count = 0;
  for (const [stream, lines] of expected) {
    const own = found.get(stream) ?? [];
    const place = lines.findIndex((line, index) => line !== own[index]);
    assert.equal(own[place], lines[place], `${stream}, output ${place}`);
    assert.equal(own.length, lines.length, stream);
    count += lines.length;
  }
  return count;
}

/** A run with two accounts of the same seed reads the same posts, events and windows of the past. */
async function compareWorlds(
  log: readonly Observation[],
  sweep: AccountsSweep,
): Promise<Pick<AccountsFigures, 'facts' | 'inOneOnly'>> {
  const { seed, historyDays } = sweep;
  const two = await openStage({ startAt: START_AT, accounts: 2, seed, historyDays });
  try {
    await untilKnown(two, 2);
    await two.stop();
    const fromAt = START_AT - (historyDays - 1) * DAY_MS;
    const expected = pastFacts(await readLog(two.data, Number.POSITIVE_INFINITY), fromAt);
    const found = pastFacts(onlyAccounts(log, isSpecified), fromAt);
    // A run may be over before it has read the last of them.
    const names = [...expected.keys()].filter((name) => found.has(name));
    assert.ok(names.length > 0);
    for (const name of names) assert.equal(found.get(name), expected.get(name), name);
    return { facts: names.length, inOneOnly: found.size + expected.size - 2 * names.length };
  } finally {
    await two.close();
  }
}

/**
 * What does not depend on when it was read, by name: posts from `fromAt` up to the day before the start, and how events and
 * windows were first told.
 */
function pastFacts(log: readonly Observation[], fromAt: number): ReadonlyMap<string, string> {
  const facts = new Map<string, string>();
  for (const { fact } of log) {
    const name = nameOfPast(fact, fromAt);
    if (name === undefined || facts.has(name)) continue;
    facts.set(name, JSON.stringify(fact).replaceAll(WORLD_ADDRESS, 'http://world'));
  }
  return facts;
}

function nameOfPast(fact: Observation['fact'], fromAt: number): string | undefined {
  switch (fact.kind) {
    case 'post': {
      const { via, id, createdAt } = fact;
      return via === 'backfill' && createdAt >= fromAt && createdAt < START_AT - DAY_MS
        ? `post ${id}`
        : undefined;
    }
    case 'event':
      return fact.subject.type === 'posts' ? `event ${fact.eventId}` : undefined;
    case 'tracking':
      return `window ${fact.trackingId}`;
    default:
      return undefined;
  }
}
