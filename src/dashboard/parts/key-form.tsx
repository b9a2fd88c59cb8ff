import { useState } from 'preact/hooks';
import type { State } from '../state/records.ts';

/** Input of an API key, which stays in this tab. */
export function KeyForm(props: {
  readonly state: State['key'];
  readonly fault: string | undefined;
  /** A key that anyone may use; the demo has one. */
  readonly demoKey: string | undefined;
  readonly onKey: (key: string | undefined) => void;
}) {
  const [text, setText] = useState('');
  if (props.state === 'accepted') {
    return (
      <div class="key-form">
        <span class="tag good">Key accepted</span>
        <button type="button" onClick={() => props.onKey(undefined)}>
          Forget key
        </button>
      </div>
    );
  }
  return (
    <form
      class="key-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') props.onKey(text.trim());
        setText('');
      }}
    >
      <label>
        <span class="sr-only">API key</span>
        <input
          type="password"
          name="key"
          autocomplete="off"
          placeholder={props.demoKey === undefined ? 'API key' : `API key (demo: ${props.demoKey})`}
          value={text}
          aria-describedby="key-fault"
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <button type="submit">{props.state === 'trying' ? 'Trying …' : 'Unlock'}</button>
      <span id="key-fault" class="fault" role="alert">
        {props.fault ?? ''}
      </span>
    </form>
  );
}
