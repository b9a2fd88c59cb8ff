/** For so long nobody else can claim the same; other tabs see it at about the same time. */
const HELD_MS = 300_000;

/** Whether no other tab of the browser has claimed this. A storage would not do, as tabs see its changes late. */
export function claim(what: string): Promise<boolean> {
  // Browsers have locks where they have notifications: on loopback and over HTTPS.
  if (!('locks' in navigator)) return Promise.resolve(true);
  return new Promise((resolve) => {
    void navigator.locks.request(`alert ${what}`, { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      return lock === null ? undefined : new Promise((release) => setTimeout(release, HELD_MS));
    });
  });
}
