import { includes, TIERS, type Tier } from '../../../access/tiers.ts';
import { storedKey, storeKey } from '../../../dashboard/stored-choices.ts';

const TIER_OF_DEMO: Readonly<Record<string, Tier>> = {
  demo_free: 'FREE',
  demo_pro: 'PRO',
  demo_internal: 'INTERNAL',
};

/** The key that was entered, or nothing. */
export function startKey(): () => string {
  const input = document.querySelector<HTMLInputElement>('#key');
  if (input === null) return () => '';
  const change = (value: string) => {
    input.value = value;
    storeKey(value === '' ? undefined : value);
    showNeeds(value);
  };
  change(storedKey() ?? '');
  input.addEventListener('input', () => change(input.value.trim()));
  input.form?.addEventListener('submit', (event) => event.preventDefault());
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-use-key]')) {
    button.addEventListener('click', () => {
      change(button.dataset.useKey ?? '');
      // The button goes, so what comes next gets its focus.
      button.closest('form')?.querySelector<HTMLButtonElement>('[type=submit]')?.focus();
    });
  }
  return () => input.value;
}

/** Where a key is missing it is said, and nothing that would be refused can be sent. */
function showNeeds(key: string): void {
  // The tier of any other key is known to the service alone.
  const tier = key === '' ? 'FREE' : (TIER_OF_DEMO[key] ?? 'INTERNAL');
  for (const note of document.querySelectorAll<HTMLElement>('.needs')) {
    const needed = TIERS.find((each) => each === note.dataset.tier) ?? 'FREE';
    const isMissing = !includes(tier, needed);
    note.hidden = !isMissing;
    const send = note.closest('form')?.querySelector<HTMLButtonElement>('[type=submit]');
    if (send) send.disabled = isMissing;
  }
}
