import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { open } from 'lmdb';
import { openStartingStore, openStore } from '../../src/store/lmdb/open-store.ts';
import { lockFolder } from '../../src/store/lock.ts';
import { breakStore, leaveDeadSocket } from '../support/data-folder.ts';
import { type Amounts, addKey, addTurn, amountsIn, joinWaitlist } from './interrupted-store.ts';
import { buildKillingCalls } from './killing-calls.ts';

export interface InterruptionSweep {
  /** Kills of each act, at calls drawn at random; undefined for what a kill at every call would leave. */
  readonly killsOfEach: number | undefined;
  readonly seed: number;
  /** Only acts with such names. */
  readonly acts: RegExp;
  /** Only calls like this. */
  readonly among: RegExp;
  readonly report: (line: string) => void;
}

export interface ActKills {
  readonly act: string;
  /** Calls that change something on disk. */
  readonly calls: number;
  readonly kills: number;
}

const CHILD = new URL(`./interrupted-child${extname(import.meta.url)}`, import.meta.url);
/** Damage may make the first starts fail, but no more. */
const MOST_STARTS = 3;

/** How a child ended, and what it told to be done before. */
interface Run {
  readonly wasKilled: boolean;
  readonly told: readonly string[];
  readonly errors: string;
}

async function runChild(act: string, folder: string, env: NodeJS.ProcessEnv = {}): Promise<Run> {
  const child = fork(CHILD, [act, folder], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // A variable for tests, which the program does not know.
    env: { ...process.env, TALLYWIRE_NATS_SERVER: undefined, ...env },
  });
  const told: string[] = [];
  let errors = '';
  child.on('message', (message) => told.push(String(message)));
  child.stderr?.on('data', (bytes: Buffer) => {
    errors += bytes.toString();
  });
  const [, signal] = await once(child, 'close');
  return { wasKilled: signal === 'SIGKILL', told, errors };
}

/** A store with three of everything, and a backup from when there were two. */
async function makeOld(folder: string): Promise<void> {
  const store = await openStore(folder);
  for (let round = 1; round <= 3; round++) {
    for (const add of [joinWaitlist, addKey, addTurn]) await add(store);
    if (round === 2) await store.backup(join(folder, 'backups', 'first'));
  }
  await store.close();
}

/** The same, broken, and two starts that failed on it. */
async function makeBroken(folder: string): Promise<void> {
  await makeOld(folder);
  breakStore(folder);
  for (let start = 1; start <= 2; start++) await runChild('start', folder);
}

/** Three of everything, as a version with that layout stored it. */
async function makeOfLayout3(folder: string): Promise<void> {
  const stored = readFileSync(new URL('../../../test/sweeps/layout-3.mdb.gz', import.meta.url));
  mkdirSync(join(folder, 'db'));
  writeFileSync(join(folder, 'db', 'data.mdb'), gunzipSync(stored));
}

const NOTHING: Amounts = { places: 0, keys: 0, turns: 0 };

/** One thing that is done to a folder, and what must be there after it was killed at any call. */
interface Act {
  readonly name: string;
  readonly does: string;
  readonly prepare: (folder: string) => Promise<void>;
  /** The least that must be there. */
  readonly before: Amounts;
  readonly check?: (folder: string, told: readonly string[]) => Promise<void>;
}

const ACTS: readonly Act[] = [
  { name: 'begin', does: 'start', prepare: async () => undefined, before: NOTHING },
  { name: 'open', does: 'start', prepare: makeOld, before: { places: 3, keys: 3, turns: 3 } },
  {
    name: 'backup',
    does: 'backUp',
    prepare: makeOld,
    before: { places: 3, keys: 3, turns: 3 },
    check: checkBackup,
  },
  { name: 'restore', does: 'start', prepare: makeBroken, before: { places: 2, keys: 2, turns: 2 } },
  {
    name: 'layout change',
    does: 'start',
    prepare: makeOfLayout3,
    before: { places: 3, keys: 3, turns: 3 },
  },
  {
    name: 'replacement',
    does: 'replace',
    prepare: makeOld,
    before: { places: 3, keys: 3, turns: 3 },
    check: checkReplaced,
  },
];

