import { render } from 'preact';
import 'uplot/dist/uPlot.min.css';
import './page.css';
import { App } from './parts/app.tsx';
import { openSession } from './state/session.ts';
import { createStore } from './state/store.ts';

const theme = localStorage.getItem('theme');
if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;

const accounts = (document.body.dataset.accounts ?? '').split(' ').filter((segment) => segment !== '');
const store = createStore(accounts);
const url = new URL('.', document.baseURI).href;
const root = document.getElementById('page');
if (root !== null) {
  render(
    <App
      store={store}
      openSession={(key, onRefused) => openSession({ url, accounts, key, store, onRefused })}
    />,
    root,
  );
}
