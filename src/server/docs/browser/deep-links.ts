/** Opens what the address points to, as it may be closed. */
export function startDeepLinks(): void {
  const open = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!(target instanceof HTMLDetailsElement)) return;
    target.open = true;
    target.scrollIntoView();
  };
  addEventListener('hashchange', open);
  open();
}
