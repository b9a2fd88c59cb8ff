import { defer, type Observable, of, retry, shareReplay, throwError, timer } from 'rxjs';
import { TallywireError } from '../error.ts';
import { RECONNECT, type ReconnectOptions, reconnectDelay } from './backoff.ts';

interface KnownAccountsDeps {
  /** Path segments of the accounts that are meant when none is named; undefined for all there are. */
  readonly accounts: readonly string[] | undefined;
  readonly loadAccounts: () => Promise<readonly string[]>;
  readonly reconnect?: ReconnectOptions | undefined;
  /** Numbers in [0, 1). */
  readonly random?: (() => number) | undefined;
}

/** The accounts, asked for once unless they were given. A service that does not answer yet is asked again. */
export function knownAccounts(deps: KnownAccountsDeps): Observable<readonly string[]> {
  const { accounts, loadAccounts, reconnect = RECONNECT, random = Math.random } = deps;
  if (accounts !== undefined) return of(accounts);
  return defer(loadAccounts).pipe(
    retry({
      delay: (error: unknown, attempt) =>
        isPassing(error) ? timer(reconnectDelay(reconnect, attempt - 1, random())) : throwError(() => error),
    }),
    shareReplay(1),
  );
}

/** Whether the same call may succeed later: no answer, too many requests, or trouble of the server. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof TallywireError)) return false;
  return error.status === 0 || error.status === 429 || error.status >= 500;
}
