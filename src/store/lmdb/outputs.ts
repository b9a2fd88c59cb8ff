import { compareKeys } from '#database';
import { type AccountId, isKept, type Output, type StreamName } from '../../../streams/internal.ts';
import type { KeptOutput, LatestText, Outputs } from '../store.ts';
import type { Row } from './checked-rows.ts';
import { latestAfter, NOTHING_DERIVED, putDerivedMark, readDerivedMark } from './derived-parts.ts';
import type { Environment, History } from './environment.ts';
import {
  checkHead,
  type HeadRows,
  headOf,
  headRowsOf,
  makeHeads,
  NO_HEAD_ROWS,
  putHeadRows,
  readHeads,
  sizeOf,
} from './event-heads.ts';
import {
  checkLatest,
  compareLatest,
  droppedRows,
  forgetDropped,
  jsonOf,
  NO_OUTPUTS,
  numberedRow,
  numberOf,
  type OutputMark,
  putDropped,
  putOutputMark,
  readOutputMark,
} from './output-mark.ts';
import { parseStored } from './stored-text.ts';
import { checkCount, checkEntry, countEntries, makeTimelines, putEntry, readEntries } from './timelines.ts';
import type { WriteSize } from './write-size.ts';

/** LMDB takes keys up to 1,978 bytes; the name of the stream and separators are part of them. */
const MAX_KEY_BYTES = 1_900;

const ROWS_PER_STEP = 1_000;
/** Fewer rows backwards, as such a step is taken while requests are being answered. */
const ROWS_PER_STEP_BACK = 32;

type HistoryKey = [seq: number, n: number];
const AFTER_ALL: HistoryKey = [Number.MAX_SAFE_INTEGER, 0];

type LatestKey = [stream: string, key: string];
const BEFORE_ALL: LatestKey = ['', ''];
/** So many latest rows or entries are looked through before they are first used, which takes some tenths of a second. */
const CHECKED_AT_ONCE = 50_000;
const ROWS_PER_CHECK = 100;

type Pause = Parameters<Outputs['check']>[0];

interface LatestRow {
  readonly key: LatestKey;
  readonly json: string;
  readonly output: Output;
}

interface LatestChange extends LatestRow {
  readonly before: string | undefined;
  /** By how much it changes the sum of the checksums. */
  readonly difference: number;
}

/** Throws unless the outputs belong to the observations after `from` up to `upTo`: anything else is a bug. */
export function checkOutputs(outputs: readonly Output[], from: number, upTo: number): void {
  if (upTo < from) throw new RangeError(`outputs up to ${upTo}, but they are kept up to ${from} already`);
  for (const { stream, key, seq } of outputs) {
    if (!isKept(stream)) continue;
    if (seq <= from || seq > upTo) {
      throw new RangeError(`output of seq ${seq} in ${stream}, expected ${from + 1} to ${upTo}`);
    }
    if (Buffer.byteLength(key) > MAX_KEY_BYTES) {
      throw new RangeError(
        `key of ${Buffer.byteLength(key)} bytes in ${stream}, expected up to ${MAX_KEY_BYTES}`,
      );
    }
  }
}

/** The rows of a batch of outputs for history and latest; latest takes only the last output of each key. */
function toRows(outputs: readonly Output[]) {
  const history: { stream: StreamName; key: HistoryKey; json: string }[] = [];
  const latest = new Map<string, LatestRow>();
  const counts = new Map<string, number>();
  let bytes = 0;
  for (const output of outputs) {
    const { stream, key, seq } = output;
    if (!isKept(stream)) continue;
    const json = JSON.stringify(output);
    bytes += Buffer.byteLength(json);
    const place = `${stream} ${seq}`;
    const n = counts.get(place) ?? 0;
    counts.set(place, n + 1);
    history.push({ stream, key: [seq, n], json });
    latest.set(`${stream} ${key}`, { key: [stream, key], json, output });
  }
  history.sort((a, b) => a.key[0] - b.key[0]);
  return { history, latest, bytes };
}

