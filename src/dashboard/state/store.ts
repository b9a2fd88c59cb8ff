import { type AccountState, NOTHING_YET, type State } from './records.ts';

/** What the page shows. Listeners are told when `schedule` says so, however much changed until then. */
export interface Store {
  readonly state: State;
  accountOf(account: string): AccountState;
  change(part: Partial<State>): void;
  changeAccount(account: string, part: Partial<AccountState>): void;
  listen(listener: () => void): () => void;
}

export function createStore(accounts: readonly string[], schedule: (tell: () => void) => void): Store {
  const listeners = new Set<() => void>();
  let isScheduled = false;
  let state: State = {
    status: { state: 'connecting' },
    accounts: new Map(accounts.map((account) => [account, NOTHING_YET])),
    heartbeat: undefined,
    skewMs: 0,
    key: 'none',
    keyFault: undefined,
  };

  const accountOf = (account: string) => state.accounts.get(account) ?? NOTHING_YET;

  function tell(): void {
    isScheduled = false;
    for (const listener of [...listeners]) listener();
  }

  function change(part: Partial<State>): void {
    state = { ...state, ...part };
    if (isScheduled) return;
    isScheduled = true;
    schedule(tell);
  }

  return {
    get state() {
      return state;
    },
    accountOf,
    change,
    changeAccount(account, part) {
      change({ accounts: new Map(state.accounts).set(account, { ...accountOf(account), ...part }) });
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
