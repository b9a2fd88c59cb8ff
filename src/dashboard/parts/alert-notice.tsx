import { useState } from 'preact/hooks';
import { useAccountName } from './account-names.ts';
import { firedText } from './alerts.tsx';
import type { ToldAlert } from './use-alerts.ts';

/** The newest alert, wherever the page is scrolled to, until it is closed. */
export function AlertNotice({ told }: { readonly told: ToldAlert | undefined }) {
  const nameOf = useAccountName();
  const [closed, setClosed] = useState<ToldAlert>();
  const isShown = told !== undefined && told !== closed;
  const text = told === undefined ? undefined : firedText(told, nameOf);
  return (
    <div class="alert-notice" role="status">
      {isShown ? (
        <p>
          <span>
            <strong>{text?.title}</strong> {text?.body}
          </span>
          <button type="button" class="small" onClick={() => setClosed(told)}>
            Close
          </button>
        </p>
      ) : null}
    </div>
  );
}