/** A copy counts when it has a store, and then it is whole. One that was cut can be made again in the same place. */
async function checkBackup(folder: string, told: readonly string[]): Promise<void> {
  const copy = join(folder, 'backups', 'second');
  if (told.includes('copied')) assert.ok(existsSync(join(copy, 'db')));
  if (!existsSync(join(copy, 'db'))) {
    const { told: toldAgain, errors } = await runChild('backUp', folder);
    assert.ok(toldAgain.includes('done'), errors);
  }
  assert.deepEqual(await readAmounts(copy), { places: 3, keys: 3, turns: 3 });
}

async function checkReplaced(folder: string, told: readonly string[]): Promise<void> {
  const root = open({ path: join(folder, 'db'), readOnly: true, noSubdir: false, maxDbs: 64 });
  const isNew = [...root.getKeys()].includes('later');
  await root.close();
  if (told.includes('replaced')) assert.ok(isNew);
  assert.equal(existsSync(join(folder, 'db.before')), isNew, 'the old one is kept');
}

async function readAmounts(folder: string): Promise<Amounts> {
  const store = await openStore(folder, { readOnly: true });
  try {
    return amountsIn(store);
  } finally {
    await store.close();
  }
}

/** Starts until one is through, in processes of their own as damage may end one. */
async function startAgain(folder: string): Promise<void> {
  const failures: string[] = [];
  for (let start = 1; start <= MOST_STARTS; start++) {
    const { told, errors } = await runChild('start', folder);
    if (told.includes('done')) return;
    failures.push(errors);
  }
  assert.fail(`no start of ${MOST_STARTS} was through: ${failures.join('\n')}`);
}

/** A start and a stop in order, as of the service. */
async function openHere(folder: string): Promise<void> {
  const lock = await lockFolder(folder);
  const { store, finished } = await openStartingStore(folder, { tell: () => undefined, reserveBytes: 0 });
  await store.close();
  finished();
  await lock.release();
}

/** What nobody needs any more, and what others have a right to. */
function leftovers(folder: string): readonly string[] {
  const expected = /^(db(\.made|\.before|\.layout-\d+|\.broken-.*)?|backups)$/;
  const odd = readdirSync(folder).filter((name) => !expected.test(name));
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const isOpen = (name: string) => {
    const stats = lstatSync(join(folder, name));
    // A link has no rights of its own.
    return !stats.isSymbolicLink() && (stats.mode & 0o077) !== 0;
  };
  return [...odd, ...names.filter(isOpen).map((name) => `${name} is open to others`)];
}

async function checkAfterKill(
  { name, before, check }: Act,
  folder: string,
  told: readonly string[],
): Promise<void> {
  if (name === 'restore') await startAgain(folder);
  await openHere(folder);
  const { places, keys, turns } = await readAmounts(folder);
  const least = (has: number, had: number, done: string) =>
    assert.ok(has >= had + (told.includes(done) ? 1 : 0), `${done}: ${has} left of ${had}`);
  least(places, before.places, joinWaitlist.name);
  least(keys, before.keys, addKey.name);
  least(turns, before.turns, addTurn.name);
  await check?.(folder, told);
  assert.deepEqual(leftovers(folder), []);
}

interface Stage {
  readonly library: string;
  readonly template: string;
  /** The folder of the act, made anew for each kill. */
  readonly folder: string;
  readonly log: string;
  readonly copies: string;
  readonly told: string;
}

async function runAct({ does, name }: Act, stage: Stage, env: NodeJS.ProcessEnv): Promise<Run> {
  const { library, template, folder, log } = stage;
  rmSync(folder, { recursive: true, force: true });
  rmSync(log, { force: true });
  const filter = (path: string) => !lstatSync(path).isSocket();
  cpSync(template, folder, { recursive: true, preserveTimestamps: true, filter });
  if (name === 'open') await leaveDeadSocket(folder, 'engine-1-00.sock');
  if (name === 'begin') rmSync(folder, { recursive: true });
  const shim = { LD_PRELOAD: library, CALLS_UNDER: folder, CALLS_LOG: log, UV_USE_IO_URING: '0' };
  return runChild(does, folder, { ...shim, ...env });
}

const callsIn = (log: string) =>
  readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line !== '');

function failure(act: Act, at: string, error: unknown): Error {
  const message = error instanceof Error ? error.message : String(error);
  return new Error(`${act.name} killed at call ${at}: ${message}`, { cause: error });
}

