import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StoreError } from '../errors.ts';
import { makeFolder } from './make-folder.ts';
import { describe, errorCode } from './system-error.ts';
import { socketPathOf } from './unix-socket-path.ts';

const ANSWER_TIMEOUT_MS = 1_000;
const CLAIM_STALE_MS = 5_000;
const GIVE_UP_MS = 20_000;
const RETRY_MS = 20;
/** An owner between bind and listen refuses too, for an instant: one refusal proves nothing. */
const REFUSALS = 3;

interface FolderLock {
  release(): Promise<void>;
}

/** Who holds the socket: a process, none (a leftover of one that was killed), or it is gone. */
type Owner =
  | { readonly is: 'alive'; readonly pid: string }
  | { readonly is: 'dead' }
  | { readonly is: 'gone' };

function listen(path: string): Promise<Server | undefined> {
  const server = createServer((caller) => {
    // A caller that hangs up early has what it came for: it knows that we live.
    caller.on('error', () => caller.destroy());
    caller.end(`${process.pid}\n`, () => caller.destroy());
  });
  return new Promise((resolve, reject) => {
    server.once('error', (error) => (errorCode(error) === 'EADDRINUSE' ? resolve(undefined) : reject(error)));
    server.listen(path, () => {
      server.unref();
      resolve(server);
    });
  });
}

function ask(path: string): Promise<Owner> {
  return new Promise((resolve) => {
    let pid = '';
    let isConnected = false;
    const socket = connect(path);
    const end = (owner: Owner) => {
      socket.destroy();
      resolve(owner);
    };
    const alive = () => end({ is: 'alive', pid: pid.trim() || 'unknown' });
    socket.setTimeout(ANSWER_TIMEOUT_MS, alive);
    socket.once('connect', () => {
      isConnected = true;
    });
    socket.on('data', (bytes) => {
      pid += bytes.toString();
    });
    socket.once('end', alive);
    socket.once('error', (error) => {
      if (!isConnected && errorCode(error) === 'ENOENT') return end({ is: 'gone' });
      if (!isConnected && errorCode(error) === 'ECONNREFUSED') return end({ is: 'dead' });
      // Anything else, such as a full backlog, comes from a process that is there.
      alive();
    });
  });
}

async function ownerOf(path: string): Promise<Owner> {
  for (let refusal = 1; ; refusal++) {
    const owner = await ask(path);
    if (owner.is !== 'dead' || refusal === REFUSALS) return owner;
    await delay(RETRY_MS);
  }
}

function claimant(claimPath: string): string | undefined {
  try {
    return readFileSync(join(claimPath, 'owner'), 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Moves a folder that holds a file, unless it is gone or another such folder is where it shall go. */
function hasMoved(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(String(errorCode(error)))) return false;
    throw error;
  }
}

/**
 * Claims the right to remove a dead socket: a folder moved into place, which works only while none is there.
 * A claim left by a killed process is moved away under a name made from its own identity, so that of several
 * who saw it one moves it and none moves the claim that follows.
 */
function hasClaimed(claimPath: string, id: string): boolean {
  const mine = `${claimPath}.${id}`;
  mkdirSync(mine);
  writeFileSync(join(mine, 'owner'), id);
  if (hasMoved(mine, claimPath)) return true;
  rmSync(mine, { recursive: true });
  const theirs = claimant(claimPath);
  const claimedAt = statSync(claimPath, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  if (theirs !== undefined && Date.now() - claimedAt > CLAIM_STALE_MS) {
    hasMoved(claimPath, `${claimPath}.stale-${theirs}`);
  }
  return false;
}

/** In one move: removing it piece by piece would let another move its claim in half way. */
function giveUpClaim(claimPath: string, id: string): void {
  const away = `${claimPath}.${id}`;
  if (claimant(claimPath) === id && hasMoved(claimPath, away)) rmSync(away, { recursive: true });
}

async function takeOver(socketPath: string, claimPath: string): Promise<Server | undefined> {
  const id = randomUUID();
  if (!hasClaimed(claimPath, id)) {
    await delay(RETRY_MS);
    return undefined;
  }
  try {
    if ((await ownerOf(socketPath)).is !== 'dead' || claimant(claimPath) !== id) return undefined;
    rmSync(socketPath, { force: true });
    return await listen(socketPath);
  } finally {
    giveUpClaim(claimPath, id);
  }
}

async function acquire(folder: string): Promise<Server> {
  const socketPath = socketPathOf(folder, 'engine');
  const claimPath = join(folder, 'engine.takeover');
  const giveUpAt = Date.now() + GIVE_UP_MS;
  while (Date.now() < giveUpAt) {
    const server = await listen(socketPath);
    if (server !== undefined) return server;
    const owner = await ownerOf(socketPath);
    if (owner.is === 'alive') {
      throw new StoreError('STORE_IN_USE', `the data folder ${folder} is in use by process ${owner.pid}`);
    }
    const taken = owner.is === 'dead' ? await takeOver(socketPath, claimPath) : undefined;
    if (taken !== undefined) return taken;
  }
  throw new StoreError('STORE_IN_USE', `the data folder ${folder} could not be locked in ${GIVE_UP_MS} ms`);
}

/**
 * Makes this process the only one that writes to the folder, under whatever path the others name it, until
 * `release` or the end of the process. The lock is a listening socket, so a killed owner leaves no lock.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  try {
    makeFolder(folder);
    const server = await acquire(realpathSync(folder));
    return {
      release: () => new Promise((resolve) => server.close(() => resolve())),
    };
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    throw new StoreError('STORE_UNWRITABLE', `cannot lock the data folder ${folder}: ${describe(cause)}`, {
      cause,
    });
  }
}
