import { render } from 'preact';
import 'uplot/dist/uPlot.min.css';
import './styles/base.css';
import './styles/now-forecast.css';
import './styles/trade-trust.css';
import './styles/screens.css';
import { createClient } from '../client/browser.ts';
import { App } from './parts/app.tsx';
import { NoFeed } from './parts/no-feed.tsx';
import { throttleToFrames } from './state/frame-throttle.ts';
import { shownTogether } from './state/page-account.ts';
import { readSettings } from './state/page-settings.ts';
import { readPlace } from './state/place.ts';
import { openSession } from './state/session.ts';
import { createStore } from './state/store.ts';
import { applyStoredTheme } from './stored-choices.ts';

/** Shortest time between two drawings; all changes in between are drawn together. */
const REDRAW_GAP_MS = 100;

applyStoredTheme();

const settings = readSettings(document.body.dataset);
const store = createStore(
  shownTogether(settings.accounts, readPlace(location.href).account),
  throttleToFrames(REDRAW_GAP_MS, {
    now: () => performance.now(),
    after: (ms, run) => void setTimeout(run, ms),
    beforeFrame: (run) => void requestAnimationFrame(run),
  }),
);
const url = new URL('.', document.baseURI).href;
const keylessClient = createClient({ url });
const root = document.getElementById('page');
if (root !== null && !settings.hasFeed) render(<NoFeed />, root);
else if (root !== null) {
  render(
    <App
      store={store}
      settings={settings}
      openSession={(key, onRefused) => openSession({ url, key, keylessClient, store, onRefused })}
    />,
    root,
  );
}
