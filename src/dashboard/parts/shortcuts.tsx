import { useEffect, useRef } from 'preact/hooks';
import { sentence } from '../format.ts';
import { SECTIONS } from '../state/place.ts';

/** Keys that mean something else where text is typed or a choice is made. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.matches('input:not([type=radio], [type=checkbox]), select, textarea')
  );
}

/** Keys for those who have no use for a mouse, and the list of them behind "?". */
export function Shortcuts(props: { readonly onStep: (step: 1 | -1) => void }) {
  const help = useRef<HTMLDialogElement>(null);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const act = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const section = SECTIONS[Number.parseInt(event.key, 10) - 1];
      if (section !== undefined) location.hash = section;
      else if (event.key === 'j') latest.current.onStep(1);
      else if (event.key === 'k') latest.current.onStep(-1);
      else if (event.key === '?') help.current?.showModal();
    };
    addEventListener('keydown', act);
    return () => removeEventListener('keydown', act);
  }, []);
  return (
    <dialog ref={help} class="shortcuts" aria-labelledby="shortcuts-title">
      <h2 id="shortcuts-title">Keys</h2>
      <dl>
        {SECTIONS.map((section, place) => (
          <div key={section}>
            <dt>
              <kbd>{place + 1}</kbd>
            </dt>
            <dd>{sentence(section.replace('-', ' '))}</dd>
          </div>
        ))}
        <div>
          <dt>
            <kbd>j</kbd> <kbd>k</kbd>
          </dt>
          <dd>next and previous event</dd>
        </div>
        <div>
          <dt>
            <kbd>?</kbd>
          </dt>
          <dd>this list</dd>
        </div>
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
