import { Command, InvalidArgumentError, Option } from 'commander';
import { isKept, isStreamName, KEPT_STREAMS, type StreamName } from '../../streams/internal.ts';
import type { FeedStatus } from '../client/node.ts';
import type { AccountConfig } from '../config/accounts.ts';
import { RECORD_CHANNELS } from '../contract/feed/names.ts';
import { parseLogPosition } from '../research/log-position.ts';
import { logRange } from '../research/log-range.ts';
import { filterFault, follow, type TapFilter, tapOnce } from '../research/tap.ts';
import type { Outputs, Store } from '../store/store.ts';
import { loadWithAccounts } from './load-config.ts';
import { addManual } from './manual.ts';
import { note, noteNothing, noteRange } from './notes.ts';
import { openData } from './open-data.ts';
import { addSettings } from './options.ts';
import type { ProcessLike } from './process-like.ts';
import { listenForStop } from './stop-signals.ts';
import { writeLines } from './write-lines.ts';

interface Flags extends Readonly<Record<string, unknown>> {
  readonly account?: string;
  readonly event?: number;
  readonly from?: number;
  readonly once?: true;
  readonly url?: string;
  readonly channel?: string;
  readonly key?: string;
  readonly cursor?: string;
}

const SETTINGS_READ = ['data', 'accounts', 'accountA', 'accountB'] as const;

function toStream(name: string, command: Command): StreamName {
  const expected = `expected one of ${KEPT_STREAMS.join(', ')}`;
  if (!isStreamName(name)) return command.error(`error: there is no stream ${name}, ${expected}`);
  if (!isKept(name)) {
    return command.error(
      `error: ${name} changes every second and is not kept in the data folder, ${expected}`,
    );
  }
  return name;
}

/** The first seq to be shown; undefined stands for `now`. */
function toFrom(text: string): number | undefined {
  if (text === 'now') return undefined;
  const position = parseLogPosition(text);
  if (position?.by !== 'seq')
    throw new InvalidArgumentError('expected now or seq: with a number, such as seq:120');
  return position.seq;
}

function toEvent(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('expected the number of an event');
  return Number(text);
}

type NamedAccount = Pick<AccountConfig, 'id' | 'segment'>;

/** The account with this id or segment. */
function findAccount(name: string, accounts: readonly NamedAccount[]): NamedAccount | undefined {
  const wanted = name.toLowerCase();
  return (
    accounts.find(({ id }) => id === wanted) ??
    accounts.find(({ segment }) => segment.toLowerCase() === wanted)
  );
}

/** Accounts that were removed from the configuration still have outputs in the folder. */
function toAccount(name: string, accounts: readonly NamedAccount[], outputs: Outputs, command: Command) {
  const stored = outputs.latest('velocity').map(({ key }) => key);
  const id = findAccount(name, accounts)?.id ?? stored.find((each) => each === name);
  const known = new Set([...accounts.flatMap((each) => [each.id, each.segment]), ...stored]);
  return id ?? command.error(`error: unknown account ${name}, expected one of ${[...known].join(', ')}`);
}

