import type { Response } from 'express';
import { escapeHtml } from './html.js';

/** One way in which the person may end the page. */
export interface Choice {
  /** Path that the choice is posted to. */
  readonly action: string;
  readonly label: string;
  /** What comes of it. */
  readonly hint: string;
  /** The one that a person would usually take. */
  readonly isUsual?: boolean;
}

/** A page of another company, as this sandbox plays it. All texts are plain, never HTML. */
export interface HostedPage {
  readonly title: string;
  readonly lead: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** None when there is nothing to choose any more. */
  readonly choices: readonly Choice[];
}

/**
 * Answers with a page that needs no script and gets none. Its forms lead back here and, since browsers hold
 * redirects of a form to the same rule, to where the person goes afterwards.
 * @param redirectUrl where a choice leads to, if anywhere
 */
export function sendHostedPage(
  response: Response,
  page: HostedPage,
  { status = 200, redirectUrl = null }: { status?: number; redirectUrl?: string | null } = {},
): void {
  const targets = ["'self'", ...(redirectUrl === null ? [] : [new URL(redirectUrl).origin])];
  response
    .status(status)
    .set({
      'content-security-policy': [
        "default-src 'none'",
        "style-src 'self'",
        "img-src 'self'",
        "base-uri 'none'",
        `form-action ${targets.join(' ')}`,
        "frame-ancestors 'none'",
      ].join('; '),
      'referrer-policy': 'no-referrer',
    })
    .type('html')
    .send(htmlOf(page));
}

/** Said of a page that was never there or was forgotten. */
export const UNKNOWN_PAGE: HostedPage = {
  title: 'Not found',
  lead: 'There is no such request here: the address is wrong, or the sandbox was restarted since.',
  facts: [],
  choices: [],
};

function htmlOf({ title, lead, facts, choices }: HostedPage): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${escapeHtml(title)} (sandbox)</title>
    <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="/assets/theme.css" />
    <link rel="stylesheet" href="/assets/hosted-page.css" />
  </head>
  <body>
    <main>
      <p class="badge"><img src="/assets/icon.svg" alt="" width="24" height="24" /> Sandbox</p>
      <h1>${escapeHtml(title)}</h1>
      <p class="lead">${escapeHtml(lead)}</p>
      ${factList(facts)}
      ${choiceForm(choices)}
      <p class="note">This page stands in for another company's. No personal data is asked for.</p>
    </main>
  </body>
</html>
`;
}

function factList(facts: HostedPage['facts']): string {
  if (facts.length === 0) return '';
  const rows = facts.map(
    ([name, value]) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`,
  );
  return `<dl>${rows.join('')}</dl>`;
}

function choiceForm(choices: readonly Choice[]): string {
  if (choices.length === 0) return '';
  const buttons = choices.map(
    ({ action, label, hint, isUsual = false }) =>
      `<button formaction="${escapeHtml(action)}"${isUsual ? ' class="usual"' : ''}>` +
      `<span>${escapeHtml(label)}</span><span class="hint">${escapeHtml(hint)}</span></button>`,
  );
  return `<h2>How does it end?</h2><form method="post">${buttons.join('')}</form>`;
}
