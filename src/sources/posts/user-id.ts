import * as z from 'zod';
import { SourceError } from '../../errors.ts';
import { type AccountEndpoint, type IdentifiedAccount, oracleUserUrl } from '../endpoints.ts';
import { oracleEnvelope } from '../oracle/oracle-payload.ts';
import { readPayload, refuse } from '../read-payload.ts';
import { digits } from '../value-schemas.ts';
import type { ApiReading } from './reading.ts';

const oracleUser = oracleEnvelope(z.object({ platform: z.string(), platformId: digits }));
const platformUser = z.object({ data: z.object({ id: digits, username: z.string() }) });

/** Completes an account with its id on the platform. What was found once is not asked for again. */
export function identify(account: AccountEndpoint): (reading: ApiReading) => Promise<IdentifiedAccount> {
  const { userId } = account;
  let user = userId === null ? undefined : { ...account, userId };
  return async (reading) => {
    user ??= { ...account, userId: await lookUpUserId(account, reading) };
    return user;
  };
}

/** The oracle is asked first, as its answer is free. */
async function lookUpUserId(account: AccountEndpoint, reading: ApiReading): Promise<string> {
  try {
    return await askOracle(account, reading);
  } catch (error) {
    if (!(error instanceof SourceError) || reading.signal.aborted) throw error;
    return askPlatform(account, reading);
  }
}

async function askOracle(account: AccountEndpoint, reading: ApiReading): Promise<string> {
  const { endpoints, settings, context, signal } = reading;
  const url = `${oracleUserUrl(account, endpoints)}?${new URLSearchParams({ platform: account.platform })}`;
  const request = {
    headers: { 'user-agent': endpoints.userAgent },
    signal,
    timeoutMs: settings.slowTimeoutMs,
    pace: endpoints.oracle.pace,
  };
  const { platform, platformId } = (await readPayload(url, oracleUser, request, context)).data;
  if (platform === account.platform) return platformId;
  return refuse(`the oracle has ${account.handle} on ${platform}, not on ${account.platform}`, context);
}

async function askPlatform({ handle }: AccountEndpoint, reading: ApiReading): Promise<string> {
  const { endpoints, settings, context, signal } = reading;
  const { baseUrl, bearerToken, paces } = endpoints.postsApi;
  const request = {
    headers: { authorization: `Bearer ${bearerToken}`, 'user-agent': endpoints.userAgent },
    signal,
    timeoutMs: settings.timeoutMs,
    pace: paces?.lookup,
  };
  const url = `${baseUrl}/2/users/by/username/${encodeURIComponent(handle)}`;
  const { id, username } = (await readPayload(url, platformUser, request, context)).data;
  if (username.toLowerCase() === handle.toLowerCase()) return id;
  return refuse(`the posts API answers for another user than ${handle}`, context);
}
