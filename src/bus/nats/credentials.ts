import { readFileSync } from 'node:fs';
import {
  type Authenticator,
  credsAuthenticator,
  nkeyAuthenticator,
  type TlsOptions,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from '@nats-io/transport-node';
import { BusError } from '../bus-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** How this process proves who it is. Secrets come from the environment alone, where no list of processes shows them. */
interface Credentials {
  readonly authenticator?: Authenticator;
  readonly tls?: TlsOptions;
}

const KINDS = [
  'TALLYWIRE_BUS_CREDS',
  'TALLYWIRE_BUS_NKEY',
  'TALLYWIRE_BUS_TOKEN',
  'TALLYWIRE_BUS_USER',
] as const;

function readNamed(env: Environment, name: string): string | undefined {
  const path = env[name];
  if (path === undefined || path === '') return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new BusError('BUS_CREDENTIALS', `the file ${path} that ${name} names cannot be read`, { cause });
  }
}

function authenticatorOf(env: Environment): Authenticator | undefined {
  const given = KINDS.filter((name) => (env[name] ?? '') !== '');
  if (given.length > 1) {
    throw new BusError('BUS_CREDENTIALS', `only one of ${given.join(' and ')} can be set`);
  }
  const creds = readNamed(env, 'TALLYWIRE_BUS_CREDS');
  if (creds !== undefined) return credsAuthenticator(Buffer.from(creds));
  const { TALLYWIRE_BUS_NKEY: nkey, TALLYWIRE_BUS_TOKEN: token, TALLYWIRE_BUS_USER: user } = env;
  if (nkey) return nkeyAuthenticator(Buffer.from(nkey));
  if (token) return tokenAuthenticator(token);
  return user ? usernamePasswordAuthenticator(user, env.TALLYWIRE_BUS_PASSWORD ?? '') : undefined;
}

function tlsOf(env: Environment): TlsOptions | undefined {
  const ca = readNamed(env, 'TALLYWIRE_BUS_CA');
  const cert = readNamed(env, 'TALLYWIRE_BUS_CERT');
  const key = readNamed(env, 'TALLYWIRE_BUS_KEY');
  if ((cert === undefined) !== (key === undefined)) {
    throw new BusError('BUS_CREDENTIALS', 'TALLYWIRE_BUS_CERT and TALLYWIRE_BUS_KEY are only set together');
  }
  if (ca === undefined && cert === undefined) return undefined;
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
}

export function readCredentials(env: Environment): Credentials {
  const authenticator = authenticatorOf(env);
  const tls = tlsOf(env);
  return { ...(authenticator && { authenticator }), ...(tls && { tls }) };
}
