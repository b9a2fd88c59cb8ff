import { agesAfter, emptyState, GRAPH_VERSION, type GraphState } from './graph.ts';
import { DeferredMap } from './model/deferred-map.ts';
import { type EncodedIds, IdSet, type ListedIds } from './model/id-set.ts';
import { type EncodedTimes, TimeList } from './model/time-list.ts';
import type { EventFact, Observation } from './observation.ts';
import type { ActorStates } from './operators/actors.ts';
import { type JoinedEvents, splitEvents } from './pipelines/events.ts';
import type { Output } from './records.ts';

/**
 * The state as lines of JSON, one for each actor: `[pipeline, key, state]`. A map is `{ $map: entries }`, a set
 * `{ $set: values }`, a set of ids `{ $idSteps, others }` and a list of times `{ $times }`. Several pipelines hold the
 * buckets of an event. They are written once, with its listing, and are `{ $buckets: event }` elsewhere. A map that is
 * large and rarely asked for is `{ $line: n }`. Its entries are the n-th of the lines right before that of the actor, and
 * are read when they are asked for.
 */
export function encodeState(state: GraphState): string {
  return Array.from(encodeStateLines(state), textOf).join('');
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const bytesOf = (text: string) => encoder.encode(text);
const textOf = (bytes: Uint8Array) => decoder.decode(bytes);

/** The fields of states that have a line of their own. They are maps, and hold no buckets of a listing. */
const DEFERRED: { readonly [P in keyof GraphState]?: readonly FieldOf<GraphState[P]>[] } = {
  posts: ['open'],
  forecast: ['past'],
  performance: ['rows', 'outcomes'],
  signals: ['samples'],
};

type FieldOf<States> = States extends ActorStates<infer S> ? keyof S : never;

const DEFERRED_FIELDS: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(DEFERRED));

/**
 * The same text line by line, each with its end, in UTF-8. The state must not change before the last one is taken, but
 * other work can be done in between.
 */
export function* encodeStateLines({ freshness, ...others }: GraphState): Iterable<Uint8Array> {
  const listed = listedBuckets(others);
  // The ages come first, as readers need them before the rest is read.
  for (const [name, states] of Object.entries({ freshness, ...others })) {
    for (const [key, actor] of states) {
      const deferred = deferredIn(name, actor);
      for (const [, map] of deferred) yield entriesLine(map);
      const marks = Object.fromEntries(deferred.map(([field], index) => [field, { $line: index + 1 }]));
      const rest = deferred.length === 0 ? actor : { ...actor, ...marks };
      yield bytesOf(`${JSON.stringify([name, key, toPlain(rest, listed)])}\n`);
    }
  }
}

type AnyMap = ReadonlyMap<unknown, unknown>;

function deferredIn(pipeline: string, actor: object | null): readonly (readonly [field: string, AnyMap])[] {
  const fields = DEFERRED_FIELDS.get(pipeline);
  if (fields === undefined || actor === null) return [];
  return Object.entries(actor).filter(([field, value]) => fields.includes(field) && value instanceof Map);
}

/** A map that nobody has asked for is written as it was. */
function entriesLine(map: AnyMap): Uint8Array {
  const written = map instanceof DeferredMap ? map.written : undefined;
  return written ?? bytesOf(`${JSON.stringify(toPlain([...map], NO_BUCKETS))}\n`);
}

/** How the line of the ages begins. */
const AGES_LINE = '["freshness",';

/** The event that each list of buckets is of. */
type ListedBuckets = ReadonlyMap<unknown, number>;
const NO_BUCKETS: ListedBuckets = new Map();

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
  if (value instanceof IdSet || value instanceof TimeList) return value.toJSON();
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
export const GRAPH_VERSION_BEFORE = GRAPH_VERSION - 1;

/** Whether `decodeState` reads the states of this graph version. */
export function isReadable(graphVersion: number): boolean {
  return graphVersion === GRAPH_VERSION || graphVersion === GRAPH_VERSION_BEFORE;
}

export function decodeState(text: string): GraphState {
  const reader = createStateReader();
  for (const line of text.split('\n')) reader.read(bytesOf(line));
  return reader.state();
}

/** Reads the lines of a state one by one, so that other work can be done in between. */
export interface StateReader {
  /** The lines come in the order in which they were written, with or without their ends. Their bytes are not kept. */
  read(line: Uint8Array): void;
  /** All that was read. */
  state(): GraphState;
}

export function createStateReader(): StateReader {
  let state = emptyState();
  // Listings come before whatever refers to them: the pipeline that has them is written before those.
  const known: Known = { buckets: new Map(), lines: [] };
  return {
    read(line) {
      if (isEntries(line)) {
        known.lines.push(withEnd(line));
        return;
      }
      const text = textOf(line);
      if (text.trim() === '') return;
      const parsed: unknown = JSON.parse(text);
      if (isActor(parsed)) actorsOf(state, parsed[0]).set(parsed[1], fromPlain(parsed[2], known));
      else state = { ...state, ...(fromPlain(parsed, known) as Partial<GraphState>) };
      known.lines.length = 0;
    },
    state: () => ({
      ...state,
      posts: withIdSets(state.posts),
      events: eventsByAccount(state.events),
      counters: withTimeLists(state.counters, ['countedAt', 'goneAt']),
      forecast: withTimeLists(state.forecast, ['countedAt', 'postedAt']),
    }),
  };
}

