import { createHash } from 'node:crypto';
import {
  createRunner,
  decodeState,
  encodeState,
  GRAPH_VERSION,
  type GraphState,
  KEPT_STREAMS,
  type Output,
  type StreamName,
} from '../../streams/internal.ts';
import { createLoopYield, UNATTENDED_TURN_MS } from '../resilience/loop-yield.ts';
import { type KeptOutput, type Outputs, PRUNED_BEFORE_NOTE, type Store } from '../store/store.ts';
import type { Difference } from './difference.ts';
import { compareLatest, createRecomputedLatest } from './latest-values.ts';
import { earliestStart } from './replay-start.ts';
import { openResimulation } from './resimulate.ts';

export interface StreamDigest {
  readonly stream: StreamName;
  readonly count: number;
  /** Hash of the kept JSON lines, joined by line feeds. */
  readonly sha256: string;
}

export interface Verdict {
  /** Outputs of the observations from `fromSeq` to `toSeq` were compared. */
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly streams: readonly StreamDigest[];
  readonly latest: number;
  readonly checkpoints: number;
  /** Fits and forecasts of the log that were simulated again. */
  readonly simulated: number;
  /** The first difference in the order of the log. */
  readonly difference: Difference | null;
}

/** Enough to notice a model that gives other digits, in seconds. */
const USUAL_SIMULATIONS = 100;

export interface VerifyOptions {
  /** How many fits and forecasts of the log are simulated again; infinite for all. */
  readonly simulations?: number;
  readonly onProgress?: (seq: number, head: number) => void;
}

/** The kept outputs of one stream up to a seq, beside those that are recomputed. */
function openComparison(outputs: Outputs, stream: StreamName, range: { fromSeq: number; toSeq: number }) {
  const rows = outputs.read(stream, range.fromSeq)[Symbol.iterator]();
  const hash = createHash('sha256');
  let count = 0;
  const next = (): KeptOutput | undefined => {
    const { value, done } = rows.next();
    return done || value.seq > range.toSeq ? undefined : value;
  };
  let kept = next();

  return {
    /** Compares the next kept output with one that was recomputed. */
    match(seq: number, recomputed: string): Difference | undefined {
      const found = kept?.seq === seq ? kept.json : null;
      if (found !== recomputed) return { place: stream, seq, kept: found, recomputed };
      hash.update(count++ === 0 ? found : `\n${found}`);
      kept = next();
      return undefined;
    },
    /** A kept output that nothing up to `seq` explains. */
    leftover(seq: number): Difference | undefined {
      if (kept === undefined || kept.seq > seq) return undefined;
      return { place: stream, seq: kept.seq, kept: kept.json, recomputed: null };
    },
    digest: (): StreamDigest => ({ stream, count, sha256: hash.copy().digest('hex') }),
  };
}

/** Compares the checkpoints of this graph as the recomputation passes them. */
function openCheckpointComparison({ checkpoints }: Store, afterSeq: number) {
  const seqs = checkpoints
    .list()
    .filter(({ seq, graphVersion }) => graphVersion === GRAPH_VERSION && seq > afterSeq)
    .map(({ seq }) => seq);
  let passed = 0;
  return {
    count: () => passed,
    pass(seq: number, state: GraphState): Difference | undefined {
      if (seqs[0] !== seq) return undefined;
      seqs.shift();
      const checkpoint = checkpoints.newest(GRAPH_VERSION, seq);
      // A running engine may have removed it since it was listed.
      if (checkpoint?.seq !== seq) return undefined;
      const recomputed = encodeState(state);
      const { state: kept } = checkpoint;
      // An earlier program wrote the same state in another form.
      if (kept !== recomputed && encodeState(decodeState(kept)) !== recomputed)
        return { place: 'checkpoint', seq, kept, recomputed };
      passed += 1;
      return undefined;
    },
    leftover(head: number): Difference | undefined {
      const seq = seqs.find((each) => each > head);
      return seq === undefined
        ? undefined
        : { place: 'checkpoint', seq, kept: `seq ${seq}`, recomputed: null };
    },
  };
}