export function openOutputs(environment: Environment, checkedAtOnce = CHECKED_AT_ONCE): Outputs {
  const { durable, damage, root, histories, latest, timelines, eventHeads, isReadOnly } = environment;
  const readMark = () => readOutputMark(environment);
  let mark = readMark();
  let isWriting = false;
  /** How far the latest rows have been looked through, and the sum of those before; undefined before and after that. */
  let checked: { upTo: LatestKey; count: number; sum: number } | undefined;
  let isChecked = isReadOnly;
  /** Undefined unless the timelines have all posts. */
  let indexed = readDerivedMark(environment, 'posts', mark.rows.posts ?? 0);
  /** Undefined unless all events have their heads. */
  let headed = readDerivedMark(environment, 'events', mark.rows.events ?? 0);
  /** By account, as far as they were asked for. */
  const postCounts = new Map<AccountId, number>();

  /** A reader beside the writer relies on the checksums of the single rows. */
  function checkFew(): void {
    if (isChecked || mark.latest[0] > checkedAtOnce) return;
    checkLatest(environment);
    isChecked = true;
  }

  /** The rows that a batch changes, with what they were before. */
  function changesOf(rows: Iterable<LatestRow>): readonly LatestChange[] {
    return Array.from(rows, (row) => {
      const before = latest.get(row.key);
      const difference =
        latest.checksumOf(row.key, row.json) -
        (before === undefined ? 0 : latest.checksumOf(row.key, before));
      return { ...row, before, difference };
    });
  }

  /** Follows a write, so that what was looked through already is not looked at again. */
  function follow(changes: readonly LatestChange[]): void {
    for (const { key, before, difference, output } of changes) {
      if (before === undefined && output.stream === 'posts') {
        const { account } = output.record;
        const known = postCounts.get(account);
        if (known !== undefined) postCounts.set(account, known + 1);
      }
      if (checked === undefined || compareKeys(key, checked.upTo) > 0) continue;
      if (before === undefined) checked.count += 1;
      checked.sum += difference;
    }
  }

  /** Goes through the latest rows after a key, some at a time. Resolves to false where `pause` says to end. */
  async function throughLatest(
    after: LatestKey,
    pause: Pause,
    visit: (rows: readonly Row<string, LatestKey>[]) => boolean,
  ): Promise<boolean> {
    for (let start = after; ; ) {
      // What is being written is neither there nor missing.
      while (isWriting) if (!(await pause())) return false;
      const rows = [...latest.getRange({ start, exclusiveStart: true, limit: ROWS_PER_CHECK })];
      const last = rows.at(-1);
      if (last === undefined || !visit(rows)) return true;
      start = last.key;
      if (!(await pause())) return false;
    }
  }

  async function checkAllLatest(pause: Pause): Promise<boolean> {
    const progress = { upTo: BEFORE_ALL, count: 0, sum: 0 };
    const isThrough = await throughLatest(BEFORE_ALL, pause, (rows) => {
      for (const { key, value } of rows) {
        progress.upTo = key;
        progress.count += 1;
        progress.sum += latest.checksumOf(key, value);
      }
      checked = progress;
      return true;
    });
    if (!isThrough) return false;
    checked = undefined;
    isChecked = true;
    compareLatest(environment, [progress.count, progress.sum], mark.latest);
    return true;
  }

  function checkAllEntries(pause: Pause): Promise<boolean> {
    return throughLatest(['posts', ''], pause, (rows) => {
      for (const { key, value } of rows) {
        const post = parseStored<Output>(value, `the latest of ${key.join(' ')}`);
        if (post.stream !== 'posts') return false;
        checkEntry(environment, post);
      }
      return true;
    });
  }

  function checkAllHeads(pause: Pause): Promise<boolean> {
    return throughLatest(['events', ''], pause, (rows) => {
      for (const { key, value } of rows) {
        if (key[0] !== 'events') return false;
        const event = parseStored<Output>(value, `the latest of ${key.join(' ')}`);
        if (event.stream === 'events') checkHead(environment, event);
      }
      return true;
    });
  }

  /** The rows of heads that a batch changes. Those that are to be made again are left. */
  function headRowsFrom(changes: readonly LatestChange[]): HeadRows {
    if (eventHeads === undefined || headed === undefined) return NO_HEAD_ROWS;
    const events = changes.flatMap(({ output, before }) =>
      output.stream === 'events' ? [{ output, before }] : [],
    );
    return events.length === 0 ? NO_HEAD_ROWS : headRowsOf(eventHeads, events);
  }

  /** One append or clear at a time, so that none builds on another that then fails. */
  async function exclusive(
    write: () => PromiseLike<unknown>,
    what: string,
    size: WriteSize,
    newMark: OutputMark,
    onWritten: () => void,
  ): Promise<void> {
    if (isWriting) throw new RangeError(`write of ${what} while another is under way`);
    isWriting = true;
    try {
      await durable(write, what, size);
      mark = newMark;
      onWritten();
    } finally {
      isWriting = false;
    }
  }

  function jump(stream: StreamName, from: number, to: number): Error {
    return damage(`history.${stream}`, `history.${stream}: jumps from row ${from} to row ${to}`);
  }

  /** The number of the row before `key`, which is that of the last dropped row when there is none. */
  function numberBefore(stream: StreamName, history: History, key: HistoryKey): number {
    const range = { start: key, exclusiveStart: true, reverse: true, limit: 1 };
    for (const { value } of history.getRange(range)) return numberOf(value);
    return droppedRows(environment, stream);
  }

  /** The number of the first row from `key` on, or the one that the next row will have. */
  function numberFrom(stream: StreamName, history: History, key: HistoryKey): number {
    for (const { value } of history.getRange({ start: key, limit: 1 })) return numberOf(value);
    return (readMark().rows[stream] ?? 0) + 1;
  }

  return {
    get upTo() {
      return isReadOnly ? readMark().upTo : mark.upTo;
    },

    async append(outputs, upTo) {
      checkOutputs(outputs, mark.upTo, upTo);
      const rows = toRows(outputs);
      checkFew();
      let [count, sum] = mark.latest;
      const changes = changesOf(rows.latest.values());
      for (const { before, difference } of changes) {
        if (before === undefined) count += 1;
        sum += difference;
      }
      const numbers = { ...mark.rows };
      const history = rows.history.map(({ stream, key, json }) => {
        const number = (numbers[stream] ?? 0) + 1;
        numbers[stream] = number;
        return { stream, key, text: numberedRow(number, json) };
      });
      const newMark: OutputMark = { upTo, rows: numbers, latest: [count, sum] };
      const posts = changes.filter(({ output }) => output.stream === 'posts');
      const newPosts = posts.filter(({ before }) => before === undefined).length;
      const newIndexed =
        posts.length === 0 || indexed === undefined
          ? indexed
          : { historyRows: numbers.posts ?? 0, rows: indexed.rows + newPosts };
      const heads = headRowsFrom(changes);
      const newHeaded =
        heads === NO_HEAD_ROWS || headed === undefined
          ? headed
          : { historyRows: numbers.events ?? 0, rows: headed.rows + heads.added };
      const write = () =>
        root.batch(() => {
          for (const { stream, key, text } of history) void histories.get(stream)?.putLast(key, text);
          for (const { key, json, before, output } of changes) {
            void latest.put(key, json);
            if (output.stream === 'posts' && timelines !== undefined) putEntry(timelines, output, before);
          }
          if (newHeaded !== headed && newHeaded !== undefined && eventHeads !== undefined) {
            putHeadRows(eventHeads, heads);
            putDerivedMark(environment, 'events', newHeaded);
          }
          if (newIndexed !== indexed && newIndexed !== undefined)
            putDerivedMark(environment, 'posts', newIndexed);
          putOutputMark(environment, newMark);
        });
      // Each text is kept twice at most, and a post that is dated anew moves in its timeline.
      const headSize = sizeOf(heads);
      const size = {
        rows: rows.latest.size + 2 * posts.length + headSize.rows + 3,
        bytes: 2 * rows.bytes + headSize.bytes,
      };
      await exclusive(write, `outputs up to seq ${upTo}`, size, newMark, () => {
        indexed = newIndexed;
        headed = newHeaded;
        follow(changes);
      });
    },

    get(stream, key) {
      const text = latest.get([stream, key]);
      return text === undefined ? undefined : parseStored<Output>(text, `the latest of ${stream} ${key}`);
    },

    *timeline(account, from = {}) {
      if (timelines !== undefined) yield* readEntries(timelines, account, from);
    },

    postCount(account) {
      const known =
        postCounts.get(account) ?? (timelines === undefined ? 0 : countEntries(timelines, account));
      // What is being written may be counted already, and would be counted again when it is.
      if (!isWriting && !isReadOnly) postCounts.set(account, known);
      return known;
    },

    async prepare() {
      if (indexed !== undefined && indexed.rows <= checkedAtOnce) checkCount(environment, indexed);
      indexed ??= await makeTimelines(environment, mark.rows.posts ?? 0);
      headed ??= await makeHeads(environment, mark.rows.events ?? 0);
      postCounts.clear();
    },

    async check(pause) {
      if (!isChecked && !(await checkAllLatest(pause))) return;
      if (indexed !== undefined && !(await checkAllEntries(pause))) return;
      if (headed !== undefined) await checkAllHeads(pause);
    },

    *eventHeads() {
      checkFew();
      const isThere = readDerivedMark(environment, 'events', readMark().rows.events ?? 0) !== undefined;
      if (eventHeads !== undefined && isThere) yield* readHeads(eventHeads);
      else for (const event of latestAfter(environment, 'events')) yield headOf(event);
    },

    latest(stream) {
      checkFew();
      const outputs: Output[] = [];
      for (const { key, value } of latest.getRange({ start: [stream, ''] })) {
        if (key[0] !== stream) break;
        outputs.push(parseStored<Output>(value, `the latest of ${key.join(' ')}`));
      }
      return outputs;
    },

    latestAfter(stream, key, limit) {
      checkFew();
      const found: LatestText[] = [];
      const range = {
        start: [stream, key ?? ''] satisfies LatestKey,
        exclusiveStart: key !== undefined,
        limit,
      };
      for (const row of latest.getRange(range)) {
        if (row.key[0] !== stream) break;
        found.push({ key: row.key[1], json: row.value });
      }
      return found;
    },

    *read(stream, fromSeq): Iterable<KeptOutput> {
      const history = histories.get(stream);
      let start: HistoryKey = [fromSeq, 0];
      let isFirst = true;
      let number = 0;
      while (history !== undefined) {
        const rows = [...history.getRange({ start, exclusiveStart: !isFirst, limit: ROWS_PER_STEP })];
        // Rows may have been dropped since the last step.
        if (isFirst || !history.has(start)) number = numberBefore(stream, history, rows[0]?.key ?? AFTER_ALL);
        for (const { value } of rows) {
          if (numberOf(value) !== number + 1) throw jump(stream, number, numberOf(value));
          number += 1;
        }
        const last = readMark().rows[stream] ?? 0;
        if (rows.length < ROWS_PER_STEP && number < last) throw jump(stream, number, last);
        for (const { key, value } of rows) yield { stream, seq: key[0], json: jsonOf(value) };
        const lastRow = rows.at(-1);
        if (lastRow === undefined) return;
        start = lastRow.key;
        isFirst = false;
      }
    },

    *readBack(stream, fromSeq): Iterable<KeptOutput> {
      const history = histories.get(stream);
      let start: HistoryKey = [fromSeq + 1, 0];
      let number: number | undefined;
      while (history !== undefined) {
        const step = { start, exclusiveStart: true, reverse: true, limit: ROWS_PER_STEP_BACK };
        const rows = [...history.getRange(step)];
        number ??= numberFrom(stream, history, start);
        for (const { value } of rows) {
          if (numberOf(value) !== number - 1) throw jump(stream, numberOf(value), number);
          number -= 1;
        }
        const dropped = rows.length < ROWS_PER_STEP_BACK ? droppedRows(environment, stream) : number;
        if (dropped < number - 1) throw jump(stream, dropped, number);
        for (const { key, value } of rows) yield { stream, seq: key[0], json: jsonOf(value) };
        const last = rows.at(-1);
        if (last === undefined) return;
        start = last.key;
      }
    },

    async prune(beforeSeq, maxRows) {
      const stale: { history: History; key: HistoryKey }[] = [];
      const dropped: Partial<Record<StreamName, number>> = {};
      for (const [stream, history] of histories) {
        const limit = maxRows - stale.length;
        if (limit === 0) break;
        for (const { key, value } of history.getRange({ end: [beforeSeq, 0], limit })) {
          stale.push({ history, key });
          dropped[stream] = numberOf(value);
        }
      }
      if (stale.length === 0) return 0;
      const removal = () =>
        root.batch(() => {
          for (const { history, key } of stale) void history.remove(key);
          putDropped(environment, dropped);
        });
      await durable(removal, 'the pruned history', { rows: stale.length + histories.size, bytes: 0 });
      return stale.length;
    },

    async clear() {
      const write = () =>
        root.batch(() => {
          for (const history of histories.values()) void history.clear();
          void latest.clear();
          void timelines?.clear();
          putDerivedMark(environment, 'posts', NOTHING_DERIVED);
          void eventHeads?.clear();
          putDerivedMark(environment, 'events', NOTHING_DERIVED);
          forgetDropped(environment);
          putOutputMark(environment, NO_OUTPUTS);
        });
      const size = { rows: 2 * histories.size + 7, bytes: 0 };
      await exclusive(write, 'cleared outputs', size, NO_OUTPUTS, () => {
        postCounts.clear();
        indexed = NOTHING_DERIVED;
        headed = NOTHING_DERIVED;
        checked = undefined;
        isChecked = true;
      });
    },
  };
}
