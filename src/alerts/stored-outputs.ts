import type { Output } from '../../streams/internal.ts';
import type { KeptOutput, Outputs } from '../store/store.ts';
import { WATCHED_STREAMS } from './known.ts';

/** The stored outputs of the watched streams after a seq and up to another one, those of each observation together. */
export function* storedGroups(
  outputs: Pick<Outputs, 'read'>,
  afterSeq: number,
  upToSeq: number,
): Generator<readonly Output[]> {
  const ahead = WATCHED_STREAMS.map((stream) => {
    const rows = outputs.read(stream, afterSeq + 1)[Symbol.iterator]();
    return { rows, next: nextOf(rows) };
  });
  for (;;) {
    const seq = Math.min(...ahead.map(({ next }) => next?.seq ?? Number.POSITIVE_INFINITY));
    if (seq > upToSeq) break;
    const group: Output[] = [];
    for (const stream of ahead) {
      while (stream.next?.seq === seq) {
        // The store returns the JSON of the outputs it was given.
        group.push(JSON.parse(stream.next.json) as Output);
        stream.next = nextOf(stream.rows);
      }
    }
    yield group;
  }
  for (const { rows } of ahead) rows.return?.();
}

function nextOf(rows: Iterator<KeptOutput>): KeptOutput | undefined {
  const { done, value } = rows.next();
  return done === true ? undefined : value;
}

/** The outputs of a turn, those of each observation together, in the order of the log. */
export function groupsOf(outputs: readonly Output[]): readonly (readonly Output[])[] {
  const groups = new Map<number, Output[]>();
  for (const output of outputs) {
    const group = groups.get(output.seq) ?? [];
    groups.set(output.seq, group);
    group.push(output);
  }
  return [...groups].sort(([a], [b]) => a - b).map(([, group]) => group);
}