const LINE_FEED = 10;
const [OPENING, CLOSING] = bytesOf('[]');

/** Whether a line is the entries of a map. The line of an actor begins with a name. */
function isEntries(line: Uint8Array): boolean {
  return line[0] === OPENING && (line[1] === OPENING || line[1] === CLOSING);
}

/** A copy as it is written again. */
function withEnd(line: Uint8Array): Uint8Array {
  if (line.at(-1) === LINE_FEED) return line.slice();
  const ended = new Uint8Array(line.length + 1);
  ended.set(line);
  ended[line.length] = LINE_FEED;
  return ended;
}

/**
 * The ages of all sources after the last observations of a log, from the first line of a state; none when that is not the
 * line of the ages, as in the states of earlier versions.
 */
export function agesFromLine(line: Uint8Array, observations: Iterable<Observation>): readonly Output[] {
  if (textOf(line.subarray(0, AGES_LINE.length)) !== AGES_LINE) return [];
  const reader = createStateReader();
  reader.read(line);
  return agesAfter(reader.state(), observations);
}

/**
 * Reads what requests to the model need of a state and a restart has put off, one account at each step. It changes nothing
 * that can be seen: one tick may ask about all accounts, and would take long with all of it to read.
 */
export function* readPutOff({ forecast }: GraphState): Generator<void> {
  for (const account of forecast.values()) {
    for (const part of Object.values(account ?? {})) {
      if (part instanceof DeferredMap) void part.size;
      if (part instanceof TimeList) void part.times;
    }
    yield;
  }
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

/** Checkpoints of earlier versions have the times themselves. */
function withTimeLists<S extends object>(
  states: ActorStates<S>,
  fields: readonly (keyof S)[],
): ActorStates<S> {
  const ofNow = Array.from(states, ([key, state]) => {
    const before = state === null ? [] : fields.filter((field) => Array.isArray(state[field]));
    const lists = before.map((field) => [field, new TimeList(state?.[field] as Iterable<number>)]);
    return [key, lists.length === 0 ? state : { ...state, ...Object.fromEntries(lists) }] as const;
  });
  return new Map(ofNow);
}

/** What was read before, and is referred to. */
interface Known {
  /** The buckets of each event, under its id. */
  readonly buckets: Map<unknown, EventFact['buckets']>;
  /** The lines of entries since the last actor. */
  readonly lines: Uint8Array[];
}

/**
 * Changes the value in place where it can. A function for each value, as `JSON.parse` offers it, takes ten times as long,
 * and a list of the entries of each object four times.
 */
function fromPlain(value: unknown, known: Known): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const each: unknown = value[index];
      if (typeof each !== 'object') continue;
      const read = fromPlain(each, known);
      if (read !== each) value[index] = read;
    }
    return value;
  }
  if (isListing(value)) {
    known.buckets.set(value.eventId, value.buckets);
    return value;
  }
  const fields = value as Record<string, unknown>;
  for (const name in fields) {
    if (name.startsWith('$') && isEncoded(value)) return decoded(value, known);
    const field = fields[name];
    if (typeof field !== 'object' || field === null) continue;
    const read = fromPlain(field, known);
    if (read !== field) fields[name] = read;
  }
  return value;
}

/** What is no object of fields. */
type Encoded =
  | { readonly $map: readonly [unknown, unknown][] }
  | { readonly $set: readonly unknown[] }
  | { readonly $buckets: unknown }
  | { readonly $line: number }
  | EncodedTimes
  | EncodedIds
  | ListedIds;

const MARKS = ['$map', '$set', '$buckets', '$line', '$times', '$idSteps', '$ids'];

function isEncoded(value: object): value is Encoded {
  return MARKS.some((mark) => mark in value);
}

function decoded(value: Encoded, known: Known): unknown {
  if ('$map' in value) {
    for (const entry of value.$map) entry[1] = fromPlain(entry[1], known);
    return new Map(value.$map);
  }
  if ('$set' in value) return new Set(value.$set);
  if ('$buckets' in value) return known.buckets.get(value.$buckets);
  if ('$line' in value) return deferredMap(known.lines[value.$line - 1]);
  return '$times' in value ? TimeList.from(value) : IdSet.from(value);
}

function deferredMap(line: Uint8Array | undefined): DeferredMap<unknown, unknown> {
  if (line === undefined) throw new SyntaxError('the line of a map is missing');
  return new DeferredMap(line, entriesOf);
}

function entriesOf(line: Uint8Array): Iterable<readonly [unknown, unknown]> {
  const entries = JSON.parse(textOf(line)) as [unknown, unknown][];
  for (const entry of entries) entry[1] = fromPlain(entry[1], NOTHING_KNOWN);
  return entries;
}

const NOTHING_KNOWN: Known = { buckets: new Map(), lines: [] };

/** Checkpoints of earlier versions hold the events of all accounts as one. */
function eventsByAccount(states: GraphState['events']): GraphState['events'] {
  const all: JoinedEvents | null | undefined = states.get('all');
  return all == null ? states : splitEvents(all);
}
