import { isKept, type Output, type StreamName } from '../../../streams/internal.ts';
import type { KeptOutput, Outputs } from '../store.ts';
import { type Environment, type History, putLast } from './environment.ts';
import { parseStored } from './stored-text.ts';
import type { WriteSize } from './write-size.ts';

/** LMDB takes keys up to 1,978 bytes; the name of the stream and separators are part of them. */
const MAX_KEY_BYTES = 1_900;

const ROWS_PER_STEP = 1_000;
/** Fewer rows backwards, as such a step is taken while requests are being answered. */
const ROWS_PER_STEP_BACK = 32;

type HistoryKey = [seq: number, n: number];

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
  const latest = new Map<string, { key: [string, string]; json: string }>();
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
    latest.set(`${stream} ${key}`, { key: [stream, key], json });
  }
  history.sort((a, b) => a.key[0] - b.key[0]);
  return { history, latest: [...latest.values()], bytes };
}

export function openOutputs({ durable, root, meta, histories, latest, isReadOnly }: Environment): Outputs {
  const mark = () => Number(meta.get('upTo') ?? '0');
  let upTo = mark();
  let isWriting = false;

  /** One append or clear at a time, so that none builds on another that then fails. */
  async function exclusive(
    write: () => PromiseLike<unknown>,
    what: string,
    size: WriteSize,
    newMark: number,
  ): Promise<void> {
    if (isWriting) throw new RangeError(`write of ${what} while another is under way`);
    isWriting = true;
    try {
      await durable(write, what, size);
      upTo = newMark;
    } finally {
      isWriting = false;
    }
  }

  return {
    get upTo() {
      return isReadOnly ? mark() : upTo;
    },

    async append(outputs, newMark) {
      checkOutputs(outputs, upTo, newMark);
      const rows = toRows(outputs);
      const write = () =>
        root.batch(() => {
          for (const { stream, key, json } of rows.history) {
            const history = histories.get(stream);
            if (history) void putLast(history, key, json);
          }
          for (const { key, json } of rows.latest) void latest.put(key, json);
          void meta.put('upTo', String(newMark));
        });
      // Each text is kept twice at most.
      const size = { rows: rows.latest.length + 1, bytes: 2 * rows.bytes };
      await exclusive(write, `outputs up to seq ${newMark}`, size, newMark);
    },

    latest(stream) {
      const outputs: Output[] = [];
      for (const { key, value } of latest.getRange({ start: [stream, ''] })) {
        if (key[0] !== stream) break;
        outputs.push(parseStored<Output>(value, `the latest of ${key.join(' ')}`));
      }
      return outputs;
    },

    *read(stream, fromSeq): Iterable<KeptOutput> {
      const history = histories.get(stream);
      let start: HistoryKey = [fromSeq, 0];
      let exclusiveStart = false;
      while (history !== undefined) {
        const rows = [...history.getRange({ start, exclusiveStart, limit: ROWS_PER_STEP })];
        for (const { key, value } of rows) yield { stream, seq: key[0], json: value };
        const last = rows.at(-1);
        if (last === undefined) return;
        start = last.key;
        exclusiveStart = true;
      }
    },

    *readBack(stream, fromSeq): Iterable<KeptOutput> {
      const history = histories.get(stream);
      let start: HistoryKey = [fromSeq + 1, 0];
      while (history !== undefined) {
        const step = { start, exclusiveStart: true, reverse: true, limit: ROWS_PER_STEP_BACK };
        const rows = [...history.getRange(step)];
        for (const { key, value } of rows) yield { stream, seq: key[0], json: value };
        const last = rows.at(-1);
        if (last === undefined) return;
        start = last.key;
      }
    },

    async prune(beforeSeq, maxRows) {
      const stale: { history: History; key: HistoryKey }[] = [];
      for (const history of histories.values()) {
        const limit = maxRows - stale.length;
        if (limit === 0) break;
        for (const key of history.getKeys({ end: [beforeSeq, 0], limit })) stale.push({ history, key });
      }
      if (stale.length === 0) return 0;
      const removal = () =>
        root.batch(() => {
          for (const { history, key } of stale) void history.remove(key);
        });
      await durable(removal, 'the pruned history', { rows: stale.length, bytes: 0 });
      return stale.length;
    },

    async clear() {
      const write = () =>
        root.batch(() => {
          for (const history of histories.values()) void history.clearAsync();
          void latest.clearAsync();
          void meta.remove('upTo');
        });
      await exclusive(write, 'cleared outputs', { rows: histories.size + 2, bytes: 0 }, 0);
    },
  };
}
