import { randomBytes } from 'node:crypto';
import { chmodSync, readdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf, StoreError } from '../errors.ts';
import { makeFolder, removeEmptyFolders } from './make-folder.ts';
import { keepPrivate, type Privacy } from './private-folder.ts';
import { openSocketFolder, type SocketFolder } from './socket-folder.ts';
import { errorCode } from './system-error.ts';

const ANSWER_TIMEOUT_MS = 1_000;
/** How often one is asked that hangs up. */
const MOST_ASKED = 10;
const GIVE_UP_MS = 20_000;
const RETRY_MS = 20;

interface FolderLock {
  /** What others could do in the folder before it was locked. */
  readonly privacy: Privacy;
  /** Also removes folders that were made for the lock and in which nothing was put. */
  release(): Promise<void>;
}

/** A process that shows itself in the folder by a socket: it has the lock, or wants it. */
interface LivingClaim {
  readonly is: 'held' | 'wanted';
  readonly name: string;
  readonly pid: string;
}
type Claim = LivingClaim | { readonly is: 'dead'; readonly name: string };

/** Our own claim: a listening socket under a name that nobody else ever uses. */
interface OwnClaim {
  readonly name: string;
  hold(): void;
  withdraw(): Promise<void>;
}

/** `engine-<process id>-<random>.sock`. Versions before had one name for all. */
const CLAIM_NAME = /^engine(?:-(\d+)-[0-9a-f]+)?\.sock$/;
/** A socket that was bound but is not yet shown, or never was because its process was ended. */
const HIDDEN_NAME = /^engine-\d+-[0-9a-f]+\.new$/;

/** One that is there but did not say what it has, such as one that is stopped or busy. It may answer later. */
function silentClaim(name: string): LivingClaim {
  return { is: 'wanted', name, pid: CLAIM_NAME.exec(name)?.[1] ?? 'unknown' };
}

/** Undefined when it hangs up without an answer, as one does that was about to be withdrawn or ended. */
function askOnce(path: string, name: string): Promise<Claim | undefined> {
  return new Promise((resolve) => {
    let answer = '';
    let isConnected = false;
    const socket = connect(path);
    const end = (claim: Claim | undefined) => {
      socket.destroy();
      resolve(claim);
    };
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => end(silentClaim(name)));
    socket.once('connect', () => {
      isConnected = true;
    });
    socket.on('data', (bytes) => {
      answer += bytes.toString();
    });
    socket.once('end', () => {
      const [pid = '', state] = answer.trim().split(' ');
      end(pid === '' ? undefined : { is: state === 'wanted' ? 'wanted' : 'held', name, pid });
    });
    socket.once('error', (error) => {
      const code = String(errorCode(error));
      if (isConnected || code === 'ECONNRESET') end(undefined);
      // Anything else, such as a full backlog, comes from a process that is there.
      else end(['ENOENT', 'ECONNREFUSED'].includes(code) ? { is: 'dead', name } : silentClaim(name));
    });
  });
}

async function ask(path: string, name: string): Promise<Claim> {
  for (let asked = 1; asked <= MOST_ASKED; asked++) {
    const claim = await askOnce(path, name);
    if (claim !== undefined) return claim;
    await delay(RETRY_MS);
  }
  return silentClaim(name);
}

async function claimsIn(folder: string, sockets: SocketFolder, own?: string): Promise<readonly Claim[]> {
  const names = readdirSync(folder).filter((name) => CLAIM_NAME.test(name) && name !== own);
  return Promise.all(names.map((name) => ask(sockets.pathOf(name), name)));
}

/** Whether a living process has the folder or wants it. Changes nothing there. */
export async function isClaimed(folder: string): Promise<boolean> {
  const sockets = openSocketFolder(folder);
  try {
    return (await claimsIn(folder, sockets)).some(({ is }) => is !== 'dead');
  } finally {
    sockets.close();
  }
}

/** The claims of others that live. Those of ended processes are removed, which is safe as no name comes twice. */
async function othersIn(
  folder: string,
  sockets: SocketFolder,
  own?: string,
): Promise<readonly LivingClaim[]> {
  const claims = await claimsIn(folder, sockets, own);
  for (const { is, name } of claims) if (is === 'dead') rmSync(join(folder, name), { force: true });
  return claims.filter((claim) => claim.is !== 'dead');
}

