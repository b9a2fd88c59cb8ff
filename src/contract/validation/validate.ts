import * as z from 'zod';
import { type Fault, RequestError } from '../../errors.ts';
import { PARAMETER_NAMES } from '../parameter-names.ts';
import { faultsOf, MISSING } from './faults.ts';
import { findJsonFault } from './json-fault.ts';
import { type Flaw, type Reading, readBoolean, readInstant, readInteger, readNumber } from './query-text.ts';

/** Every fault of a request at once (spec 7). */
export class InvalidRequest extends RequestError {
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    super(422, 'invalid_request', 'the request has invalid parameters');
    this.faults = faults;
  }
}

/** A parameter, and how its text becomes a value for the schema. */
interface Field {
  readonly name: string;
  readonly read: (text: string) => Reading<unknown>;
}

interface Plan {
  readonly fields: readonly Field[];
  readonly names: readonly string[];
  /** The values of an empty query; undefined when a parameter is required. */
  readonly empty: unknown;
}

const plans = new WeakMap<z.ZodObject, Plan>();

const EXTRA: Flaw = { msg: 'Extra inputs are not permitted', type: 'extra_forbidden' };

/**
 * The parameters of a raw query, or an InvalidRequest. Of a repeated name the last counts. A parameter that only other
 * endpoints take is a fault, as ignoring it would change the meaning of the request in silence; names that no endpoint
 * knows are ignored. An empty query costs only a look-up.
 */
export function readQuery<S extends z.ZodObject>(schema: S, query: string): z.output<S>;
export function readQuery(schema: z.ZodObject, query: string): unknown {
  const plan = plans.get(schema) ?? planOf(schema);
  if (query === '' && plan.empty !== undefined) return plan.empty;

  const sent = new URLSearchParams(query);
  const values: Record<string, unknown> = {};
  const unread: Fault[] = [];
  for (const { name, read } of plan.fields) {
    const text = sent.getAll(name).at(-1);
    if (text === undefined) continue;
    const reading = read(text);
    if ('value' in reading) values[name] = reading.value;
    else unread.push({ loc: ['query', name], ...reading.flaw });
  }
  const extra = extraFaults(sent, plan.names);
  const result = schema.safeParse(values);
  if (result.success && unread.length === 0 && extra.length === 0) return result.data;
  throw new InvalidRequest([...merge(unread, issuesOf(schema, values), plan.names), ...extra]);
}

function extraFaults(sent: URLSearchParams, names: readonly string[]): readonly Fault[] {
  return [...new Set(sent.keys())]
    .filter((name) => PARAMETER_NAMES.has(name) && !names.includes(name))
    .map((name) => ({ loc: ['query', name], ...EXTRA }));
}

/** A field that could not be read was not given to zod, so zod's issues about it do not count. */
function merge(
  unread: readonly Fault[],
  issues: readonly z.core.$ZodIssue[],
  names: readonly string[],
): readonly Fault[] {
  const others = faultsOf(issues, 'query', names).filter(
    ({ loc }) => !unread.some((fault) => fault.loc[1] === loc[1]),
  );
  const place = ({ loc }: Fault) => names.indexOf(String(loc[1]));
  return [...unread, ...others].sort((a, b) => place(a) - place(b));
}

function planOf(schema: z.ZodObject): Plan {
  const entries = Object.entries(schema.shape);
  const empty = schema.safeParse({});
  const plan = {
    fields: entries.map(([name, field]) => ({ name, read: readerOf(name, field) })),
    names: entries.map(([name]) => name),
    empty: empty.success ? Object.freeze(empty.data) : undefined,
  };
  plans.set(schema, plan);
  return plan;
}

function readerOf(name: string, field: z.core.$ZodType): (text: string) => Reading<unknown> {
  if (field instanceof z.ZodDefault || field instanceof z.ZodOptional) return readerOf(name, field.unwrap());
  if (field instanceof z.ZodNumber) return field.isInt ? readInteger : readNumber;
  if (field instanceof z.ZodBoolean) return readBoolean;
  if (field instanceof z.ZodPipe && field.in instanceof z.ZodUnion) return readInstant;
  if (field instanceof z.ZodString || field instanceof z.ZodEnum) return (text) => ({ value: text });
  if (field instanceof z.ZodLiteral) {
    // A text that is no integer is none of the choices, which is the fault to report.
    return (text) => {
      const reading = readInteger(text);
      return 'value' in reading ? reading : { value: text };
    };
  }
  throw new TypeError(`no way to read the parameter ${name} from a query`);
}

/**
 * The content of a JSON body, or an InvalidRequest. An empty body and null count as a missing body. Endpoints with a
 * body take no parameters, so those in the query are among the faults.
 */
export function readBody<S extends z.ZodObject>(schema: S, text: string, query: string): z.output<S> {
  const extra = extraFaults(new URLSearchParams(query), []);
  const body = bodyOf(schema, text);
  if ('value' in body && extra.length === 0) return body.value;
  throw new InvalidRequest('value' in body ? extra : [...extra, ...body.faults]);
}

function bodyOf<S extends z.ZodObject>(
  schema: S,
  text: string,
): { readonly value: z.output<S> } | { readonly faults: readonly Fault[] } {
  const offset = text === '' ? undefined : findJsonFault(text);
  if (offset !== undefined) {
    return { faults: [{ loc: ['body', offset], msg: 'JSON decode error', type: 'json_invalid' }] };
  }
  const value: unknown = text === '' ? null : JSON.parse(text);
  if (value === null) return { faults: [{ loc: ['body'], ...MISSING }] };
  const result = schema.safeParse(value);
  if (result.success) return { value: result.data };
  return { faults: faultsOf(issuesOf(schema, value), 'body', Object.keys(schema.shape)) };
}

/** Parses again with the input beside each issue, which costs ten times as much. */
function issuesOf(schema: z.ZodObject, value: unknown): readonly z.core.$ZodIssue[] {
  return schema.safeParse(value, { reportInput: true }).error?.issues ?? [];
}
