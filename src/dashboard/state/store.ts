import { type AccountState, EMPTY_ACCOUNT, type State } from './records.ts';

/** The state of the page. `schedule` decides when listeners are notified of all changes so far. */
export interface Store {
  readonly state: State;
  accountOf(account: string): AccountState;
  change(part: Partial<State>): void;
  /** Changes nothing of an account that is not followed. */
  changeAccount(account: string, part: Partial<AccountState>): void;
  /** The accounts that are followed from now on. Records of others are dropped. */
  follow(accounts: readonly string[]): void;
  listen(listener: () => void): () => void;
  /** Notifies of each change at once, also while nobody sees the page. */
  observe(observer: () => void): () => void;
}

export function createStore(accounts: readonly string[], schedule: (notify: () => void) => void): Store {
  const listeners = new Set<() => void>();
  const observers = new Set<() => void>();
  let isScheduled = false;
  let state: State = {
    status: { state: 'connecting' },
    accounts: new Map(accounts.map((account) => [account, EMPTY_ACCOUNT])),
    heartbeat: undefined,
    clockOffsetMs: 0,
    key: 'none',
    keyFault: undefined,
  };

  const accountOf = (account: string) => state.accounts.get(account) ?? EMPTY_ACCOUNT;

  function notify(): void {
    isScheduled = false;
    for (const listener of [...listeners]) listener();
  }

  function change(part: Partial<State>): void {
    state = { ...state, ...part };
    for (const observer of [...observers]) observer();
    if (isScheduled) return;
    isScheduled = true;
    schedule(notify);
  }

  return {
    get state() {
      return state;
    },
    accountOf,
    change,
    changeAccount(account, part) {
      if (!state.accounts.has(account)) return;
      change({ accounts: new Map(state.accounts).set(account, { ...accountOf(account), ...part }) });
    },
    follow(accounts) {
      change({ accounts: new Map(accounts.map((account) => [account, accountOf(account)])) });
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    observe(observer) {
      observers.add(observer);
      return () => observers.delete(observer);
    },
  };
}
