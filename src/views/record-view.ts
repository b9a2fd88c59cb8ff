import {
  type LimitedInput,
  type Output,
  type SourceName,
  STREAM_NAMES,
  type StreamName,
  type Subject,
} from '../../streams/internal.ts';
import { includes, type Tier } from '../access/tiers.ts';
import type { FeedCause } from '../contract/feed/names.ts';
import { type Ages, closeRecords, ofRecord, type RecordAges, type RecordLate } from './as-of.ts';
import type { Audience, AudienceKind } from './audience.ts';
import type { Latest, OutputOf } from './latest.ts';

/** The latest values at one moment, and the inputs of a record that are older than their limit. */
export interface Moment {
  readonly latest: Latest;
  readonly late: readonly LimitedInput[];
}

/** UTC ms. The remaining time is counted at `tickAt`, so that a record stays the same between ticks. */
interface Instant {
  readonly nowMs: number;
  readonly tickAt: number;
}

/** A record as JSON text at an instant, without its ages when it has an `as_of`. */
type RenderedRecord = (instant: Instant) => string;

/**
 * The keys of the records that an output may change, or undefined when it changes none. As a function where the keys
 * have to be searched for: REST asks only whether there are any.
 */
type Moved = readonly string[] | ((latest: Latest) => readonly string[]) | undefined;

type MovedBy = {
  readonly [Stream in StreamName]?: (output: OutputOf<Stream>, latest: Latest) => Moved;
};

/**
 * The declaration of a kind of record: which records exist, which outputs change them, and how they are rendered. REST
 * bodies, their tags and the frames of the feed follow from it.
 */
export interface RecordView {
  readonly audiences: AudienceKind;
  /** Whether it lists stale inputs. Such a record changes when an input becomes late, without any output. */
  readonly listsStale: boolean;
  readonly hasAsOf: boolean;
  /** The events it has one record of each, if it is about events. While these are not known, neither are its records. */
  readonly eventsAbout?: Subject['type'];
  readonly movedBy: MovedBy;
  /** Sources that no pipeline watches for it: its records change when one of them becomes stale, or answers again. */
  readonly unwatched?: readonly SourceName[];
  /** Streams that it reads besides, whose outputs alone change no record. */
  readonly alsoReads?: readonly StreamName[];
  /** Streams that change the PRO record alone. */
  readonly paidStreams?: readonly StreamName[];
  /** Keys of the existing records, in the order of the REST body. */
  keys(latest: Latest): readonly string[];
  /** Undefined when there is no such record for this audience. */
  render(moment: Moment, key: string, audience: Audience): RenderedRecord | undefined;
  /** Finds a cause beyond that of the output itself. Has to be called with every output. */
  readonly createExtraCause?: (latest: Latest) => (output: Output) => FeedCause | undefined;
  /** How the feed stores a record that depends on the reader's options: as facts, which are rendered when read. */
  readonly facts?: {
    write(moment: Moment, key: string, ages: Ages): string | undefined;
    render(facts: string, audience: Audience): string;
  };
}

function movedIn(
  { movedBy, paidStreams }: Pick<RecordView, 'movedBy' | 'paidStreams'>,
  output: Output,
  latest: Latest,
  tier: Tier,
): Moved {
  if (paidStreams?.includes(output.stream) && !includes(tier, 'PRO')) return undefined;
  // Each function takes the outputs of its own stream.
  const movedOf = movedBy[output.stream] as ((output: Output, latest: Latest) => Moved) | undefined;
  return movedOf?.(output, latest);
}

/** The keys of the records that an output may change for a tier; undefined when it changes none. */
export function movedKeys(
  view: Pick<RecordView, 'movedBy' | 'paidStreams'>,
  output: Output,
  latest: Latest,
  tier: Tier,
): readonly string[] | undefined {
  const moved = movedIn(view, output, latest, tier);
  return typeof moved === 'function' ? moved(latest) : moved;
}

/** The streams that the records are made from. */
export function streamsOf({ movedBy, alsoReads }: Pick<RecordView, 'movedBy' | 'alsoReads'>) {
  return STREAM_NAMES.filter((stream) => movedBy[stream] !== undefined || alsoReads?.includes(stream));
}

/** Whether an output changes what a tier sees. */
export function isMoved(
  view: Pick<RecordView, 'movedBy' | 'paidStreams'>,
  output: Output,
  latest: Latest,
  tier: Tier,
): boolean {
  return movedIn(view, output, latest, tier) !== undefined;
}

interface KeyedRecord {
  readonly key: string;
  readonly render: RenderedRecord;
}

export function renderAll(
  view: RecordView,
  { latest, late }: { readonly latest: Latest; readonly late: RecordLate },
  audience: Audience,
): readonly KeyedRecord[] {
  return view.keys(latest).flatMap((key) => {
    const render = view.render({ latest, late: ofRecord(late, key) }, key, audience);
    return render === undefined ? [] : [{ key, render }];
  });
}

/** The JSON array of records at an instant. */
export function closeAll(
  { hasAsOf }: Pick<RecordView, 'hasAsOf'>,
  records: readonly KeyedRecord[],
  instant: Instant,
  ages: RecordAges,
): string {
  const texts = records.map(({ render }) => render(instant));
  if (!hasAsOf) return `[${texts.join(',')}]`;
  return closeRecords(texts, (index) => ofRecord(ages, records[index]?.key ?? ''));
}

/** The time of the last tick, or before the first tick of the last observation, UTC ms. */
export function tickAt(latest: Latest): number {
  return latest.freshness()?.at ?? latest.at;
}
