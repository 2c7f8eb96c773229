/** The views of the console, by the name that they have in the address. */
export const VIEWS = [
  'journey',
  'inbox',
  'quotes',
  'waiting',
  'magic',
  'effects',
  'wire',
  'events',
  'health',
] as const;
export type View = (typeof VIEWS)[number];

export interface Route {
  /** Undefined for an address that the console does not have. */
  readonly view: View | undefined;
  readonly params: Readonly<Record<string, string>>;
}

/** Parses a hash such as `#/inbox?to=919999900001`; an empty one is the journey. */
export function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const view = path === '' ? 'journey' : VIEWS.find((known) => known === path);
  return { view, params: Object.fromEntries(new URLSearchParams(query)) };
}

/** Omits empty values. */
export function hashOf(view: View, params: Readonly<Record<string, string>> = {}): string {
  const given = Object.entries(params).filter(([, value]) => value !== '');
  const query = given.length > 0 ? `?${new URLSearchParams(given)}` : '';
  return `#/${view}${query}`;
}

/** The hash for an old link to one person's messages, `?to=`; undefined for any other search. */
export function hashOfOldLink(search: string): string | undefined {
  const to = new URLSearchParams(search).get('to');
  return to === null ? undefined : hashOf('inbox', { to });
}
