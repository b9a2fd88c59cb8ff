import { Empty } from './panel.tsx';

/** Replaces the page when the feed of the server is off. */
export function NoFeed() {
  return (
    <main>
      <h1>tallywire</h1>
      <Empty title="The feed is switched off">
        This server answers requests only, and the page lives of what is pushed. Started with{' '}
        <code>--feed true</code> it shows everything. Until then there is the <a href="docs">API</a>.
      </Empty>
    </main>
  );
}
