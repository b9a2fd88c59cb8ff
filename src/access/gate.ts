import type { IncomingMessage } from 'node:http';
import { RequestError } from '../errors.ts';
import { createFailureLimit } from '../resilience/failure-limit.ts';
import { clientAddressOf, type Proxies, proxiesOf } from './client-address.ts';
import type { Holder, KeyLookup } from './keys/key-lookup.ts';
import { type Budget, type Budgets, createBudgets } from './limits/budgets.ts';
import { type Counting, countedBy } from './limits/counting.ts';
import { createQuotas, type Quotas } from './limits/quotas.ts';
import {
  LIMITS,
  type Limits,
  limitHeaders,
  type Policy,
  policyOf,
  secondsFor,
} from './limits/rate-policy.ts';
import type { Hour } from './limits/sliding-hour.ts';
import { type Access, includes, type Tier } from './tiers.ts';

/** Who may call an endpoint, and whether calls count. */
export interface EndpointAccess {
  readonly access: Access;
  /** Whether calls count towards the hourly limit; by default those of an endpoint with tiers do. */
  readonly isCounted?: boolean;
}

/** The sender of a request, and the hour that the request is charged to. */
export interface Caller<H = unknown> {
  readonly tier: Tier;
  /** Public id of the key; null without one. */
  readonly keyId: string | null;
  /** The hour that is charged; undefined when nothing is counted. */
  readonly hour: H | undefined;
  readonly policy: Policy | undefined;
  /** The share of the service that the answer is taken from; undefined when nothing is. */
  readonly share: Budget | undefined;
  /** When the request came, in whole UTC ms. */
  readonly atMs: number;
}

/** The parts of a request that the gate reads. */
type CallerRequest = Pick<IncomingMessage, 'headers' | 'socket'>;

/**
 * Decides who is served, at which tier, and how often. Cheap, as every request calls it, and synchronous but where a call
 * has to be asked for elsewhere. `H` is what calls are counted with.
 */
export interface Gate<H = unknown> {
  /** Throws a RequestError for an unknown key (401), or for too many of them from one address (429). */
  identify(endpoint: EndpointAccess, req: CallerRequest): Caller<H>;
  /** Counts the request, or throws a RequestError when the caller's share of the service is used up (429). */
  share(caller: Caller<H>): void;
  /**
   * Charges the call, or throws a RequestError: the tier is too low (401), or the hour is used up (429). A promise is
   * returned when that cannot be told at once, and only then.
   */
  admit(endpoint: EndpointAccess, caller: Caller<H>): Promise<void> | undefined;
  /**
   * The limit's headers, names and values in turn. Refunds the charge when the answer is free. `bytes` are those of the
   * body that is sent.
   */
  settle(caller: Caller<H>, status: number, bytes: number): readonly string[];
}

interface GateParts {
  readonly keys: KeyLookup;
  /** UTC ms that never go back, as calls are counted by them. */
  readonly now: () => number;
  readonly limits?: Limits;
  readonly proxies?: Proxies;
  /** For what no hourly limit counts: documents, pages, errors. Without them bytes do not count. */
  readonly shares?: Budgets | undefined;
}

interface GateDeps extends GateParts {
  readonly quotas?: Quotas;
}

/** Twice the longest key we issue; longer ones are refused without a look-up. */
const MAX_KEY_LENGTH = 128;
/**
 * Unknown keys of one address in a minute: enough for a client that calls every endpoint with a mistyped key. No key
 * can be found by guessing anyway.
 */
const MAX_BAD_KEYS = 100;
/** What a request costs of a share beside the body of its answer, as even an empty answer takes time. */
const REQUEST_BYTES = 4_096;
/** Whoever goes on asking while their share is used up waits no longer than this, from the last request on. */
const LONGEST_WAIT_MS = 10_000;
/** Sent with every 401. */
export const CHALLENGE = { 'WWW-Authenticate': 'ApiKey header="X-API-Key"' };
const NO_HEADERS: readonly string[] = [];

/** The share of the service that each caller may be served in a minute. */
export function createShares(bytesPerMinute: number): Budgets {
  return createBudgets(bytesPerMinute, LONGEST_WAIT_MS);
}

export function isCounted({ access, isCounted }: EndpointAccess): boolean {
  return isCounted ?? (access !== 'open' && access !== 'public');
}

/** An unchanged body and our own failures are free. */
function isFree(status: number): boolean {
  return status === 304 || status >= 500;
}

/**
 * An unknown key is refused on all but open endpoints, so that a mistyped key is never served as FREE in silence. An
 * empty header is no key.
 */
export function createGate({ quotas = createQuotas(), ...parts }: GateDeps): Gate<Hour> {
  return createGateWith(countedBy(quotas), parts);
}

