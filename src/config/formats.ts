import { isIP } from 'node:net';
import * as z from 'zod';

/** How a value is written in a flag, in the environment or in JSON. */
export interface Format<T> {
  readonly schema: z.ZodType<T>;
  /** Completes "expected …" in the message of a fault. */
  readonly expects: string;
  /** The placeholder of the value in the help; absent for a flag without a value. */
  readonly argument?: string;
}

const digits = /^-?\d{1,16}$/;

export function integer(min: number, max: number, argument = 'number'): Format<number> {
  const toNumber = (value: unknown) =>
    typeof value === 'string' && digits.test(value) ? Number(value) : value;
  return {
    schema: z.preprocess(toNumber, z.int().min(min).max(max)),
    expects: `an integer from ${min} to ${max}`,
    argument,
  };
}

const DECIMAL = /^\d{1,9}(\.\d{1,6})?$/;

/** An amount of money, which may be nothing. */
export const amount: Format<number> = {
  schema: z.preprocess(
    (value) => (typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value),
    z.number().min(0).max(1_000_000),
  ),
  expects: 'an amount from 0 to 1000000, such as 0.5',
  argument: 'amount',
};

export function days(min: number): Format<number> {
  return integer(min, 3_650, 'days');
}

export function seconds(min = 1, max = 86_400): Format<number> {
  return integer(min, max, 'seconds');
}

export function oneOf<const T extends string>(values: readonly T[], argument: string): Format<T> {
  return { schema: z.enum(values), expects: `one of ${values.join(', ')}`, argument };
}

export const flag: Format<boolean> = {
  schema: z.union([
    z.boolean(),
    z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1'),
  ]),
  expects: 'true or false',
};

export const toggle: Format<boolean> = { ...flag, argument: 'boolean' };

export const pathSegment: Format<string> = {
  schema: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    // `/meta/crypto` is a path of its own.
    .refine((text) => text.toLowerCase() !== 'crypto'),
  expects: 'up to 64 letters, digits, _ and -, and not crypto',
  argument: 'segment',
};

/** Text without control characters, as it is used in file names, headers and terminals. */
export function plainText(expects: string, argument: string): Format<string> {
  return { schema: z.string().regex(/^\P{Cc}{1,4096}$/u), expects, argument };
}

function toOrigin(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isOrigin = url !== undefined && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
  return isOrigin ? url.origin : undefined;
}

export const world: Format<string> = {
  schema: z.string().transform((text, context) => {
    if (text === 'embedded' || text === 'live') return text;
    const origin = toOrigin(text);
    if (origin === undefined) context.addIssue('not a world');
    return origin ?? z.NEVER;
  }),
  expects: 'embedded, live or an address such as http://127.0.0.1:9000',
  argument: 'world',
};

export const address: Format<string> = {
  schema: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
  expects: 'an address of 0x and 40 hexadecimal characters',
  argument: 'address',
};

export const chain: Format<string> = {
  schema: z.string().regex(/^eip155:[1-9]\d{0,9}$/),
  expects: 'a network such as eip155:84532',
  argument: 'network',
};

const PRICE = /^(?!0+(\.0+)?$)\d{1,6}(\.\d{1,6})?$/;
export const price: Format<string> = {
  schema: z.preprocess(
    (value) => (typeof value === 'number' ? String(value) : value),
    z.string().regex(PRICE),
  ),
  expects: 'a price such as 0.01, with at most 6 decimals',
  argument: 'price',
};

export const prices: Format<string> = {
  schema: z.string().refine((text) =>
    text.split(',').every((each) => {
      const [path = '', amount = '', ...rest] = each.split('=');
      return /^[\w-]+(\/[\w-]+)*$/.test(path) && PRICE.test(amount) && rest.length === 0;
    }),
  ),
  expects: 'prices of paths such as signals=0.02,portfolio/account_a=0.05',
  argument: 'prices',
};

/** Payments go over TLS, unless the other side is on this machine. */
function isSafeAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.hash !== '' || url.username !== '') return false;
  const isLocal = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLocal);
}

export const facilitator: Format<string> = {
  schema: z
    .string()
    .refine((text) => isSafeAddress(text) && !text.includes('?'))
    .transform((text) => text.replace(/\/+$/, '')),
  expects: 'an https address, or an http one of this machine',
  argument: 'url',
};

/** Its query may hold the operator's key to it. */
export const node: Format<string> = {
  schema: z.string().refine(isSafeAddress),
  expects: 'an https address, or an http one of this machine',
  argument: 'url',
};

/** One network such as `10.0.0.0/8`; a single address is one too. */
function isNetwork(text: string): boolean {
  const [address = '', bits = '0', ...rest] = text.split('/');
  const family = isIP(address);
  const isLength = /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
  return family !== 0 && rest.length === 0 && isLength;
}

export const networks: Format<string> = {
  schema: z
    .union([z.string(), z.array(z.string()).transform((list) => list.join(','))])
    .transform((text) => text.replace(/\s/g, ''))
    .refine((text) => text.split(',').every(isNetwork)),
  expects: 'networks such as 10.0.0.0/8, separated by commas',
  argument: 'networks',
};

/** Its text may reach a log, so it has no secrets. */
function isServer(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^(nats|tls):$/.test(url.protocol)) return false;
  const isBare = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  return isBare && url.hostname !== '' && /^\/?$/.test(url.pathname);
}

export const servers: Format<string> = {
  schema: z
    .union([z.string(), z.array(z.string()).transform((list) => list.join(','))])
    .transform((text) => text.replace(/\s/g, ''))
    .refine((text) => text.split(',').every(isServer)),
  expects: 'addresses of NATS servers such as nats://a:4222, separated by commas and without a password',
  argument: 'servers',
};

export const name: Format<string> = {
  schema: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  expects: 'up to 64 letters, digits, _ and -',
  argument: 'name',
};

export const copies: Format<number> = {
  schema: z.preprocess((value) => (typeof value === 'string' ? Number(value) : value), z.literal([1, 3, 5])),
  expects: 'one of 1, 3, 5',
  argument: 'number',
};
