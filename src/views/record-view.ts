import type { Input, Output, StreamName } from '../../streams/internal.ts';
import { includes, type Tier } from '../access/tiers.ts';
import type { FeedCause } from '../contract/feed.ts';
import { type Ages, closeRecords } from './as-of.ts';
import type { Audience, AudienceKind } from './audience.ts';
import type { Latest, OutputOf } from './latest.ts';

/** The latest values at one moment, with the inputs that are past their limit by then. */
export interface Moment {
  readonly latest: Latest;
  readonly late: readonly Input[];
}

/** UTC ms. The time left runs with the ticks, so that a record stays the same until the next one. */
interface Instant {
  readonly nowMs: number;
  readonly tickAt: number;
}

/** A record as JSON text at an instant; open up to its ages where the record has an `as_of`. */
export type RenderedRecord = (instant: Instant) => string;

/** By stream: the keys of the records an output may change, or undefined where the output is about other records. */
type MovedBy = {
  readonly [Stream in StreamName]?: (
    output: OutputOf<Stream>,
    latest: Latest,
  ) => readonly string[] | undefined;
};

/**
 * The one declaration of a record: which ones there are, which outputs move them, and how each is rendered. REST
 * bodies, their tags and the frames of the feed all follow from it.
 */
export interface RecordView {
  readonly audiences: AudienceKind;
  /** Whether it lists stale inputs, so that an input which grows late changes it without an output. */
  readonly listsStale: boolean;
  readonly hasAsOf: boolean;
  readonly movedBy: MovedBy;
  /** Streams that change the PRO record alone. */
  readonly paidStreams?: readonly StreamName[];
  /** Keys of the records there are, in the order of the REST body. */
  keys(latest: Latest): readonly string[];
  /** Undefined when there is no such record for this audience. */
  render(moment: Moment, key: string, audience: Audience): RenderedRecord | undefined;
  /** A cause beyond that of the output itself; follows the outputs from the moment it is made. */
  readonly createExtraCause?: (latest: Latest) => (output: Output) => FeedCause | undefined;
  /** How the feed stores a record of which every reader may have another rendering: as facts, rendered when read. */
  readonly facts?: {
    write(moment: Moment, key: string, ages: Ages): string | undefined;
    render(facts: string, audience: Audience): string;
  };
}

/** The keys an output moves; undefined when it moves none, now or at any other time. */
export function movedKeys(
  { movedBy }: Pick<RecordView, 'movedBy'>,
  output: Output,
  latest: Latest,
): readonly string[] | undefined {
  // Each function takes the outputs of the stream it stands under.
  const keysOf = movedBy[output.stream] as
    | ((output: Output, latest: Latest) => readonly string[] | undefined)
    | undefined;
  return keysOf?.(output, latest);
}

/** Whether an output moves what a tier sees. */
export function isMoved(
  view: Pick<RecordView, 'movedBy' | 'paidStreams'>,
  output: Output,
  latest: Latest,
  tier: Tier,
): boolean {
  if (view.paidStreams?.includes(output.stream) && !includes(tier, 'PRO')) return false;
  return movedKeys(view, output, latest) !== undefined;
}

export function renderAll(view: RecordView, moment: Moment, audience: Audience): readonly RenderedRecord[] {
  return view.keys(moment.latest).flatMap((key) => view.render(moment, key, audience) ?? []);
}

/** The JSON array of records that share their ages. */
export function closeAll(
  { hasAsOf }: Pick<RecordView, 'hasAsOf'>,
  texts: readonly string[],
  ages: Ages,
): string {
  return hasAsOf ? closeRecords(texts, ages) : `[${texts.join(',')}]`;
}

/** When the last tick was, or before the first the last observation, UTC ms. */
export function tickAt(latest: Latest): number {
  return latest.get('freshness', 'all')?.at ?? latest.at;
}
