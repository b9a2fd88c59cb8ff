import { useState } from 'preact/hooks';
import {
  ALERT_FIGURE_NAMES,
  ALERT_FIGURES,
  type AlertFigureName,
  conditionText,
  readCondition,
} from '../../contract/alert-figures.ts';
import { clockText, sentence, windowText } from '../format.ts';
import { alertValues } from '../state/alert-values.ts';
import type { FiredAlert } from '../state/alert-watch.ts';
import type { PageAlert } from '../state/page-alert.ts';
import type { State } from '../state/records.ts';
import type { ShownEvent } from '../state/shown-event.ts';
import { useAccountName } from './account-names.ts';
import { notificationState } from './notify.ts';
import type { PageAlerts } from './use-alerts.ts';

const SIGNS = ['>=', '>', '<=', '<', '==', '!='] as const;
const SIGN_TEXTS = {
  '>=': 'at least',
  '>': 'above',
  '<=': 'at most',
  '<': 'below',
  '==': 'equal to',
  '!=': 'other than',
} as const;

/** `our own count of Nov 13–15 is 701, at least 700` in two parts. */
export function firedText(
  { alert, title, bucket, value }: FiredAlert,
  nameOf: (account: string) => string,
): { readonly title: string; readonly body: string } {
  const { figure, sign, value: limit } = alert.when;
  const where = [
    nameOf(alert.account),
    ...(title === null ? [] : [windowText(title)]),
    ...(bucket === null ? [] : [bucket]),
  ];
  return {
    title: where.join(', '),
    body: `${sentence(ALERT_FIGURES[figure].description)}: ${value}, ${SIGN_TEXTS[sign]} ${limit}`,
  };
}

interface AlertsProps {
  readonly alerts: PageAlerts;
  readonly shown: ShownEvent;
  readonly state: State;
}

/** Conditions of the user's own, told by a notification and a sound while the page is open; closed until wanted. */
export function Alerts(props: AlertsProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { alerts, told } = props.alerts;
  return (
    <details class="alerts" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{`Alerts, ${alerts.length === 0 ? 'none' : alerts.length} set${told.length === 0 ? '' : `, ${told.length} told`}`}</summary>
      {isOpen ? (
        <>
          <AlertForm {...props} />
          <Telling alerts={props.alerts} />
          <AlertRows {...props} />
        </>
      ) : null}
    </details>
  );
}

function AlertForm({ alerts, shown, state }: AlertsProps) {
  const nameOf = useAccountName();
  const [figure, setFigure] = useState<AlertFigureName>('real_counter');
  const [sign, setSign] = useState<string>('>=');
  const [limit, setLimit] = useState('');
  const [isEveryEvent, setIsEveryEvent] = useState(false);
  const [bucket, setBucket] = useState('');
  const { account, eventId, event, records } = shown;
  const { of } = ALERT_FIGURES[figure];
  const markets = records.predictions?.find(({ event_id }) => event_id === eventId)?.markets ?? [];
  const when = readCondition(`${figure} ${sign} ${limit.trim()}`);
  const chosen = {
    account,
    event: of === 'account' || isEveryEvent ? null : eventId,
    bucket: of === 'bucket' && bucket !== '' ? bucket : null,
  };
  const present = alertValues({ ...chosen, when: { figure, sign: '>=', value: 0 } }, state);
  const known = present.flatMap(({ value }) => value ?? []);
  return (
    <form
      class="picker"
      onSubmit={(submit) => {
        submit.preventDefault();
        if (when === undefined) return;
        alerts.add({ ...chosen, when });
        setLimit('');
      }}
    >
      <label>
        Tell me when
        <select
          name="alert-figure"
          value={figure}
          onChange={({ currentTarget: { value } }) =>
            setFigure(ALERT_FIGURE_NAMES.find((each) => each === value) ?? 'real_counter')
          }
        >
          {ALERT_FIGURE_NAMES.map((each) => (
            <option key={each} value={each}>
              {ALERT_FIGURES[each].description}
            </option>
          ))}
        </select>
      </label>
      <label>
        is
        <select
          name="alert-sign"
          class="short"
          value={sign}
          onChange={(change) => setSign(change.currentTarget.value)}
        >
          {SIGNS.map((each) => (
            <option key={each} value={each}>
              {SIGN_TEXTS[each]}
            </option>
          ))}
        </select>
      </label>
      <label>
        number
        <input
          name="alert-value"
          class="short"
          inputMode="decimal"
          autocomplete="off"
          value={limit}
          aria-describedby="alert-present"
          onInput={(input) => setLimit(input.currentTarget.value)}
        />
      </label>
      {of === 'account' ? null : (
        <label>
          of
          <select
            name="alert-event"
            value={isEveryEvent ? 'every' : 'shown'}
            onChange={(change) => setIsEveryEvent(change.currentTarget.value === 'every')}
          >
            <option value="shown">{`${nameOf(account)}, ${windowText(event.event_title)}`}</option>
            <option value="every">{`every event of ${nameOf(account)}`}</option>
          </select>
        </label>
      )}
      {of === 'bucket' ? (
        <label>
          in
          <select
            name="alert-bucket"
            value={bucket}
            onChange={(change) => setBucket(change.currentTarget.value)}
          >
            <option value="">any bucket</option>
            {markets.map(({ title, token_id }) => (
              <option key={token_id}>{title}</option>
            ))}
          </select>
        </label>
      ) : null}
      <button type="submit" disabled={when === undefined}>
        Add
      </button>
      <p id="alert-present" class="foot num">
        {presentText(known, state.key === 'accepted')}
      </p>
    </form>
  );
}

