import { agesAfter, emptyState, GRAPH_VERSION, type GraphState } from './graph.ts';
import { type EncodedIds, IdSet } from './model/id-set.ts';
import type { EventFact, Observation } from './observation.ts';
import { type JoinedEvents, splitEvents } from './pipelines/events.ts';
import type { Output } from './records.ts';

/**
 * The state as lines of JSON, one for each actor: `[pipeline, key, state]`. A map is `{ $map: entries }`, a set
 * `{ $set: values }` and a set of ids `{ $ids, others }`. Several pipelines hold the buckets of an event. They are written
 * once, with its listing, and are `{ $buckets: event }` elsewhere.
 */
export function encodeState(state: GraphState): string {
  return [...encodeStateLines(state)].join('');
}

/**
 * The same text line by line, each with its end. The state must not change before the last one is taken, but other work
 * can be done in between.
 */
export function* encodeStateLines({ freshness, ...others }: GraphState): Iterable<string> {
  const listed = listedBuckets(others);
  // The ages come first, as readers need them before the rest is read.
  for (const [name, states] of Object.entries({ freshness, ...others })) {
    for (const [key, actor] of states) yield `${JSON.stringify([name, key, toPlain(actor, listed)])}\n`;
  }
}

/** How the line of the ages begins. */
const AGES_LINE = '["freshness",';

/** The event that each list of buckets is of. */
type ListedBuckets = ReadonlyMap<unknown, number>;

function listedBuckets({ events }: Pick<GraphState, 'events'>): ListedBuckets {
  const listed = new Map<unknown, number>();
  for (const state of events.values()) {
    for (const { eventId, buckets } of state?.facts.values() ?? []) listed.set(buckets, eventId);
  }
  return listed;
}

/** The value itself where it can be written as it is, so that little is copied. */
function toPlain(value: unknown, listed: ListedBuckets): unknown {
  if (typeof value !== 'object' || value === null || isListing(value)) return value;
  if (value instanceof Map) return { $map: Array.from(value, (entry) => toPlain(entry, listed)) };
  if (value instanceof Set) return { $set: [...value] };
  if (value instanceof IdSet) return value.toJSON();
  if (Array.isArray(value)) {
    const eventId = listed.get(value);
    if (eventId !== undefined) return { $buckets: eventId };
    let copy: unknown[] | undefined;
    for (let index = 0; index < value.length; index++) {
      const each: unknown = value[index];
      const plain = typeof each === 'object' ? toPlain(each, listed) : each;
      if (plain === each) continue;
      copy ??= [...value];
      copy[index] = plain;
    }
    return copy ?? value;
  }
  let copy: Record<string, unknown> | undefined;
  for (const [key, field] of Object.entries(value)) {
    const plain = toPlain(field, listed);
    if (plain === field) continue;
    copy ??= { ...value };
    copy[key] = plain;
  }
  return copy ?? value;
}

function isListing(value: object): value is EventFact {
  return 'kind' in value && value.kind === 'event';
}

/**
 * The version before this one, whose states can be read too. That is of use where the log cannot be followed from its
 * beginning, which was dropped: there the state and the outputs of that version are all that is left of it.
 */
export const GRAPH_VERSION_BEFORE = 7;

/** Whether `decodeState` reads the states of this graph version. */
export function isReadable(graphVersion: number): boolean {
  return graphVersion === GRAPH_VERSION || graphVersion === GRAPH_VERSION_BEFORE;
}

export function decodeState(text: string): GraphState {
  const reader = createStateReader();
  for (const line of text.split('\n')) reader.read(line);
  return reader.state();
}

/** Reads the lines of a state one by one, so that other work can be done in between. */
export interface StateReader {
  /** The lines come in the order in which they were written, with or without their ends. */
  read(line: string): void;
  /** All that was read. */
  state(): GraphState;
}

