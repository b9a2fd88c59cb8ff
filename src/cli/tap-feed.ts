import { access, constants, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { merge, mergeMap, type Observable } from 'rxjs';
import * as z from 'zod';
import {
  type Cursor,
  createClient,
  type DataChannel,
  type DataFrame,
  type Feed,
  type FeedStatus,
  iterate,
  TallywireError,
} from '../client/node.ts';
import { messageOf, ServiceError } from '../errors.ts';

/** The cursors are saved at most this often. */
const SAVE_MS = 200;

const CursorFile = z.record(z.string(), z.object({ epoch: z.string(), seq: z.int().min(0) }));

interface FeedTap {
  readonly url: string;
  readonly channel: DataChannel;
  /** Path segments, for channels that have accounts; all of the service's when undefined. */
  readonly accounts: readonly string[] | undefined;
  readonly key: string | undefined;
  /** Keeps the cursors from one run to the next. */
  readonly cursorFile: string | undefined;
  readonly onStatus: (status: FeedStatus) => void;
  /** Called once when nothing answers at the address. */
  readonly onUnreachable: () => void;
  readonly signal: AbortSignal;
}

/** Frames of a channel as JSON lines, until the signal. With a cursor file each comes at least once. */
export async function* tapFeed(tap: FeedTap): AsyncGenerator<string> {
  const client = createClient({ url: tap.url, key: tap.key, accounts: tap.accounts });
  const feed = client.feed();
  const status = feed.status$.subscribe(tap.onStatus);
  const stop = () => feed.close();
  let isElsewhere = false;
  // The feed waits for the service without a word, however long that takes.
  client.health({ signal: tap.signal }).catch((error: unknown) => {
    if (!(error instanceof TallywireError) || tap.signal.aborted) return;
    if (error.status === 0) tap.onUnreachable();
    if (!isOfOther(error)) return;
    isElsewhere = true;
    feed.close();
  });
  tap.signal.addEventListener('abort', stop, { once: true });
  const cursors = new Map(Object.entries(await readCursors(tap.cursorFile)));
  let savedAt = 0;
  try {
    if (tap.signal.aborted) return;
    const frame$ = framesOf(feed, tap, cursors);
    for await (const frame of iterate(frame$, { overflow: tap.channel === 'tweets' ? 'fail' : 'newest' })) {
      yield `${JSON.stringify(frame)}\n`;
      // The reader has taken this frame, as it asks for more.
      cursors.set(nameOf(frame.channel, frame.account), { epoch: frame.epoch, seq: frame.seq });
      if (performance.now() - savedAt < SAVE_MS) continue;
      await saveCursors(tap.cursorFile, cursors);
      savedAt = performance.now();
    }
  } catch (error) {
    isElsewhere ||= isOfOther(error);
    if (!isElsewhere) throw error;
  } finally {
    tap.signal.removeEventListener('abort', stop);
    status.unsubscribe();
    feed.close();
    await saveCursors(tap.cursorFile, cursors);
  }
  if (isElsewhere) {
    throw new ServiceError(
      'TAP_OTHER_SERVICE',
      `no tallywire answers at ${tap.url}, but something else does`,
    );
  }
}

/** Whether what answers knows none of the paths that every service has. */
function isOfOther(error: unknown): boolean {
  return error instanceof TallywireError && /^(not_found|http_404)$/.test(error.code);
}

type Cursors = ReadonlyMap<string, Cursor>;

function framesOf(feed: Feed, { channel }: FeedTap, cursors: Cursors): Observable<DataFrame> {
  if (channel === 'crypto' || channel === 'test') return feed[channel]({ resume: cursors.get(channel) });
  const followOne = (account: string): Observable<DataFrame> =>
    feed[channel](account, { resume: cursors.get(nameOf(channel, account)) });
  return feed.accounts$.pipe(mergeMap((accounts) => merge(...accounts.map(followOne))));
}

function nameOf(channel: string, account: string | null): string {
  return account === null ? channel : `${channel}/${account}`;
}

async function readCursors(file: string | undefined): Promise<z.output<typeof CursorFile>> {
  if (file === undefined) return {};
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw new ServiceError('TAP_CURSOR', `${file} cannot be read: ${messageOf(error)}`, { cause: error });
  });
  // The first run.
  if (text === undefined) {
    await checkFolder(file);
    return {};
  }
  try {
    return CursorFile.parse(JSON.parse(text));
  } catch (cause) {
    throw new ServiceError('TAP_CURSOR', `${file} is not a cursor file; name another one`, { cause });
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Told before anything is read, as what was read could not be remembered. */
async function checkFolder(file: string): Promise<void> {
  const folder = dirname(file);
  try {
    await access(folder, constants.W_OK);
  } catch (cause) {
    const why = isMissing(cause)
      ? `there is no folder ${folder}`
      : `the folder ${folder} cannot be written to`;
    throw new ServiceError('TAP_CURSOR', `${file} cannot keep the cursor: ${why}`, { cause });
  }
}

/** Replaces the file at once, so that a crash leaves no half of it. */
async function saveCursors(file: string | undefined, cursors: Cursors): Promise<void> {
  if (file === undefined || cursors.size === 0) return;
  await writeFile(`${file}.new`, `${JSON.stringify(Object.fromEntries(cursors))}\n`);
  await rename(`${file}.new`, file);
}
