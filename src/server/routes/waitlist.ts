import type * as z from 'zod';
import { API_PREFIX } from '../../contract/api-prefix.ts';
import { waitlistBody } from '../../contract/params.ts';
import type { waitlistRecord } from '../../contract/records/waitlist.ts';
import { readBody } from '../../contract/validation/validate.ts';
import { RequestError, StoreError } from '../../errors.ts';
import type { Waitlist, WaitlistEntry, WaitlistPlace } from '../../store/store.ts';
import { plainAnswer, type SlowEndpoint } from '../answer.ts';
import { API_HEADERS, JSON_TYPE } from '../headers.ts';
import { receiveJson } from '../request-body.ts';

const RETRY_AFTER_SECONDS = 5;

interface WaitlistDeps {
  readonly waitlist: Waitlist;
  readonly now: () => number;
  /** Receives the error when a place could not be stored, of several in a row the first. */
  readonly report: (error: unknown) => void;
}

/** POST /waitlist: the place is stored before the answer is sent (spec 2.8). */
export function waitlistEndpoint({ waitlist, now, report }: WaitlistDeps): SlowEndpoint {
  // Anyone may ask, as often as they like, and the log may be on the disk that is full.
  let isRefusing = false;
  const reportFirst = (error: unknown) => {
    if (!isRefusing) report(error);
    isRefusing = true;
  };
  return {
    method: 'POST',
    path: `${API_PREFIX}/waitlist`,
    access: 'public',
    async answer({ query }, _tier, { req }) {
      const entry = toEntry(readBody(waitlistBody, await receiveJson(req), query));
      const place = await waitlist.claim(entry, now()).catch((error: unknown) => refuse(error, reportFirst));
      isRefusing = false;
      return plainAnswer(200, JSON_TYPE, JSON.stringify(toWire(place)), API_HEADERS);
    },
  };
}

function toEntry({ type, case: useCase, name, wallet, email }: z.infer<typeof waitlistBody>): WaitlistEntry {
  return { type, useCase, name: name ?? null, wallet: wallet ?? null, email: email ?? null };
}

function toWire({ position, isNew }: WaitlistPlace): z.infer<typeof waitlistRecord> {
  return { status: isNew ? 'registered' : 'already_registered', position };
}

function refuse(error: unknown, report: (error: unknown) => void): never {
  if (!(error instanceof StoreError)) throw error;
  report(error);
  const message = 'The place could not be stored; none was taken';
  throw new RequestError(503, 'store_unavailable', message, { 'Retry-After': String(RETRY_AFTER_SECONDS) });
}
