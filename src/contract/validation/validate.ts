import { z } from 'zod';
import { type Fault, RequestError } from '../../errors.ts';
import { faultsOf, MISSING } from './faults.ts';
import { findJsonFault } from './json-fault.ts';
import { type Reading, readBoolean, readInteger, readNumber } from './query-text.ts';

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

/**
 * The parameters of a raw query, or an InvalidRequest. Of a repeated name the last counts; unknown names are
 * ignored. An empty query costs only a look-up.
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
  const result = schema.safeParse(values);
  if (result.success && unread.length === 0) return result.data;
  throw new InvalidRequest(merge(unread, issuesOf(schema, values), plan.names));
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
  if (field instanceof z.ZodString) return (text) => ({ value: text });
  if (field instanceof z.ZodLiteral) {
    // A text that is no integer is none of the choices, which is the fault to report.
    return (text) => {
      const reading = readInteger(text);
      return 'value' in reading ? reading : { value: text };
    };
  }
  throw new TypeError(`no way to read the parameter ${name} from a query`);
}

/** The content of a JSON body, or an InvalidRequest. An empty body and null count as a missing body. */
export function readBody<S extends z.ZodObject>(schema: S, text: string): z.output<S> {
  const value = text === '' ? null : parseJson(text);
  if (value === null) throw new InvalidRequest([{ loc: ['body'], ...MISSING }]);
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new InvalidRequest(faultsOf(issuesOf(schema, value), 'body', Object.keys(schema.shape)));
}

/** Parses again with the input beside each issue, which costs ten times as much. */
function issuesOf(schema: z.ZodObject, value: unknown): readonly z.core.$ZodIssue[] {
  return schema.safeParse(value, { reportInput: true }).error?.issues ?? [];
}

function parseJson(text: string): unknown {
  const offset = findJsonFault(text);
  if (offset === undefined) return JSON.parse(text);
  throw new InvalidRequest([{ loc: ['body', offset], msg: 'JSON decode error', type: 'json_invalid' }]);
}