/** Each output is durable together with the mark, so none may lie beyond it. Rows are read before the mark. */
function beyondMark(outputs: Outputs, toSeq: number): Difference | undefined {
  for (const stream of KEPT_STREAMS) {
    for (const { seq, json } of outputs.read(stream, toSeq + 1)) {
      if (seq > outputs.upTo) return { place: stream, seq, kept: json, recomputed: null };
      break;
    }
  }
  return undefined;
}

/**
 * Recomputes every output from the log and compares it byte for byte with what the store keeps: history,
 * latest values and checkpoints; and simulates a part of the logged forecasts again. The log may be ahead of the
 * outputs, by what an engine that was killed or is running has not stored yet; only outputs after the store's own
 * mark may be missing.
 */
export async function verify(store: Store, options: VerifyOptions = {}): Promise<Verdict> {
  const { journal, outputs, notes } = store;
  const start = earliestStart(store);
  const checkpoints = openCheckpointComparison(store, start.seq);
  // The mark before the head: a running engine logs first, so the head is never behind.
  const toSeq = outputs.upTo;
  const head = journal.head;
  const fromSeq = Math.max(start.seq + 1, Number(notes.get(PRUNED_BEFORE_NOTE) ?? 0));
  const streams = new Map(
    KEPT_STREAMS.map((stream) => [stream, openComparison(outputs, stream, { fromSeq, toSeq })]),
  );
  const latest = createRecomputedLatest();
  const { state, run } = createRunner(start.state);
  const resimulation = openResimulation(options.simulations ?? USUAL_SIMULATIONS);
  const loop = createLoopYield(UNATTENDED_TURN_MS);

  function compareTurn(seq: number, emitted: readonly Output[]): Difference | undefined {
    for (const output of emitted) {
      const stream = streams.get(output.stream);
      if (stream === undefined) continue;
      const json = JSON.stringify(output);
      latest.put(output, json);
      const difference = seq < fromSeq ? undefined : stream.match(seq, json);
      if (difference) return difference;
    }
    for (const stream of streams.values()) {
      const difference = stream.leftover(seq);
      if (difference) return difference;
    }
    return undefined;
  }

  async function compareLog(): Promise<Difference | undefined> {
    for (const observation of journal.read(start.seq + 1)) {
      const { seq } = observation;
      if (seq > head) break;
      const emitted = run(observation);
      const difference =
        (seq <= toSeq ? compareTurn(seq, emitted) : undefined) ??
        checkpoints.pass(seq, state) ??
        resimulation.handle(observation, emitted);
      if (difference) return difference;
      if (!loop.isDue()) continue;
      options.onProgress?.(seq, head);
      await loop.yield();
    }
    return undefined;
  }

  async function compareSimulations(): Promise<Difference | undefined> {
    for (let compared = resimulation.next(); compared !== undefined; compared = resimulation.next()) {
      if (compared.difference) return compared.difference;
      if (loop.isDue()) await loop.yield();
    }
    return undefined;
  }

  const difference =
    (await compareLog()) ??
    [...streams.values()].map((stream) => stream.leftover(toSeq)).find((each) => each !== undefined) ??
    compareMark(toSeq, head) ??
    checkpoints.leftover(head) ??
    beyondMark(outputs, toSeq) ??
    compareLatest(outputs, latest, { afterSeq: start.seq, toSeq }) ??
    (await compareSimulations());
  return {
    fromSeq,
    toSeq,
    streams: [...streams.values()].map((stream) => stream.digest()),
    latest: latest.count(),
    checkpoints: checkpoints.count(),
    simulated: resimulation.count(),
    difference: difference ?? null,
  };
}

function compareMark(toSeq: number, head: number): Difference | undefined {
  if (toSeq <= head) return undefined;
  return { place: 'log', seq: head + 1, kept: `outputs up to seq ${toSeq}`, recomputed: null };
}