function presentText(known: readonly number[], isPaid: boolean): string {
  const [first] = known;
  if (first === undefined) return isPaid ? 'not known now' : 'not known now; some figures need a PRO key';
  if (known.length === 1) return `now ${first}`;
  return `now ${Math.min(...known)} to ${Math.max(...known)}`;
}

/** How alerts are told. The browser is asked for its permission by a click alone. */
function Telling({ alerts }: { readonly alerts: PageAlerts }) {
  const [permission, setPermission] = useState(notificationState);
  return (
    <p class="telling">
      {permission === 'default' ? (
        <button type="button" onClick={() => void Notification.requestPermission().then(setPermission)}>
          Allow notifications
        </button>
      ) : null}
      {permission === 'granted' ? 'Alerts are told by notifications' : null}
      {permission === 'denied' || permission === 'missing'
        ? 'This browser shows no notifications of this page; alerts are told here'
        : null}
      <label class="check">
        <input
          type="checkbox"
          name="alert-sound"
          checked={alerts.isSoundOn}
          onChange={(change) => alerts.setSound(change.currentTarget.checked)}
        />
        with a sound
      </label>
      <span>while this page is open. Rules of the server go on without it: see the API.</span>
    </p>
  );
}

function AlertRows({ alerts, state }: AlertsProps) {
  const nameOf = useAccountName();
  return (
    <>
      <ul class="alert-rows" aria-label="Alerts that are set">
        {alerts.alerts.map((alert) => (
          <li key={alert.id}>
            <span>{`${nameOf(alert.account)}${subjectText(alert, state)}`}</span>
            <code>{conditionText(alert.when)}</code>
            <button
              type="button"
              class="small"
              aria-label={`Remove ${conditionText(alert.when)}`}
              onClick={() => alerts.remove(alert.id)}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
      <ol class="alert-rows" aria-label="Alerts of late">
        {alerts.told.map((told) => {
          const { title, body } = firedText(told, nameOf);
          return (
            <li key={`${told.key} ${told.at}`}>
              <time class="num" dateTime={new Date(told.at).toISOString()}>
                {clockText(told.at)}
              </time>
              <span>{`${title}: ${body}`}</span>
            </li>
          );
        })}
      </ol>
    </>
  );
}

function subjectText({ account, event, bucket, when }: PageAlert, { accounts }: State): string {
  const records = accounts.get(account);
  if (records === undefined) return ', not followed now';
  const inBucket = bucket === null ? '' : `, ${bucket}`;
  if (event === null) return ALERT_FIGURES[when.figure].of === 'account' ? '' : `, every event${inBucket}`;
  const found = records.counters?.find(({ event_id }) => event_id === event);
  return found === undefined ? ', event over' : `, ${windowText(found.event_title)}${inBucket}`;
}