export function createStateReader(): StateReader {
  let state = emptyState();
  // Listings come before whatever refers to them: the pipeline that has them is written before those.
  const buckets: ListedEvents = new Map();
  return {
    read(line) {
      if (line.trim() === '') return;
      const parsed: unknown = JSON.parse(line);
      if (isActor(parsed)) actorsOf(state, parsed[0]).set(parsed[1], fromPlain(parsed[2], buckets));
      else state = { ...state, ...(fromPlain(parsed, buckets) as Partial<GraphState>) };
    },
    state: () => ({ ...state, posts: withIdSets(state.posts), events: eventsByAccount(state.events) }),
  };
}

/**
 * The ages of all sources after the last observations of a log, from the first line of a state; none when that is not the
 * line of the ages, as in the states of earlier versions.
 */
export function agesFromLine(line: string, observations: Iterable<Observation>): readonly Output[] {
  if (!line.startsWith(AGES_LINE)) return [];
  const reader = createStateReader();
  reader.read(line);
  return agesAfter(reader.state(), observations);
}

/** A line. Earlier versions wrote the whole state as one object. */
function isActor(value: unknown): value is readonly [pipeline: string, key: string, state: unknown] {
  return Array.isArray(value) && typeof value[0] === 'string' && typeof value[1] === 'string';
}

/** A pipeline that there is no more keeps its states to itself. */
function actorsOf(state: GraphState, pipeline: string): Map<string, unknown> {
  const known: ReadonlyMap<string, Map<string, unknown>> = new Map(Object.entries(state));
  return known.get(pipeline) ?? new Map();
}

/** Checkpoints of earlier versions have a usual set of settled ids. */
function withIdSets(states: GraphState['posts']): GraphState['posts'] {
  const ofNow = Array.from(states, ([account, posts]) => {
    const isOfNow = posts === null || posts.settled instanceof IdSet;
    return [account, isOfNow ? posts : { ...posts, settled: new IdSet(posts.settled) }] as const;
  });
  return new Map(ofNow);
}

/** The buckets of each event, under its id. */
type ListedEvents = Map<unknown, EventFact['buckets']>;

/**
 * Changes the value in place where it can. A function for each value, as `JSON.parse` offers it, takes ten times as long,
 * and a list of the entries of each object four times.
 */
function fromPlain(value: unknown, buckets: ListedEvents): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const each: unknown = value[index];
      if (typeof each !== 'object') continue;
      const read = fromPlain(each, buckets);
      if (read !== each) value[index] = read;
    }
    return value;
  }
  if (isListing(value)) {
    buckets.set(value.eventId, value.buckets);
    return value;
  }
  const fields = value as Record<string, unknown>;
  for (const name in fields) {
    if (name.startsWith('$') && isEncoded(value)) return decoded(value, buckets);
    const field = fields[name];
    if (typeof field !== 'object' || field === null) continue;
    const read = fromPlain(field, buckets);
    if (read !== field) fields[name] = read;
  }
  return value;
}

/** What is no object of fields. */
type Encoded =
  | { readonly $map: readonly [unknown, unknown][] }
  | { readonly $set: readonly unknown[] }
  | { readonly $buckets: unknown }
  | EncodedIds;

function isEncoded(value: object): value is Encoded {
  return '$map' in value || '$set' in value || '$buckets' in value || '$ids' in value;
}

function decoded(value: Encoded, buckets: ListedEvents): unknown {
  if ('$map' in value) {
    for (const entry of value.$map) entry[1] = fromPlain(entry[1], buckets);
    return new Map(value.$map);
  }
  if ('$set' in value) return new Set(value.$set);
  return '$buckets' in value ? buckets.get(value.$buckets) : IdSet.from(value);
}

/** Checkpoints of earlier versions hold the events of all accounts as one. */
function eventsByAccount(states: GraphState['events']): GraphState['events'] {
  const all: JoinedEvents | null | undefined = states.get('all');
  return all == null ? states : splitEvents(all);
}