/** Shown only when it listens, so that one that refuses is dead. Undefined when somebody took it for a leftover. */
async function showClaim(folder: string, sockets: SocketFolder): Promise<OwnClaim | undefined> {
  const stem = `engine-${process.pid}-${randomBytes(8).toString('hex')}`;
  const hidden = `${stem}.new`;
  const name = `${stem}.sock`;
  let isHeld = false;
  const server = createServer((caller) => {
    // A caller that hangs up early has what it came for: it knows that we live.
    caller.on('error', () => caller.destroy());
    caller.end(`${process.pid} ${isHeld ? 'held' : 'wanted'}\n`, () => caller.destroy());
  });
  await listen(server, sockets.pathOf(hidden));
  const withdraw = () => {
    rmSync(join(folder, name), { force: true });
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  try {
    chmodSync(join(folder, hidden), 0o600);
    renameSync(join(folder, hidden), join(folder, name));
  } catch (error) {
    await withdraw();
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  return {
    name,
    hold: () => {
      isHeld = true;
    },
    withdraw,
  };
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // Later errors are about callers that could not be accepted: they ask again.
    server.on('error', reject);
    server.listen(path, () => {
      server.unref();
      resolve();
    });
  });
}

function refuseIfHeld(folder: string, claims: readonly LivingClaim[]): void {
  const owner = claims.find(({ is }) => is === 'held');
  if (owner === undefined) return;
  throw new StoreError('STORE_IN_USE', `the data folder ${folder} is in use by process ${owner.pid}`);
}

/**
 * Whoever wants the lock shows a claim first and looks for others after, so of two the later one sees the earlier: no two
 * can both find themselves alone. Of several that want it at the same time the first by name stays.
 */
async function acquire(folder: string, sockets: SocketFolder): Promise<OwnClaim> {
  const giveUpAt = performance.now() + GIVE_UP_MS;
  let before: readonly LivingClaim[] = [];
  while (performance.now() < giveUpAt) {
    before = await othersIn(folder, sockets);
    refuseIfHeld(folder, before);
    if (before.length === 0) {
      const own = await showClaim(folder, sockets);
      if (own !== undefined && (await prevails(folder, sockets, own, giveUpAt))) return own;
    }
    await delay(RETRY_MS);
  }
  const pids = before.map(({ pid }) => pid).join(', ');
  throw new StoreError(
    'STORE_IN_USE',
    `the data folder ${folder} could not be locked in ${GIVE_UP_MS} ms; processes that want it too: ${pids || 'none'}`,
  );
}

/** Holds the lock, or has withdrawn the claim. */
async function prevails(
  folder: string,
  sockets: SocketFolder,
  own: OwnClaim,
  giveUpAt: number,
): Promise<boolean> {
  try {
    while (performance.now() < giveUpAt) {
      const others = await othersIn(folder, sockets, own.name);
      refuseIfHeld(folder, others);
      if (others.length === 0) {
        removeHidden(folder);
        own.hold();
        return true;
      }
      if (others.some(({ name }) => name < own.name)) break;
      await delay(RETRY_MS);
    }
  } catch (error) {
    await own.withdraw();
    throw error;
  }
  await own.withdraw();
  return false;
}

/** Left by processes that were ended before they showed their claim. One that is about to fails, and tries again. */
function removeHidden(folder: string): void {
  for (const name of readdirSync(folder))
    if (HIDDEN_NAME.test(name)) rmSync(join(folder, name), { force: true });
}

/** The folder is named already, and its sockets say nothing to whoever reads this. */
function whyNot(cause: unknown): string {
  switch (errorCode(cause)) {
    case 'EEXIST':
      return 'it is a file, not a folder';
    case 'EACCES':
    case 'EPERM':
      return 'this user may not write there; run this as the user whose folder it is';
    case 'EROFS':
      return 'its disk is read-only';
    default:
      return messageOf(cause);
  }
}

/**
 * Makes this process the only one that writes to the folder, under whatever path the others name it, until
 * `release` or the end of the process. The lock is a listening socket in the folder, so a killed owner leaves no lock.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  let made: readonly string[] = [];
  let sockets: SocketFolder | undefined;
  const end = () => {
    sockets?.close();
    sockets = undefined;
    removeEmptyFolders(made);
  };
  try {
    made = makeFolder(folder);
    const privacy = keepPrivate(folder);
    sockets = openSocketFolder(folder);
    const path = realpathSync(folder);
    const claim = await acquire(path, sockets);
    return { privacy, release: () => claim.withdraw().then(end) };
  } catch (cause) {
    end();
    if (cause instanceof StoreError) throw cause;
    throw new StoreError('STORE_UNWRITABLE', `cannot lock the data folder ${folder}: ${whyNot(cause)}`, {
      cause,
    });
  }
}
