import { useState } from 'preact/hooks';
import type { Client } from '../../client/browser.ts';
import { accountsMatching, type PageAccount } from '../state/page-account.ts';
import { useAnswer } from './hooks.ts';

/** Events open and close a few times a day. */
const REFRESH_MS = 60_000;

/** A choice among many accounts: a list that can be searched. */
export function AccountPicker(props: {
  readonly client: Client;
  readonly accounts: readonly PageAccount[];
  readonly chosen: string | undefined;
  readonly onChoose: (account: string) => void;
}) {
  const { client, accounts, chosen, onChoose } = props;
  const [text, setText] = useState('');
  const answer = useAnswer((signal) => client.accounts({ signal }), [client], REFRESH_MS);
  const events = new Map(
    answer.state === 'done'
      ? answer.value.data.map(({ account, active_events }) => [account, active_events?.length])
      : [],
  );
  const found = accountsMatching(accounts, text);
  const [first] = found;
  return (
    <form
      class="picker"
      onSubmit={(submit) => {
        submit.preventDefault();
        if (first !== undefined) onChoose(first.account);
      }}
    >
      <label>
        Find an account
        <input
          type="search"
          value={text}
          placeholder="name"
          onInput={(input) => setText(input.currentTarget.value)}
        />
      </label>
      <label>
        {`Account, ${found.length} of ${accounts.length}`}
        <select
          value={found.some(({ account }) => account === chosen) ? chosen : ''}
          onChange={(change) => onChoose(change.currentTarget.value)}
        >
          {found.some(({ account }) => account === chosen) ? null : (
            <option value="" disabled>
              {found.length === 0 ? 'none has this name' : 'choose one'}
            </option>
          )}
          {found.map(({ account, name }) => (
            <option key={account} value={account}>
              {`${name}${eventsText(events.get(account))}`}
            </option>
          ))}
        </select>
      </label>
    </form>
  );
}

function eventsText(count: number | undefined): string {
  if (count === undefined) return '';
  return count === 1 ? ', 1 event' : `, ${count === 0 ? 'no' : count} events`;
}