/** A gate whose calls are counted elsewhere. */
export function createGateWith<H>(counting: Counting<H>, parts: GateParts): Gate<H> {
  const { keys, now, limits = LIMITS, proxies = proxiesOf([]), shares } = parts;
  const badKeys = createFailureLimit(MAX_BAD_KEYS);
  const policies = policiesOf(limits);
  const ownPolicies = new WeakMap<Holder, Policy>();

  function policyFor(holder: Holder): Policy | undefined {
    if (holder.limit === null) return policies[holder.tier];
    let policy = ownPolicies.get(holder);
    if (policy === undefined) {
      policy = policyOf(holder.tier, holder.limit);
      ownPolicies.set(holder, policy);
    }
    return policy;
  }

  /** A refused request counts too. */
  function chargeShare(share: Budget | undefined, atMs: number): void {
    if (share === undefined || shares === undefined) return;
    const isUsedUp = shares.waitMs(share, atMs) > 0;
    shares.take(share, REQUEST_BYTES, atMs);
    if (isUsedUp) throw overShare(shares.waitMs(share, atMs));
  }

  function refuseKey(req: CallerRequest, atMs: number): never {
    const address = clientAddressOf(req, proxies);
    chargeShare(shares?.of(address), atMs);
    const waitMs = badKeys.count(address, atMs);
    if (waitMs === 0) {
      throw new RequestError(401, 'key_invalid', 'The API key is not known or was revoked', CHALLENGE);
    }
    const message = 'Too many unknown API keys came from this address';
    throw new RequestError(429, 'too_many_bad_keys', message, ...waiting(waitMs));
  }

  function callerOf(holder: Holder, counts: boolean, atMs: number): Caller<H> {
    holder.lastUsedAt = atMs;
    // Keys of the operator have no share.
    const share = holder.tier === 'INTERNAL' ? undefined : shares?.of(holder.id);
    const policy = counts ? policyFor(holder) : undefined;
    const hour = policy && counting.ofKey(holder.id);
    return { tier: holder.tier, keyId: holder.id, hour, policy, share, atMs };
  }

  function headersOf(policy: Policy, hour: H, atMs: number): string[] {
    const { limit } = policy;
    return limitHeaders(policy, counting.remaining(hour, limit), counting.freeAt(hour, limit, atMs), atMs);
  }

  function refuseCall(policy: Policy, hour: H, atMs: number): RequestError {
    const resetAt = counting.freeAt(hour, policy.limit, atMs);
    return overLimit(policy, policies.PRO, headersOf(policy, hour, atMs), resetAt, atMs);
  }

  return {
    identify(endpoint, req) {
      const atMs = Math.floor(now());
      const counts = isCounted(endpoint);
      const key = req.headers['x-api-key'];
      if (typeof key === 'string' && key !== '') {
        const holder = key.length <= MAX_KEY_LENGTH ? keys.find(key) : undefined;
        if (holder !== undefined) return callerOf(holder, counts, atMs);
        if (endpoint.access !== 'open') refuseKey(req, atMs);
      }
      const policy = counts ? policies.FREE : undefined;
      if (policy === undefined && shares === undefined) return uncounted(atMs);
      const address = clientAddressOf(req, proxies);
      const share = shares?.of(address);
      const hour = policy && counting.ofAddress(address, atMs);
      return { tier: 'FREE', keyId: null, hour, policy, share, atMs };
    },

    share: ({ share, atMs }) => chargeShare(share, atMs),

    admit({ access }, { tier, keyId, hour, policy, atMs }) {
      if (access === 'PRO' || access === 'INTERNAL') {
        if (keyId === null) {
          throw new RequestError(401, 'key_missing', `This needs a key of tier ${access}`, CHALLENGE);
        }
        if (!includes(tier, access)) {
          const message = `This needs a key of tier ${access}, and the key sent is ${tier}`;
          throw new RequestError(401, 'tier_too_low', message, CHALLENGE);
        }
      }
      if (hour === undefined || policy === undefined) return undefined;
      const isCharged = counting.charge(hour, atMs, policy.limit);
      if (isCharged === true) return undefined;
      if (isCharged === false) throw refuseCall(policy, hour, atMs);
      return isCharged.then((isAdmitted) => {
        if (!isAdmitted) throw refuseCall(policy, hour, atMs);
      });
    },

    settle(caller, status, bytes) {
      const { hour, policy, share, atMs } = caller;
      if (share !== undefined) shares?.take(share, bytes, atMs);
      if (hour === undefined || policy === undefined) return NO_HEADERS;
      if (isFree(status)) counting.refund(hour, atMs);
      return headersOf(policy, hour, atMs);
    },
  };
}

function policiesOf(limits: Limits): Readonly<Record<Tier, Policy | undefined>> {
  const policy = (tier: Tier) => (limits[tier] === null ? undefined : policyOf(tier, limits[tier]));
  return { FREE: policy('FREE'), PRO: policy('PRO'), INTERNAL: policy('INTERNAL') };
}

function uncounted(atMs: number): Caller<never> {
  return { tier: 'FREE', keyId: null, hour: undefined, policy: undefined, share: undefined, atMs };
}

/** The headers and fields that say how long to wait. */
function waiting(
  waitMs: number,
): [headers: Readonly<Record<string, string>>, fields: Readonly<Record<string, unknown>>] {
  const seconds = secondsFor(waitMs);
  return [{ 'Retry-After': String(seconds) }, { retry_after: seconds, retry_after_ms: waitMs }];
}

function overShare(waitMs: number): RequestError {
  const message = 'This caller was served more than its share of the service';
  return new RequestError(429, 'too_much_traffic', message, ...waiting(waitMs));
}

function overLimit(
  policy: Policy,
  pro: Policy | undefined,
  list: readonly string[],
  resetAt: number,
  atMs: number,
): RequestError {
  const seconds = secondsFor(resetAt - atMs);
  const headers: Record<string, string> = { 'Retry-After': String(seconds) };
  for (let at = 0; at < list.length; at += 2) headers[list[at] ?? ''] = list[at + 1] ?? '';
  const hint =
    pro !== undefined && pro.limit > policy.limit
      ? `; a PRO key, sent as the header X-API-Key, has ${pro.limit} an hour`
      : '';
  const message = `The limit of ${policy.limit} requests an hour is reached${hint}`;
  return new RequestError(429, 'rate_limited', message, headers, {
    limit: policy.limit,
    remaining: 0,
    reset: Math.ceil(resetAt / 1_000),
    reset_ts: resetAt,
    retry_after: seconds,
    retry_after_ms: resetAt - atMs,
  });
}
