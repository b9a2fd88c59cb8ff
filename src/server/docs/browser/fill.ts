/** Fills in required values that depend on the present: times, and an event of the account that is active. */

const DAY_S = 86_400;

interface ListedAccount {
  readonly account: string;
  readonly active_events: readonly { readonly event_id: number }[];
}

export function fillForms(forms: readonly HTMLFormElement[], root: URL): void {
  for (const form of forms) fillTimes(form);
  const withEvents = forms.filter((form) => form.querySelector('[data-fill=event]') !== null);
  if (withEvents.length > 0) void fillEvents(withEvents, root);
}

function fillTimes(form: HTMLFormElement): void {
  const nowS = Math.floor(Date.now() / 1_000);
  const values = { start: nowS - DAY_S, end: nowS };
  for (const [name, value] of Object.entries(values)) {
    const input = form.querySelector<HTMLInputElement>(`[data-fill=${name}]`);
    if (input !== null) input.value = String(value);
  }
}

async function fillEvents(forms: readonly HTMLFormElement[], root: URL): Promise<void> {
  const accounts = await listedAccounts(root);
  for (const form of forms) {
    const account = form.querySelector<HTMLInputElement>('[name=account]');
    const event = form.querySelector<HTMLInputElement>('[data-fill=event]');
    if (account === null || event === null) continue;
    const fill = () => {
      const found = accounts.find((each) => each.account === account.value.trim());
      event.value = String(found?.active_events[0]?.event_id ?? '');
    };
    fill();
    account.addEventListener('change', fill);
  }
}

/** None while the service cannot say: then the reader has to know an event. */
async function listedAccounts(root: URL): Promise<readonly ListedAccount[]> {
  try {
    const answer = await fetch(new URL('api/v1/accounts', root));
    const { data } = await answer.json();
    return answer.ok ? data : [];
  } catch {
    return [];
  }
}
