import request, { type Test as Call } from 'supertest';

/** Opens a page like a browser whose user has accepted the certificate. */
export function visit(url: string): Call {
  const { origin, pathname } = new URL(url);
  return request(origin).get(pathname).disableTLSCerts();
}

/** Presses a button of a page: posts its form without following redirects. */
export function press(url: string, action: string): Call {
  return request(new URL(url).origin).post(action).disableTLSCerts().type('form').redirects(0);
}

/** The buttons of a page by label. */
export function buttonsOf(html: string): Record<string, string> {
  const buttons = html.matchAll(/<button formaction="([^"]+)"[^>]*><span>([^<]+)<\/span>/g);
  return Object.fromEntries([...buttons].map(([, action, label]) => [label!, action!]));
}
