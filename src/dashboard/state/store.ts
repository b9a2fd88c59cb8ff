import { type AccountState, NOTHING_YET, type State } from './records.ts';

/** What the page shows. Listeners are told once per turn, however much changed in it. */
export interface Store {
  readonly state: State;
  change(part: Partial<State>): void;
  changeAccount(account: string, part: Partial<AccountState>): void;
  listen(listener: () => void): () => void;
}

export function createStore(accounts: readonly string[]): Store {
  const listeners = new Set<() => void>();
  let isTelling = false;
  let state: State = {
    status: { state: 'connecting' },
    accounts: new Map(accounts.map((account) => [account, NOTHING_YET])),
    heartbeat: undefined,
    skewMs: 0,
    key: 'none',
    keyFault: undefined,
    fresh: new Set(),
  };

  function tell(): void {
    if (isTelling) return;
    isTelling = true;
    queueMicrotask(() => {
      isTelling = false;
      for (const listener of [...listeners]) listener();
    });
  }

  function change(part: Partial<State>): void {
    state = { ...state, ...part };
    tell();
  }

  return {
    get state() {
      return state;
    },
    change,
    changeAccount(account, part) {
      const known = state.accounts.get(account) ?? NOTHING_YET;
      change({ accounts: new Map(state.accounts).set(account, { ...known, ...part }) });
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