/** Kills at some calls drawn at random, in the middle of it where it is a write. */
async function killSome(
  act: Act,
  stage: Stage,
  calls: readonly string[],
  numRuns: number,
  sweep: InterruptionSweep,
): Promise<number> {
  const meant = calls.flatMap((call, index) => (sweep.among.test(call) ? [index + 1] : []));
  const drawn = fc.sample(fc.constantFrom(...meant), { numRuns, seed: sweep.seed });
  let kills = 0;
  for (const at of drawn) {
    for (const half of [{}, { KILL_HALF: '1' }]) {
      const run = await runAct(act, stage, { KILL_AT: String(at), ...half });
      const last = callsIn(stage.log)[at - 1] ?? 'none';
      // The order of calls of several threads differs a little, so that an act may end before its last call.
      if (!run.wasKilled) assert.ok(run.told.includes('done'), `${act.name} failed by itself: ${run.errors}`);
      else kills += 1;
      await checkAfterKill(act, stage.folder, run.told).catch((error: unknown) => {
        throw failure(act, `${last}${'KILL_HALF' in half ? ', made by half' : ''}`, error);
      });
      // A call that is no write has no half.
      if (!/ p?write|sendfile|copy_file/.test(last)) break;
    }
    sweep.report(`${act.name}: ${kills} kills, at call ${at} of ${calls.length}`);
  }
  return kills;
}

/** Looks at what a kill would leave at every call, and in the middle of every write. */
async function lookAtAll(act: Act, stage: Stage, sweep: InterruptionSweep): Promise<number> {
  const { copies, folder, told } = stage;
  rmSync(told, { force: true });
  mkdirSync(copies);
  const { errors, told: done } = await runAct(act, stage, { COPIES_IN: copies, CALLS_TOLD: told });
  assert.ok(done.includes('done'), `${act.name}: ${errors}`);
  const calls = callsIn(stage.log);
  const names = readdirSync(copies).sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
  assert.ok(names.length >= calls.length, `${names.length} copies of ${calls.length} calls`);
  for (const [index, name] of names.entries()) {
    rmSync(folder, { recursive: true, force: true });
    const [left, toldThen] = [join(copies, name, 'data'), join(copies, name, 'told')];
    if (existsSync(left)) renameSync(left, folder);
    const lines = existsSync(toldThen) ? readFileSync(toldThen, 'utf8').split('\n') : [];
    await checkAfterKill(act, folder, lines).catch((error: unknown) => {
      throw failure(act, `${calls[Number.parseInt(name, 10) - 1]} (${name})`, error);
    });
    if ((index + 1) % 20 === 0) sweep.report(`${act.name}: ${index + 1} of ${names.length} states`);
  }
  return names.length;
}

async function sweepAct(act: Act, stage: Stage, sweep: InterruptionSweep): Promise<ActKills> {
  mkdirSync(stage.template);
  await act.prepare(stage.template);
  const { told, errors } = await runAct(act, stage, {});
  assert.ok(told.includes('done'), `${act.name}: ${errors}`);
  const calls = callsIn(stage.log);
  assert.ok(calls.length > 0, `no call of ${act.name} was seen`);
  const { killsOfEach } = sweep;
  const kills =
    killsOfEach === undefined
      ? await lookAtAll(act, stage, sweep)
      : await killSome(act, stage, calls, killsOfEach, sweep);
  return { act: act.name, calls: calls.length, kills };
}

/** Kills whoever begins, opens, copies, restores and converts a store, at calls that change the disk. */
export async function sweepInterruptions(sweep: InterruptionSweep): Promise<readonly ActKills[]> {
  const results: ActKills[] = [];
  const tools = mkdtempSync(join(tmpdir(), 'tallywire-interruptions-'));
  try {
    const library = buildKillingCalls(tools);
    for (const act of ACTS.filter(({ name }) => sweep.acts.test(name))) {
      results.push(await sweepActIn(library, act, sweep));
    }
  } finally {
    rmSync(tools, { recursive: true, force: true });
  }
  return results;
}

async function sweepActIn(library: string, act: Act, sweep: InterruptionSweep): Promise<ActKills> {
  const base = mkdtempSync(join(tmpdir(), 'tallywire-interruptions-'));
  try {
    const stage = {
      library,
      template: join(base, 'old'),
      folder: join(base, 'data'),
      log: join(base, 'calls'),
      copies: join(base, 'copies'),
      told: join(base, 'told'),
    };
    return await sweepAct(act, stage, sweep);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}
