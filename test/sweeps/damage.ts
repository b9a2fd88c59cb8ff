import {
  closeSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import type { KeptPayment, Store } from '../../src/store/store.ts';
import { filePath, PAGE, swapPages, usedPages } from '../support/database-pages.ts';
import { createLives, type Ended, type Life, type LifeEnd, logOf } from './damage-life.ts';

export interface DamageSweep {
  readonly flips: number;
  readonly pages: number;
  /** How long the service lives with all that it has read, twice, before the folder is damaged. */
  readonly lifeMs: number;
  /** Times of that life which are asked about, as shares of it. */
  readonly moments: readonly number[];
  /** Numbers in [0, 1). */
  readonly random: () => number;
  readonly report: (line: string) => void;
}

export interface DamageTotals {
  readonly cases: number;
  /** The damage changed nothing that anybody noticed. */
  readonly unnoticed: number;
  readonly repaired: number;
  readonly refused: number;
  /** Starts that failed before the service was up or refused, of any one case at most. */
  readonly mostFailedStarts: number;
  readonly loops: number;
  readonly wrongNumbers: number;
  readonly silentLosses: number;
}

/** The embedded world has events now. */
const START_AT = Date.now();
/** Failed starts in a row that are allowed, and how many starts a supervisor gets in all. */
const MOST_FAILED = 2;
const MOST_STARTS = 5;

/** `apply` returns the pages that it damaged. */
interface Damage {
  readonly name: string;
  apply(file: number, size: number, path: string): readonly number[];
}

/** The truth about the folder before it is damaged. */
interface Truth {
  readonly folder: string;
  readonly life: Life;
  readonly ended: Ended;
  /** What each page in use holds. */
  readonly uses: ReadonlyMap<number, string>;
}

/** Damages copies of a folder of the real service, starts the service on each as a supervisor would, and judges. */
export async function sweepDamage(sweep: DamageSweep): Promise<DamageTotals> {
  const root = await mkdtemp(join(tmpdir(), 'tallywire-damage-'));
  const { live, close } = createLives();
  // A commit alone does not keep a process alive.
  const alive = setInterval(() => undefined, 1_000);
  try {
    const truth = await makeTruth(live, join(root, 'truth'), sweep);
    let totals: DamageTotals = {
      cases: 0,
      unnoticed: 0,
      repaired: 0,
      refused: 0,
      mostFailedStarts: 0,
      loops: 0,
      wrongNumbers: 0,
      silentLosses: 0,
    };
    for (let index = 0; index < sweep.flips + sweep.pages; index++) {
      const damage = index < sweep.flips ? flip(sweep.random) : pageDamage(sweep.random);
      const hasBackup = sweep.random() < 0.5;
      const data = join(root, `case-${index + 1}`);
      copyTruth(truth, data, hasBackup);
      const pages = damageFile(filePath(data), damage).map((page) => truth.uses.get(page) ?? 'not in use');
      const asDamaged = `${data}-as-damaged`;
      cpSync(data, asDamaged, { recursive: true });
      const verdict = await judge(live, { ...truth.life, data }, truth.ended, hasBackup);
      totals = add(totals, verdict);
      const label = `${index + 1}: ${damage.name} (${pages.join(', ')})${hasBackup ? ', with a backup' : ''}`;
      const isBad = verdict.faults.length > 0;
      if (isBad || verdict.outcome !== 'unnoticed') {
        const lines = [
          `${label}: ${verdict.outcome} after ${verdict.failedStarts} failed starts`,
          ...verdict.faults,
          ...(isBad ? [`as it was damaged: ${keep(asDamaged)}`] : []),
        ];
        sweep.report(lines.join('\n  '));
      }
      for (const path of [data, logOf(data), asDamaged]) rmSync(path, { recursive: true, force: true });
    }
    return totals;
  } finally {
    await close();
    clearInterval(alive);
    rmSync(root, { recursive: true, force: true });
  }
}

/** What a service stored differs from run to run, so a seed alone does not repeat a case. Returns where it lies. */
function keep(folder: string): string {
  const kept = join(mkdtempSync(join(tmpdir(), 'tallywire-damaged-')), basename(folder));
  renameSync(folder, kept);
  return kept;
}

type Live = (life: Life) => Promise<LifeEnd>;

async function makeTruth(live: Live, folder: string, sweep: DamageSweep): Promise<Truth> {
  const making: Life = {
    data: folder,
    wallAt: START_AT,
    speed: 1,
    countsFirst: true,
    runMs: sweep.lifeMs,
    asks: [],
    paymentIds: [],
  };
  const first = expectEnded(await live(making));
  await changeStore(folder, async (store) => {
    await addAccounts(store, 0);
    await store.backup(join(folder, 'backups', 'one'));
  });
  const second = expectEnded(await live({ ...making, wallAt: first.wallAt }));
  await changeStore(folder, (store) => addAccounts(store, 1));
  const life: Life = {
    data: folder,
    wallAt: second.wallAt,
    speed: 1,
    countsFirst: false,
    runMs: 100,
    asks: asksAt(sweep.moments, first.fromAt, second.wallAt),
    paymentIds: Array.from({ length: 2 * ROWS }, (_, n) => paymentIdOf(n)),
  };
  const control = `${folder}-control`;
  cpSync(folder, control, { recursive: true });
  const ended = expectEnded(await live({ ...life, data: control }));
  rmSync(control, { recursive: true });
  if (ended.difference !== null) throw new Error(`the sound folder does not verify: ${ended.difference}`);
  const pages = statSync(filePath(folder)).size / PAGE;
  const served = ended.answers.filter(({ status }) => status === 200).length;
  sweep.report(
    `made a folder of ${pages} pages; ${served} of ${ended.answers.length} answers about its past have data`,
  );
  const uses = new Map(usedPages(folder).map(({ page, part, kind }) => [page, `${part} ${kind}`]));
  return { folder, life, ended, uses };
}

function expectEnded(end: LifeEnd): Ended {
  if (end.is !== 'ended')
    throw new Error(`the service did not live on a sound folder: ${JSON.stringify(end)}`);
  return end;
}

async function changeStore(folder: string, change: (store: Store) => Promise<void>): Promise<void> {
  const store = await openStore(folder);
  await change(store);
  await store.close();
}

const ROWS = 25;
const paymentIdOf = (n: number) => `eip155:84532|0xasset|0xfrom${n}|0xnonce${n}`;

/** Rows of what is kept nowhere else, some pages of each. */
async function addAccounts({ keys, waitlist, payments }: Store, round: number): Promise<void> {
  for (let row = 0; row < ROWS; row++) {
    const n = round * ROWS + row;
    await keys.put([
      {
        id: `key${n}`,
        hash: `${n}`.padStart(64, '0'),
        tier: 'PRO',
        name: `holder ${n} `.repeat(8),
        limit: null,
        createdAt: START_AT + n,
        lastUsedAt: null,
        revokedAt: null,
      },
    ]);
    const entry = {
      type: 'human',
      useCase: 'watch '.repeat(20),
      name: `n${n}`,
      wallet: null,
      email: `e${n}@example.test`,
    } as const;
    await waitlist.claim(entry, START_AT + n);
    await payments.reserve(paymentOf(n));
  }
}

function paymentOf(n: number): KeptPayment {
  return {
    id: paymentIdOf(n),
    state: 'SETTLED',
    proof: `${n}`.padStart(64, '0'),
    resource: '/api/v1/signals/account_a',
    order: JSON.stringify({ n, text: 'order '.repeat(30) }),
    validBeforeAt: START_AT + 10_000_000_000,
    changedAt: START_AT + n,
    nextTryAt: null,
    tries: 0,
    reply: { status: 200, headers: {}, body: 'bought '.repeat(50) },
    receipt: `receipt ${n}`,
    sentAt: null,
  };
}

function asksAt(shares: readonly number[], fromAt: number, toAt: number): string[] {
  const moments = shares.map((share) => Math.floor(fromAt + (toAt - fromAt) * share) - 1);
  return moments.flatMap((at) =>
    ['account_a', 'account_b'].flatMap((account) => [
      `/api/v1/meta/${account}?as_of=${at}`,
      `/api/v1/meta/${account}/tweets?limit=100&as_of=${at}`,
      `/api/v1/meta/${account}/lag?as_of=${at}`,
      `/api/v1/signals/${account}?as_of=${at}`,
    ]),
  );
}

function copyTruth({ folder }: Truth, data: string, hasBackup: boolean): void {
  rmSync(data, { recursive: true, force: true });
  cpSync(folder, data, {
    recursive: true,
    filter: (path) => hasBackup || !path.startsWith(join(folder, 'backups')),
  });
  copyFileSync(filePath(folder), filePath(data));
}

function damageFile(path: string, { apply }: Damage): readonly number[] {
  const { size } = statSync(path);
  const file = openSync(path, 'r+');
  try {
    return apply(file, size, path);
  } finally {
    closeSync(file);
  }
}

function readPage(file: number, page: number): Buffer {
  const bytes = Buffer.alloc(PAGE);
  readSync(file, bytes, 0, PAGE, page * PAGE);
  return bytes;
}

/** Of the pages that were ever written. */
function anyPage(file: number, size: number, random: () => number): number {
  for (;;) {
    const page = Math.floor((random() * size) / PAGE);
    if (readPage(file, page).some((byte) => byte !== 0)) return page;
  }
}

function flip(random: () => number): Damage {
  const bit = Math.floor(random() * 8);
  const offset = Math.floor(random() * PAGE);
  return {
    name: `bit ${bit} of byte ${offset} of a page`,
    apply(file, size) {
      const page = anyPage(file, size, random);
      const bytes = readPage(file, page);
      bytes.writeUInt8(bytes.readUInt8(offset) ^ (1 << bit), offset);
      writeSync(file, bytes, 0, PAGE, page * PAGE);
      return [page];
    },
  };
}

function pageDamage(random: () => number): Damage {
  const kind = random();
  if (kind < 0.45) {
    return {
      name: 'a page of zeros',
      apply(file, size) {
        const page = anyPage(file, size, random);
        writeSync(file, Buffer.alloc(PAGE), 0, PAGE, page * PAGE);
        return [page];
      },
    };
  }
  if (kind < 0.9) {
    return {
      name: 'two pages swapped',
      apply(file, size, path) {
        const [a, b] = [anyPage(file, size, random), anyPage(file, size, random)];
        swapPages(path, a, b);
        return [a, b];
      },
    };
  }
  return {
    name: 'the end cut off',
    apply(_file, size, path) {
      const pages = Math.ceil((random() * size) / PAGE);
      truncateSync(path, pages * PAGE);
      return [pages];
    },
  };
}

interface CaseVerdict {
  readonly outcome: 'unnoticed' | 'repaired' | 'refused' | 'looping';
  readonly failedStarts: number;
  readonly faults: readonly string[];
  readonly isWrong: boolean;
  readonly isSilent: boolean;
}

async function judge(live: Live, life: Life, truth: Ended, hasBackup: boolean): Promise<CaseVerdict> {
  let failedStarts = 0;
  const ends: string[] = [];
  for (let start = 1; start <= MOST_STARTS; start++) {
    const end = await live(life);
    if (end.is === 'ended') return compare(end, truth, { failedStarts, told: toldOn(life.data) });
    ends.push(`${end.is === 'crashed' ? end.how : `${end.code}: ${end.message}`}, when ${end.when}`);
    if (end.is === 'refused') {
      // Said with a stable code, the same again and again: somebody has to act, as there is no backup to take.
      const isFinal = !hasBackup && /^STORE_(BROKEN|MISSING|LAYOUT)$/.test(end.code);
      if (isFinal)
        return {
          outcome: 'refused',
          failedStarts,
          faults: [`${end.code}: ${end.message}`],
          isWrong: false,
          isSilent: false,
        };
    }
    failedStarts += 1;
  }
  return { outcome: 'looping', failedStarts, faults: ends, isWrong: false, isSilent: false };
}

function toldOn(data: string): string {
  return existsSync(logOf(data)) ? readFileSync(logOf(data), 'utf8') : '';
}

function compare(
  end: Ended,
  truth: Ended,
  { failedStarts, told }: { readonly failedStarts: number; readonly told: string },
): CaseVerdict {
  const wasRepaired = told.includes('was replaced by what could be saved');
  const isTold = (part: string) =>
    wasRepaired &&
    (new RegExp(`"lost":\\[[^\\]]*"${part}:`).test(told) ||
      told.includes('everything since') ||
      // Rows that came back from the backup may be older than those that were damaged.
      new RegExp(`"fromBackup":\\{[^}]*"${part}":[1-9]`).test(told));
  const wrong: string[] = [];
  if (end.difference !== null) wrong.push(`does not verify: ${end.difference}`);
  for (const answer of truth.answers) {
    const now = end.answers.find(({ path }) => path === answer.path);
    if (answer.status !== 200 || now === undefined || now.status !== 200 || answer.path === 'health')
      continue;
    if (now.text !== answer.text && !isTold('journal'))
      wrong.push(`${answer.path}: ${differenceOf(answer.text, now.text)}`);
  }
  const silent = [
    ...missing(truth.keys, end.keys, 'keys', isTold),
    ...missing(truth.places, end.places, 'waitlist', isTold),
    ...missing(truth.payments, end.payments, 'payments', isTold),
  ];
  return {
    outcome: wasRepaired || failedStarts > 0 ? 'repaired' : 'unnoticed',
    failedStarts,
    faults: [...wrong.map((each) => `WRONG ${each}`), ...silent.map((each) => `SILENT ${each}`)].slice(0, 6),
    isWrong: wrong.length > 0,
    isSilent: silent.length > 0,
  };
}

function differenceOf(expected: string, found: string): string {
  const at = [...expected].findIndex((char, index) => char !== found[index]);
  return `expected ${expected.slice(Math.max(0, at - 60), at + 60)}, was ${found.slice(Math.max(0, at - 60), at + 60)}`;
}

function missing(
  expected: readonly string[],
  found: readonly string[],
  part: string,
  isTold: (part: string) => boolean,
): string[] {
  const there = new Set(found);
  const gone = expected.filter((row) => !there.has(row));
  return gone.length === 0 || isTold(part) ? [] : [`${gone.length} of ${part} gone, such as ${gone[0]}`];
}

function add(totals: DamageTotals, verdict: CaseVerdict): DamageTotals {
  const one = (isSo: boolean) => (isSo ? 1 : 0);
  return {
    cases: totals.cases + 1,
    unnoticed: totals.unnoticed + one(verdict.outcome === 'unnoticed'),
    repaired: totals.repaired + one(verdict.outcome === 'repaired'),
    refused: totals.refused + one(verdict.outcome === 'refused'),
    mostFailedStarts: Math.max(totals.mostFailedStarts, verdict.failedStarts),
    loops: totals.loops + one(verdict.outcome === 'looping' || verdict.failedStarts > MOST_FAILED),
    wrongNumbers: totals.wrongNumbers + one(verdict.isWrong),
    silentLosses: totals.silentLosses + one(verdict.isSilent),
  };
}