/** Follows the feed of a service over the network. */
async function tapUrl(
  url: string,
  name: string,
  flags: Flags,
  command: Command,
  proc: ProcessLike,
): Promise<void> {
  const {
    account,
    key,
    cursor: cursorFile,
    event,
    from,
    once,
    url: _url,
    channel: _channel,
    ...settings
  } = flags;
  const channel = RECORD_CHANNELS.find((each) => each === name);
  if (channel === undefined) {
    return command.error(`error: there is no channel ${name}, expected one of ${RECORD_CHANNELS.join(', ')}`);
  }
  if (!/^https?:\/\//.test(url))
    command.error(`error: expected an address such as http://host:8080, found ${url}`);
  if (event !== undefined || from !== undefined || once) {
    command.error('error: --event, --from and --once work on a data folder, not with --url');
  }
  const { accounts: known } = loadWithAccounts(SETTINGS_READ, { flags: settings, env: proc.env });
  const accounts = account === undefined ? undefined : [findAccount(account, known)?.segment ?? account];
  const stop = listenForStop(proc);
  let wasLive = false;
  try {
    const onStatus = (status: FeedStatus) => {
      if (status.state === 'live') wasLive = true;
      else if (wasLive) note(proc, JSON.stringify(status));
    };
    const onUnreachable = () => note(proc, `nothing answers at ${url}; it is tried again until it does`);
    const { signal } = stop;
    const { tapFeed } = await import('./tap-feed.ts');
    await writeLines(
      tapFeed({ url, channel, accounts, key, cursorFile, onStatus, onUnreachable, signal }),
      proc.stdout,
    );
  } finally {
    stop.release();
  }
}

async function tap(
  argument: string | undefined,
  flags: Flags,
  command: Command,
  proc: ProcessLike,
): Promise<void> {
  const name = argument ?? flags.channel;
  if (name === undefined) return command.error("error: missing required argument 'stream'");
  if (flags.url !== undefined) return tapUrl(flags.url, name, flags, command, proc);
  const { account, event, from, once, channel, key, cursor, ...settings } = flags;
  if (channel !== undefined || key !== undefined || cursor !== undefined) {
    command.error('error: --channel, --key and --cursor need the address of a feed, given with --url');
  }
  const stream = toStream(name, command);
  const { values, accounts } = loadWithAccounts(SETTINGS_READ, { flags: settings, env: proc.env });
  const fault = filterFault({ stream, account, eventId: event });
  if (fault !== undefined) command.error(`error: ${fault}`);

  const store = await openData(values.data);
  const stop = listenForStop(proc);
  try {
    const filter: TapFilter = {
      stream,
      account: account === undefined ? undefined : toAccount(account, accounts, store.outputs, command),
      eventId: event,
    };
    if (once) {
      const lines = tapOnce(store.outputs, filter).map((output) => `${JSON.stringify(output)}\n`);
      if (lines.length === 0) noteNothing(store, `value of ${stream} that passes`, proc);
      await writeLines(lines, proc.stdout);
      return;
    }
    const fromSeq = from ?? store.outputs.upTo + 1;
    noteRange(store, from === undefined ? undefined : { by: 'seq', seq: from }, undefined, proc);
    noteQuietLog(store, values.data, proc);
    await writeLines(follow(store.outputs, filter, { fromSeq, signal: stop.signal }), proc.stdout);
  } finally {
    stop.release();
    await store.close();
  }
}

/** A log that has not grown for so long is one that no engine writes. */
const QUIET_MS = 60_000;

/** Nothing will come from a folder that no engine writes to. */
function noteQuietLog(store: Store, data: string, proc: ProcessLike): void {
  const range = logRange(store);
  if (range === undefined || Date.now() - range.last.at < QUIET_MS) return;
  note(
    proc,
    `no engine seems to run on ${data}: its last observation is of ${new Date(range.last.at).toISOString()}`,
  );
}

export function tapCommand(proc: ProcessLike): Command {
  const command = new Command('tap')
    .argument('[stream]', `one of ${KEPT_STREAMS.join(', ')}; or a channel of the feed`)
    .option('--account <account>', 'only this account: its id, such as a, or its path segment')
    .addOption(new Option('--event <id>', 'only this event').argParser(toEvent))
    .addOption(
      new Option('--from <moment>', 'seq:N for outputs from observation N on, or now (default: now)')
        .argParser(toFrom)
        .conflicts('once'),
    )
    .option('--once', 'print the latest value of each key and end')
    .option('--url <address>', 'follow the feed of the service there instead of a data folder')
    .option('--channel <channel>', `channel of the feed: ${RECORD_CHANNELS.join(', ')}`)
    .option('--key <key>', 'API key for the service')
    .option('--cursor <file>', 'keep the position in this file, and resume from it')
    .action((name: string | undefined, flags: Flags, self: Command) => tap(name, flags, self, proc));
  return addManual(addSettings(command, SETTINGS_READ), {
    summary: 'follow a stream of a running engine',
    description:
      'Prints the outputs of a stream as one JSON object per line, as soon as they are stored. It reads the data ' +
      'folder, so it never slows the engine down and works on the same machine only; with --url it follows the ' +
      'feed of a service anywhere, across lost connections and restarts, and prints its frames. It ends with ' +
      'SIGINT, SIGTERM or when the reader of its output closes the pipe.',
    examples: [
      ['tallywire tap counters --account a', "follow account A's counters"],
      ['tallywire tap prices --event 4021 --from seq:1 | head -n 100', 'see the first prices of an event'],
      ['tallywire tap events --once | jq .record.title', 'list the titles of all events'],
      [
        'tallywire tap tweets --url http://127.0.0.1:8080 --cursor tweets.json',
        'every post once, also those made between two runs',
      ],
    ],
    exitCodes: [
      [0, 'ended on request'],
      [1, 'there is no store in the data folder, or it cannot be read; or the service refused'],
      [2, 'bad usage or configuration'],
    ],
  });
}
