import { useEffect, useState } from 'preact/hooks';
import { hashOf, hashOfOldLink, type Route, routeOf, type View } from './routing.js';

/** The current route, from the address. */
export function useRoute(): Route {
  const [route, setRoute] = useState(() => routeOf(location.hash));
  useEffect(() => {
    const old = hashOfOldLink(location.search);
    if (old) history.replaceState(null, '', `${location.pathname}${old}`);
    const follow = (): void => setRoute(routeOf(location.hash));
    follow();
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return route;
}

/** Writes a search into the address, so that it can be linked; adds nothing to the history. */
export function rememberParams(view: View, params: Readonly<Record<string, string>>): void {
  history.replaceState(null, '', hashOf(view, params));
  // replacing the address triggers no event
  dispatchEvent(new HashChangeEvent('hashchange'));
}

/** Opens a view, so that Back returns from it. */
export function goTo(view: View, params: Readonly<Record<string, string>>): void {
  location.hash = hashOf(view, params);
}
